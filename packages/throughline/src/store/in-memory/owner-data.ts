/** The variables and memory entries of owners in the reference model, with their versions. */
import type { SessionId } from "../../kernel/id.ts";
import {
  agentOwnerId,
  type EntriesRequest,
  type EntryRow,
  type OwnerChange,
  sessionOwnerId,
  type VariablesQuery,
  type VariablesRow,
} from "../port.ts";
import { checkEntries } from "../request.ts";
import { type Book, copyOf, type OwnerRecord, type StoredVariable, firstFrom } from "./book.ts";

/** Sets variables under the owner's newest version, and records checks. */
export function setVariables(owner: OwnerRecord, { variables = [], checked = [] }: OwnerChange, at: number): void {
  const version = owner.variablesVersion;
  // The last write of a name counts, as does the last check.
  for (const [name, value] of new Map(variables.map((variable) => [variable.name, variable.value]))) {
    const former = owner.variables.get(name);
    if (former !== undefined) owner.replaced.push(former);
    owner.variables.set(name, { name, version, value: value === undefined ? null : JSON.stringify(value), set_at: at, checked_at: at, stale: false });
  }
  for (const [name, stale] of new Map(checked.map((variable) => [variable.name, variable.stale]))) {
    const variable = owner.variables.get(name);
    if (variable !== undefined) owner.variables.set(name, { ...variable, stale, checked_at: stale ? variable.checked_at : at });
  }
}

const inOrder = ({ name: left }: StoredVariable, { name: right }: StoredVariable): number => (left < right ? -1 : 1);

function rowOf(version: number, variables: Iterable<StoredVariable>): VariablesRow {
  const set = [...variables].filter(({ value }) => value !== null).toSorted(inOrder);
  return copyOf({
    version,
    values: Object.fromEntries(set.map(({ name, value }) => [name, JSON.parse(String(value)) as unknown])),
    checked: Object.fromEntries(set.map(({ name, checked_at }) => [name, checked_at])),
    stale: set.flatMap(({ name, stale }) => (stale ? [name] : [])),
  }) as VariablesRow;
}

/** Returns the current variables of an owner, or none if the owner does not exist. */
export const variablesOf = (owner: OwnerRecord | undefined): VariablesRow => rowOf(owner?.variablesVersion ?? 0, owner?.variables.values() ?? []);

/** Returns the session's own variables, and those of its agent. */
export function scopesOf(book: Book, session: SessionId, agent: string): Record<"session_variables" | "agent_variables", VariablesRow> {
  const of = (owner: ReturnType<typeof agentOwnerId>): VariablesRow => variablesOf(book.owners.get(owner));
  return { session_variables: of(sessionOwnerId(session)), agent_variables: of(agentOwnerId(agent)) };
}

/** Returns the variables of an owner, now or at an earlier time. */
export function variablesAsOf(book: Book, { owner_id, version, at }: VariablesQuery): readonly VariablesRow[] {
  const owner = book.owners.get(owner_id);
  if (owner === undefined || (version ?? 0) > owner.variablesVersion) return [];
  const all = [...owner.replaced, ...owner.variables.values()];
  const versions = all.filter(({ set_at }) => set_at <= (at ?? Infinity)).map((variable) => variable.version);
  const upto = Math.min(version ?? Infinity, at === undefined ? owner.variablesVersion : Math.max(0, ...versions));
  const latest = new Map<string, StoredVariable>();
  for (const variable of all.toSorted((left, right) => left.version - right.version))
    if (variable.version <= upto) latest.set(variable.name, variable);
  return [rowOf(upto, latest.values())];
}

/** Writes entries, each as the next version. One without data removes all earlier versions of its entry. */
export function writeEntries(owner: OwnerRecord, entries: NonNullable<OwnerChange["entries"]>, at: number): void {
  const first = (owner.entries.at(-1)?.version ?? 0) + 1;
  const rows = entries.map(({ entry_id, kind, data }, index) => copyOf({ version: first + index, entry_id, kind, data, created_at: at }));
  const removed = new Map(rows.flatMap(({ entry_id, version, data }) => (data === null ? [[entry_id, version] as const] : [])));
  const all = [...owner.entries, ...rows];
  owner.entries = removed.size === 0 ? all : all.filter(({ entry_id, version }) => version >= (removed.get(entry_id) ?? 0));
}

/** Returns a page of an owner's entries. */
export function entriesOf(book: Book, request: EntriesRequest): readonly EntryRow[] {
  checkEntries(request);
  const { owner_id, min_version = 0, max_version = Infinity, entry_id, kinds, limit = 1000, newest = false } = request;
  const rows = book.owners.get(owner_id)?.entries ?? [];
  const [first, end] = [min_version, max_version + 1].map((from) => firstFrom(rows, ({ version }) => version < from)) as [number, number];
  const found: EntryRow[] = [];
  for (let place = 0; place < end - first && found.length < limit; place++) {
    const row = rows[newest ? end - 1 - place : first + place];
    if (row !== undefined && (entry_id ?? row.entry_id) === row.entry_id && (kinds === undefined || kinds.includes(row.kind))) found.push(row);
  }
  return newest ? found.toReversed() : found;
}
