import { guardStream, type GuardStream } from "../../safety/guard/stream.ts";
import type { OpenDraft } from "../drafts.ts";

/** A draft of which no sentence leaves before it was read; of one that does not stream, nothing leaves but the end. */
export function guardedDraft(draft: OpenDraft, { profile, streams }: { readonly profile: "adult" | "minor"; readonly streams: boolean }): OpenDraft {
  let stream: GuardStream = guardStream({ level: 0, profile });
  const rest = (): void => {
    stream = guardStream({ level: 0, profile });
  };
  return {
    write: (text) => {
      if (streams) draft.write(stream.push(text));
    },
    next: (reason) => {
      rest();
      draft.next(reason);
    },
    end: (reason) => draft.end(reason),
  };
}
