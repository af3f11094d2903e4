/** What the state is given of a recall: the loaded fields that it declares for that, and numbers for its `diagnostics`. */
import type { JsonObject } from "../../kernel/json.ts";
import type { Recalled } from "../recalled.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { Turn } from "../../runtime/turn/begin.ts";

/** The name that recall has in a turn's journal and its timings. */
export const recallStage = "memory";

/** The fields that a recall is for, and what each is given. A state declares those that it wants, as `loaded`. */
const loadedFrom = {
  working_memory: ({ working_memory }: Recalled): unknown => working_memory,
  session_memory: ({ session_memory }: Recalled): unknown => session_memory,
  procedural_profile: ({ rules, recall_enabled }: Recalled): unknown => ({
    proactive_recall_enabled: recall_enabled,
    procedural_rules: rules.map(({ id, text }) => ({ id, text })),
  }),
} as const;

/** Name of the field that numbers about the recall are merged into, if the state has one that lives for the turn. */
const diagnosticsField = "diagnostics";

/** The values of the loaded fields that a state declares for its memory. */
export function loadedFields({ fields }: StateDefinition, recalled: Recalled): Readonly<Record<string, unknown>> {
  const declared = Object.entries(loadedFrom).filter(([name]) => Object.hasOwn(fields, name) && fields[name]?.lifecycle === "loaded");
  return Object.fromEntries(declared.map(([name, value]) => [name, structuredClone(value(recalled))]));
}

/** What a recall changes of a turn: exactly the fields of the memory, and numbers. */
export function recallDelta({ fields }: StateDefinition, { diagnostics }: Recalled): JsonObject {
  const { [diagnosticsField]: field } = fields;
  return field?.lifecycle === "turn" ? { [diagnosticsField]: { ...diagnostics } } : {};
}

/** Writes a recall to the turn: its journal entry, the loaded fields, the numbers. */
export function writeRecalled(
  { journal, agent }: Turn,
  recalled: Recalled,
  { record, quiet = false }: { readonly record?: { readonly ms: number; readonly record: JsonObject }; readonly quiet?: boolean },
): void {
  const writer = { type: "stage", name: recallStage } as const;
  if (!quiet) {
    const stage = record === undefined ? {} : { stage: { name: recallStage, ms: record.ms, control: {}, recall: record.record } };
    journal.apply(writer, recallDelta(agent.state, recalled), { writes: [diagnosticsField], ...stage });
  }
  journal.load(loadedFields(agent.state, recalled));
}
