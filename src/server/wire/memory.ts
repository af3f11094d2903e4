/** What is remembered, on the wire: of each entry the members that are declared for the audience, and no other. */
import { type Audience, type Descriptor, shownTo } from "../../kernel/descriptor.ts";
import type { ExportedMemory, ListedEntry } from "../../memory/control/owner-memory.ts";
import { entries, type Fact, type Kept, ruleEntry, type Rule } from "../../memory/entry.ts";
import { type Writable, writable } from "./writable.ts";

/** An entry as it is shown. */
// Its schema on the wire is made from the same declaration.
const shownEntry = <Entry extends object>(declared: Descriptor<Entry>, entry: Entry, to: Audience): Writable<Entry> =>
  shownTo(declared, entry, to) as Writable<Entry>;

const shownKept =
  <Entry extends object>(declared: Descriptor<Entry>, to: Audience) =>
  ({ entry_id, version, entry }: Kept<Entry>) => ({ entry_id, version, entry: shownEntry(declared, entry, to) });

/** A rule of how to talk with the person. */
export const toWireRule = (rule: Rule, to: Audience): Writable<Rule> => shownEntry(ruleEntry, rule, to);

/** A fact with its id. */
export const toWireFact = (fact: Kept<Fact>, to: Audience) => shownKept(entries.fact, to)(fact);

const listed: Readonly<Record<ListedEntry["kind"], Descriptor>> = { ...entries, rule: ruleEntry };

/** A thing that is remembered, as it is listed. */
export const toWireEntry = (entry: ListedEntry, to: Audience): Writable<ListedEntry> =>
  writable({ ...entry, entry: shownEntry(listed[entry.kind] as Descriptor<ListedEntry["entry"]>, entry.entry, to) });

/** All that is remembered. */
export const toWireExport = ({ facts, turns, arcs, profile, held, masks, ...rest }: ExportedMemory, to: Audience) => ({
  ...rest,
  facts: facts.map(shownKept(entries.fact, to)),
  turns: turns.map(shownKept(entries.turn, to)),
  arcs: arcs.map(shownKept(entries.arc, to)),
  profile: shownEntry(entries.profile, profile, to),
  held: held.map(({ entry_id, data }) => ({ entry_id, data: shownTo(entries.buffer, data as object, to) ?? {} })),
  masks: writable(masks),
});
