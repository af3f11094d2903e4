/** What of what is remembered a reply may name: a person's own words, where they bear on what is said now. */
import { folded } from "../words/fold.ts";
import type { Prompted } from "./prompted.ts";

/** Something remembered that can be said. */
export interface Recalled {
  /** `session`: a note of an earlier session; `quote`: the person's own words. */
  readonly type: "quote" | "session";
  readonly text: string;
}

const longest = 140;

/** Words that many messages share, and that make nothing a memory of the other. */
const common =
  /^(?:about|with|that|this|have|been|from|feel|feeling|felt|really|today|just|like|know|think|remember|told|talk|what|when|your|they|them|there|still|would|could|should|want|going|because|again|very|much|more|last|time)$/u;

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (folded(text).match(/\p{Script=Han}{2}|[\p{L}\p{N}]{4,}/gu) ?? [])
      .filter((word) => !common.test(word))
      .map((word) => word.replace(/(?:ing|ed|s)$/u, "")),
  );

/** What a line of memory can be quoted for: its first sentence. What may be somebody's number is not said again. */
function quotable(line: string): Recalled | undefined {
  if (/\byou said: "/u.test(line)) return undefined;
  const session =
    /last session \[[^\]]*\]: (?<text>[^[]+)/iu.exec(line)?.groups?.["text"] ??
    /last session \([^)]*\): (?<text>[^[]+)/iu.exec(line)?.groups?.["text"];
  const quote = /"(?<text>[^"]+)"(?: \(was so until [^)]*\))?\s*$/u.exec(line)?.groups?.["text"];
  const text = (session ?? quote)
    ?.replaceAll("&lt;", "<")
    .split(/[.!?](?=\s|$)|[。！？]/u)[0]
    ?.trim();
  if (text === undefined || text === "" || text.length > longest || /\d{3}/u.test(text)) return undefined;
  return { type: session === undefined ? "quote" : "session", text };
}

/**
 * What can be named now. Asked for, the line that shares most words with the question, else the newest note of a session; brought up unasked, only a line that
 * clearly speaks of the same, and only if that is wanted.
 */
export function recalledFor({ memory, told, text, asks_memory, may_recall, said }: Prompted): Recalled | undefined {
  if (!asks_memory && !may_recall) return undefined;
  const wanted = wordsOf(text);
  // What was said in this conversation is not looked up in the memory, and is asked for all the same.
  const here = asks_memory ? told.filter((line) => !/[?？]/u.test(line)).map((line) => `"${line.replaceAll(/["\n]/gu, " ")}"`) : [];
  const lines = [...memory, ...here]
    .flatMap((line) => quotable(line) ?? [])
    .filter((one) => (asks_memory || !said.includes(one.text)) && !text.includes(folded(one.text)));
  const scored = lines.map((one) => ({ one, score: [...wordsOf(one.text)].filter((word) => wanted.has(word)).length }));
  const best = scored.toSorted((a, b) => b.score - a.score)[0];
  if (best !== undefined && best.score >= (asks_memory ? 1 : 2)) return best.one;
  return asks_memory && wanted.size <= 1 ? lines.findLast(({ type }) => type === "session") : undefined;
}
