import { ThroughlineError } from "../../kernel/error.ts";
import type { SafetyPhrases } from "./phrases.ts";

/** The sentences for a language as the screen names it: of the language itself, of the one that it is a form of (`hi` for `hi-Latn`), or the first ones. */
export function phrasesFor(list: readonly SafetyPhrases[], language?: string): SafetyPhrases {
  const [first] = list;
  if (first === undefined) throw new ThroughlineError("safety.invalid", "The gate has no phrases: it needs those of one language at least.");
  const wanted = language?.toLowerCase() ?? "";
  const [base = ""] = wanted.split("-");
  const named = (name: string): SafetyPhrases | undefined => list.find(({ language: known }) => known.toLowerCase() === name);
  return (
    named(wanted) ??
    named(base) ??
    (base === "" ? undefined : list.find(({ language: known }) => known.toLowerCase().startsWith(`${base}-`))) ??
    first
  );
}
