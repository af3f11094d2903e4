/** Working memory as people and models read it, at two places only: the prompt, where a caller gives it, and the dispatch. */
import type { CompanionState } from "../state.ts";

type WorkingMemoryEntry = CompanionState["working_memory"][number];

/** What an approach noted of a session, by its key, as it is shown. */
const fragments: Readonly<Record<string, string>> = {
  thought: "Thought",
  action_step: "Action step",
  tool: "Tool",
  readiness: "Readiness",
  change_talk: "Change talk",
  values: "Values",
  committed_action: "Committed action",
  person_lost: "Person lost",
};

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

/** One entry in one line; undefined for one that says nothing. A line of an older program is shown as it is. */
export function formatWorkingMemoryEntry(entry: WorkingMemoryEntry): string | undefined {
  if (typeof entry === "string") return entry.trim() === "" ? undefined : entry;
  if (entry.type === "episodic") return episode(entry);
  const quote = oneLine(entry.evidence_quote);
  if (quote === "") return undefined;
  const { category, subject, predicate, object } = entry;
  if (!subject || !predicate || !object) return `Previously noted: "${quote}"`;
  return `[${category ?? "context"}] ${subject} ${predicate.replaceAll("_", " ")} ${object} — "${quote}"`;
}

function episode({
  summary,
  primary_themes,
  approach_used,
  approach_context,
}: Extract<WorkingMemoryEntry, { readonly type: "episodic" }>): string | undefined {
  if (oneLine(summary) === "") return undefined;
  const approach = approach_used === undefined || approach_used === "" || approach_used === "none" ? [] : [approach_used.toUpperCase()];
  const tags = [...primary_themes, ...approach].filter((tag) => tag.trim() !== "");
  const noted = Object.entries(approach_context ?? {}).flatMap(([key, text]) =>
    oneLine(text) === "" ? [] : [`[${fragments[key] ?? key}: ${oneLine(text)}]`],
  );
  return [`Last session (${tags.length === 0 ? "untagged" : tags.join(", ")}): ${oneLine(summary)}`, ...noted].join(" ");
}

/** The entries that say something, one line each. */
export const formatWorkingMemory = (entries: readonly WorkingMemoryEntry[]): readonly string[] =>
  entries.map(formatWorkingMemoryEntry).filter((line) => line !== undefined);
