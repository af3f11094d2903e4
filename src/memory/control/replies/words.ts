/** What a language needs to say what a command about memory came to. */
import type { ShownKind } from "../commands.ts";
import type { MemoryStatus } from "../owner-memory.ts";

/** The words of one language. */
export interface ReplyWords {
  readonly kinds: Readonly<Record<ShownKind, string>>;
  readonly nothing: string;
  readonly facts: string;
  readonly sessions: string;
  readonly rules: string;
  readonly verbatim: (count: number) => string;
  readonly changed: string;
  readonly status: (status: MemoryStatus) => string;
  readonly recall: (enabled: boolean) => string;
  readonly saved: (text: string) => string;
  readonly known: string;
  readonly unsafe: string;
  readonly full: string;
  readonly corrected: (before: string, after: string) => string;
  readonly notFound: (what: string) => string;
  readonly lastOne: string;
  readonly noneMatch: (query: string) => string;
  readonly tooMany: (query: string, count: number) => string;
  readonly askDelete: (preview: string) => string;
  readonly askSession: (preview: string) => string;
  readonly askEverything: string;
  readonly askSeveral: (count: number) => string;
  readonly askChoice: string;
  readonly andMore: (count: number) => string;
  readonly again: string;
  readonly cleared: string;
  readonly vague: string;
  readonly deleted: (count: number) => string;
  readonly gone: string;
  readonly kept: string;
  readonly nothingPending: string;
  readonly incognito: string;
  readonly pinned: (pinned: boolean, line: string) => string;
  readonly neverRecalled: (query: string, count: number) => string;
}
