/** A guard for what is shown while it is written: no sentence leaves before it was read whole. */
import { inspect } from "./guard.ts";
import type { BlockedKind, Guarded, GuardOptions, RemovedKind } from "./guard.ts";
import { sentencesOf } from "./sentences.ts";

/** Holds a text back sentence by sentence. */
export interface GuardStream {
  /** Takes what a model has written; returns what may be shown now. */
  push(delta: string): string;
  /** The rest that may be shown, and what was taken out of the whole. From a sentence that is blocked on nothing is shown; what came before it was. */
  end(): Guarded;
}

/** A text without an end of a sentence is looked at in parts of so many characters. */
const longest = 4_000;

/**
 * A guard of one text that comes in parts, for level 0: above that a text is held back whole, and `guard` reads it. A sentence is shown once the next one
 * has begun, since a number may go on.
 */
export function guardStream(options: GuardOptions): GuardStream {
  let held = "";
  const removed = new Set<RemovedKind>();
  const blocked = new Set<BlockedKind>();
  const look = (text: string): string => {
    if (blocked.size > 0 || text === "") return "";
    const inspected = inspect(text, options);
    for (const kind of inspected.removed) removed.add(kind);
    for (const kind of inspected.blocked) blocked.add(kind);
    return blocked.size > 0 ? "" : inspected.text;
  };
  return {
    push: (delta) => {
      held += delta;
      // Without a new end of a sentence nothing can leave: most parts of a text are not looked at.
      if (held.length < longest && !/[.!?…؟۔।॥。！？\n]/u.test(delta) && !/[.!?…؟۔।॥]["'”’»)\]]*\s*$/u.test(held.slice(0, -delta.length).slice(-4)))
        return "";
      const sentences = sentencesOf(held);
      const last = sentences.at(-1);
      let cut = last?.start ?? 0;
      if (cut === 0 && held.length > longest) cut = held.lastIndexOf(" ") + 1 || held.length;
      if (cut === 0) return "";
      const ready = held.slice(0, cut);
      held = held.slice(cut);
      return look(ready);
    },
    end: () => {
      const text = look(held);
      held = "";
      return { text, removed: [...removed], blocked: [...blocked] };
    },
  };
}
