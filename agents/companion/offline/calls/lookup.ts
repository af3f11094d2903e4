/** The calls `lookup_preflight` and `lookup_answer`: what can be looked up, and sentences out of what was found, word for word. */
import type { Json } from "throughline";
import { extractAnswer } from "../../lookup/extract.ts";
import { sourceQualities, type FoundSource } from "../../lookup/provider.ts";
import { inEnglish } from "../understand/terms.ts";
import { folded, lengthOf } from "../words/fold.ts";
import type { Asked } from "./asked.ts";

/** Questions that no page answers: about this person, about what is best, about somebody unnamed. */
const personal =
  /\b(?:should i|am i|will i|do you (?:think|like|love)|my (?:life|mother|mum|mom|father|dad|partner|husband|wife|boyfriend|girlfriend|boss|friend|future|marriage|relationship)|who is right|is (?:he|she) right|meaning of life|the best (?:person|friend|country|music|film))\b/u;

/** The answer to `lookup_preflight`. */
export function lookupPreflight({ message }: Asked): Json {
  const text = folded(message);
  const refuse = (reasoning: string): Json => ({ status: "no_verified_answer", search_query: "", answer: "", reasoning });
  if (lengthOf(text) < 1) return refuse("nothing is asked");
  if (personal.test(text)) return refuse("about this person, or a matter of taste: no source can answer it");
  return {
    status: "search",
    search_query: inEnglish(message.trim().replaceAll(/\s+/gu, " ")).slice(0, 280),
    answer: "",
    reasoning: "a question of fact",
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function sourcesIn({ members }: Asked): readonly FoundSource[] {
  const given = members["sources"];
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null) return [];
    const page: Readonly<Record<string, unknown>> = { ...one };
    const quality = sourceQualities.find((known) => known === page["quality"]) ?? "none";
    return [{ title: textOf(page["title"]), url: textOf(page["url"]), text: textOf(page["text"]), quality }];
  });
}

/** The answer to `lookup_answer`. */
export function lookupAnswer(asked: Asked): Json {
  const found = sourcesIn(asked);
  const claims = extractAnswer(inEnglish(asked.message), found);
  const used = found.filter(({ url }) => claims.some(({ source }) => source === url));
  const none = claims.length === 0;
  return {
    status: none ? "no_verified_answer" : "answered",
    answer: claims
      .map(({ text }) => text)
      .join(" ")
      .slice(0, 2_000),
    sources: used.map(({ title, url }) => ({ title: title.slice(0, 300), url: url.slice(0, 400) })),
    source_quality: used[0]?.quality ?? "none",
    reasoning: none ? "nothing that was found speaks of it" : "sentences of the first source, word for word",
  };
}
