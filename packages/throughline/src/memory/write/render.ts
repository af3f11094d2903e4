/** Renders entries as one line for prompts, listings and exports. */
import { present } from "../../kernel/json.ts";
import { type Arc, type Fact, inForce, type Recallable, type RememberedTurn } from "../entry.ts";
import type { WorkingMemoryEntry } from "../recalled.ts";

/** Puts a text on one line, so that it cannot imitate the next line of its surroundings. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\u0085\u2028\u2029]+/gu, " ").trim();

/** Returns the day of a time in UTC: `2026-11-21`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

interface Triple {
  readonly category?: string | undefined;
  readonly subject?: string | undefined;
  readonly predicate?: string | undefined;
  readonly object?: string | undefined;
}

/** Returns `[category] subject PREDICATE object - "quote"`, or `previously noted: "quote"` without a complete triple. Returns undefined for a blank quote. */
function tripleLine({ category, subject, predicate, object }: Triple, quote: string): string | undefined {
  const said = oneLine(quote);
  if (said === "") return undefined;
  const parts = [subject, predicate?.replaceAll("_", " "), object].map((part) => oneLine(part ?? ""));
  if (parts.includes("")) return `previously noted: "${said}"`;
  const label = oneLine(category ?? "");
  return `${label === "" ? "" : `[${label}] `}${parts.join(" ")} - "${said}"`;
}

/** Returns a name in readable form: `action_step` becomes `Action step`. */
function labelOf(name: string): string {
  const words = oneLine(name.replaceAll("_", " "));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type Told = Pick<Arc, "summary" | "themes" | "approach" | "approach_context">;

/** Returns `last session [themes, APPROACH]: summary [Action step: …]`. Returns undefined for a blank summary. */
function arcLine({ summary, themes, approach, approach_context = {} }: Told): string | undefined {
  const told = oneLine(summary);
  if (told === "") return undefined;
  const used = approach === undefined || approach.toLowerCase() === "none" ? [] : [approach.toUpperCase()];
  const tags = [...themes, ...used].map(oneLine).filter((tag) => tag !== "");
  const fragments = Object.entries(approach_context).filter(([, text]) => oneLine(text) !== "");
  const context = fragments.map(([name, text]) => ` [${labelOf(name)}: ${oneLine(text)}]`).join("");
  return `last session [${tags.length === 0 ? "untagged" : tags.join(", ")}]: ${told}${context}`;
}

/** Renders a fact. An inactive fact shows the end of its validity. */
export function renderFact(fact: Fact): string | undefined {
  const line = tripleLine({ ...fact, subject: fact.subject.id, object: fact.object.id }, fact.quote);
  const until = fact.valid_to ?? fact.retracted_at;
  return line === undefined || inForce(fact) || until === undefined ? line : `${line} (was so until ${dayOf(until)})`;
}

/** Renders a turn with its speaker. A legacy text is returned unchanged. */
export function renderTurn(turn: RememberedTurn): string | undefined {
  if (turn.legacy === true) return turn.text.trim() === "" ? undefined : turn.text;
  const said = oneLine(turn.text);
  if (said === "") return undefined;
  const speaker = turn.speaker === undefined ? (turn.role === "assistant" ? "you said" : undefined) : oneLine(turn.speaker);
  return speaker === undefined ? `"${said}"` : `${speaker}: "${said}"`;
}

/** Renders an arc. */
export const renderArc = (arc: Arc): string | undefined => arcLine(arc);

/** Renders an entry without its date. Returns undefined if it has no text. */
export function renderEntry(entry: Recallable): string | undefined {
  if (entry.type === "fact") return renderFact(entry);
  return entry.type === "turn" ? renderTurn(entry) : renderArc(entry);
}

/** Returns the time of the statement, or the end of an arc. Lines show it and are ordered by it. */
export function timeOf(entry: Recallable): number {
  if (entry.type === "turn") return entry.source.at;
  return entry.type === "arc" ? entry.ended_at : entry.sources[0].at;
}

/** Renders an entry with its date: `2026-11-21 [loss] user EXPERIENCED …`. Legacy entries have no date and are returned unchanged. */
export function renderDated(entry: Recallable): string | undefined {
  const line = renderEntry(entry);
  return line === undefined || (entry.type === "turn" && entry.legacy === true) ? line : `${dayOf(timeOf(entry))} ${line}`;
}

/** Returns an entry in the form of working memory. Returns undefined for an arc or fact without text. */
export function workingMemoryOf(entry_id: string, entry: Recallable, options: { readonly catchUp?: boolean } = {}): WorkingMemoryEntry | undefined {
  if (renderEntry(entry) === undefined) return undefined;
  if (entry.type === "turn") return { type: "semantic", entry_id, evidence_quote: entry.text };
  if (entry.type === "fact") {
    const { category, subject, predicate, object, quote } = entry;
    return { type: "semantic", entry_id, evidence_quote: quote, category, subject: subject.id, predicate, object: object.id };
  }
  const { summary, themes, approach, approach_context } = entry;
  return {
    type: "episodic",
    entry_id,
    summary,
    primary_themes: themes,
    is_catch_up: options.catchUp ?? false,
    ...present({ approach_used: approach, approach_context }),
  };
}

/** Renders an entry of working memory. Text from older states is returned unchanged. Returns undefined if it has no text. */
export function renderWorkingMemory(entry: WorkingMemoryEntry | string): string | undefined {
  if (typeof entry === "string") return entry;
  if (entry.type === "semantic") return tripleLine(entry, entry.evidence_quote);
  const { summary, primary_themes: themes, approach_used: approach, approach_context } = entry;
  return arcLine({
    summary,
    themes,
    ...present({ approach, approach_context }),
  });
}
