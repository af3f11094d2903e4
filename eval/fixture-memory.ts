/** A fixture as rows of a store, and the memory that the runtime makes of them. */
import { profileId, turnEntryId, type Rule, type Source } from "../packages/throughline/src/memory/entry.ts";
import { createMemoryIndex } from "../packages/throughline/src/memory/recall/memory-index.ts";
import type { RetrievalWeights } from "../packages/throughline/src/memory/recall/weights.ts";
import { MemoryView } from "../packages/throughline/src/memory/view.ts";
import type { SessionId } from "../packages/throughline/src/kernel/id.ts";
import type { JsonObject } from "../packages/throughline/src/kernel/json.ts";
import type { EntryRow } from "../packages/throughline/src/store/port.ts";
import type { Fixture } from "./fixtures.ts";
import { reader } from "./languages.ts";

/** Between two messages of a session. */
const pause = 60_000;

/** Where a message of a fixture was said; `n01:0` is the first one of session `n01`. */
export function sourceOf(fixture: Fixture, message: string): Source & { readonly at: number } {
  const [id, place] = message.split(":");
  const session = fixture.sessions.find((one) => one.id === id);
  const offset = Number(place);
  if (session?.messages[offset] === undefined) throw new Error(`There is no message ${message} of ${fixture.owner}.`);
  return { session_id: session.id as SessionId, offset, at: Date.parse(session.at) + offset * pause };
}

/** The id of a message's entry. */
export const entryOfMessage = (message: string): string => turnEntryId(message.split(":")[0] ?? "", Number(message.split(":")[1]));
/** The id of a fact's entry. */
export const entryOfFact = ({ owner }: Fixture, fact: string): string => `fact:${owner}:${fact}`;

const standing = (recorded_at: number): JsonObject => ({ recorded_at, sensitivity: "ordinary" });

function turnRows(fixture: Fixture): readonly Omit<EntryRow, "version">[] {
  return fixture.sessions.flatMap(({ id, messages }) =>
    messages.map(({ role, text }, place) => {
      const source = sourceOf(fixture, `${id}:${place}`);
      const data = { ...standing(source.at), type: "turn", text, source: { ...source }, episode: 0, ...(role === "user" ? {} : { role }) };
      return { entry_id: turnEntryId(source.session_id, place), kind: "turn", data, created_at: source.at };
    }),
  );
}

/** Facts as an extraction writes them; one that was replaced by then says by what. */
function factRows(fixture: Fixture, until: number): readonly Omit<EntryRow, "version">[] {
  const saidAt = new Map(fixture.facts.map(({ id, turn }) => [id, sourceOf(fixture, turn).at]));
  return fixture.facts.map(({ id, turn, category, subject, predicate, object, quote, superseded_by }) => {
    const source = sourceOf(fixture, turn);
    const replacedAt = saidAt.get(superseded_by ?? "");
    const replaced =
      superseded_by === undefined || replacedAt === undefined || replacedAt > until
        ? {}
        : { superseded_by: entryOfFact(fixture, superseded_by), retracted_at: replacedAt, valid_to: replacedAt };
    const said = { category, subject, predicate, object, quote, confidence: "medium", authority: "extraction", sources: [{ ...source }] };
    const data = { ...standing(source.at), type: "fact", ...said, written: "episode_end", reason: "It was said.", policy: "fixture", ...replaced };
    return { entry_id: entryOfFact(fixture, id), kind: "fact", data, created_at: source.at };
  });
}

function profileRow(fixture: Fixture, until: number): Omit<EntryRow, "version"> {
  const rules = fixture.rules.flatMap(({ id, turn, text, quote }): Rule[] => {
    const source = sourceOf(fixture, turn);
    if (source.at > until) return [];
    return [{ id, text, evidence: [quote], sources: [source], confidence: "medium", authority: "extraction", added_at: source.at }];
  });
  const data = { type: "profile", recall_enabled: true, rules, archived: [] };
  return { entry_id: profileId, kind: "profile", data: JSON.parse(JSON.stringify(data)) as JsonObject, created_at: until };
}

/** What lies in the store of all that was said before `until`, in the order of time. */
export function rowsOf(fixture: Fixture, until: number): readonly EntryRow[] {
  const said = [...turnRows(fixture), ...factRows(fixture, until)].filter(({ created_at }) => created_at < until);
  return [...said.toSorted((a, b) => a.created_at - b.created_at), profileRow(fixture, until)].map((row, place) => ({ ...row, version: place + 1 }));
}

/** The memory of rows, as the runtime reads them. */
export function memoryOf(rows: readonly EntryRow[], weights: RetrievalWeights): MemoryView {
  const view = new MemoryView({ index: createMemoryIndex({ weights, reader }), vectors: undefined });
  for (const row of rows) view.apply(row);
  if (view.unreadable > 0) throw new Error(`${view.unreadable} rows of a fixture cannot be read.`);
  return view;
}
