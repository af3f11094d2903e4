/** What a command came to, as data that a reply is worded from: in words that the program chose, so that no model is needed to be safe. */
import type { ShownKind } from "./commands.ts";
import type { MemoryStatus } from "./owner-memory.ts";
import type { PendingAction } from "./pending.ts";

/** What a command came to. */
export type ControlAnswer =
  /** Lines of each kind in the order of their numbers, and how many messages are kept word for word. */
  | {
      readonly type: "listed";
      readonly facts: readonly string[];
      readonly sessions: readonly string[];
      readonly rules: readonly string[];
      readonly turns: number;
      /** The last of the messages that are kept word for word, with their numbers. */
      readonly messages: readonly { readonly index: number; readonly line: string }[];
      /** The person counted in a listing that is out of date. */
      readonly changed?: true;
    }
  | { readonly type: "status"; readonly status: MemoryStatus }
  | { readonly type: "recall_set"; readonly enabled: boolean }
  | { readonly type: "preference"; readonly outcome: "saved" | "known" | "unsafe" | "full"; readonly text: string }
  | { readonly type: "corrected"; readonly before: string; readonly after: string }
  | { readonly type: "not_found"; readonly kind: ShownKind | undefined; readonly index: number | "last" }
  | { readonly type: "none_match"; readonly query: string }
  | { readonly type: "too_many"; readonly query: string; readonly count: number }
  /** What waits from now on; `again` where it was asked before, `cleared` where what was held for later is gone already. */
  | { readonly type: "asked"; readonly action: PendingAction; readonly again?: true; readonly cleared?: true }
  | { readonly type: "vague"; readonly cleared: true }
  | { readonly type: "deleted"; readonly count: number }
  | { readonly type: "gone" | "kept" | "nothing_pending" | "incognito" }
  | { readonly type: "pinned"; readonly pinned: boolean; readonly line: string }
  | { readonly type: "never_recalled"; readonly query: string; readonly count: number };
