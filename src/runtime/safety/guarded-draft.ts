import { guardStream, type GuardStream } from "../../safety/guard/stream.ts";
import type { OpenDraft } from "../drafts.ts";

/** A draft of which no sentence leaves before it was read; of one that does not stream, no text leaves. */
export function guardedDraft(draft: OpenDraft, { profile, streams }: { readonly profile: "adult" | "minor"; readonly streams: boolean }): OpenDraft {
  let stream: GuardStream = guardStream({ level: 0, profile });
  const rest = (): void => {
    stream = guardStream({ level: 0, profile });
  };
  return {
    write: (text, after) => {
      if (streams) draft.write(stream.push(text), after);
    },
    started: (call, after) => draft.started(call, after),
    next: (reason) => {
      rest();
      draft.next(reason);
    },
    end: (reason) => draft.end(reason),
  };
}
