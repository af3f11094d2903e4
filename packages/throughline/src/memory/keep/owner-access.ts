/** Operations of a user on their memory in a store. */
import type { ExtensionContext } from "../../extension/port.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { objectGiven, present } from "../../kernel/json.ts";
import {
  correctFact,
  factGiven,
  keepFact,
  keepRule,
  marked,
  pinnedRule,
  profileWrite,
  textGiven,
  type FactKept,
  type Statement,
} from "../control/change-entries.ts";
import { exportedJson, exportedMarkdown } from "../control/export.ts";
import { matching } from "../control/hidden-words.ts";
import { allIds, noSession } from "../control/forget.ts";
import { listingOf, type MemorySnapshot, ruleOfId, sessionTargetId, statusOf } from "../control/snapshot-listing.ts";
import type { Correction, EntryVersion, ListedEntries, ListedEntry, Marks, MemoryConflict, OwnerMemory } from "../control/owner-memory.ts";
import { inForce, type EntryWrite, type Fact, type Kept, type Rule } from "../entry.ts";
import { conflictsIn } from "../write/fact-index.ts";
import { defaultVocabulary, type Vocabulary } from "../write/fact-vocabulary.ts";
import { pageAt } from "../../extension/lists.ts";
import { checkMembers, checkVersion } from "../../kernel/preconditions.ts";
import { changeMemory, readMemory, type MemoryChange, type Owner } from "./change-memory.ts";
import { forgetMemory } from "./forget-memory.ts";

/** Options of {@link createOwnerMemory}. */
export interface OwnerMemoryOptions {
  /** Returns the current owner. Throws if there is none, or if changes are not allowed. */
  readonly whose: () => Promise<Owner>;
  /** The session in which the user makes the change. Absent if the memory is accessed outside a session. */
  readonly session_id?: SessionId;
  /** Reads the memory. By default, reads the owner's current memory from the store. */
  readonly read?: () => Promise<MemorySnapshot>;
  /** Vocabulary of the agent's facts, used to detect contradictions. */
  readonly vocabulary?: () => Promise<Vocabulary | undefined>;
}

const kinds = ["fact", "turn", "arc", "rule"] as const;

function kindGiven(kind: unknown): void {
  if (kind === undefined || kinds.some((known) => known === kind)) return;
  throw new ThroughlineError("memory.invalid", `A kind of entry is one of ${kinds.join(", ")}, got ${seen(kind)}.`, { details: { path: "kind" } });
}

function wholeGiven(value: unknown, path: string, { from, to }: { readonly from: number; readonly to: number }): number {
  if (Number.isInteger(value) && Number(value) >= from && Number(value) <= to) return Number(value);
  throw new ThroughlineError("memory.invalid", `${path} is a whole number from ${from} to ${to}, got ${seen(value)}.`, { details: { path } });
}

function flagGiven(value: unknown, path: string): boolean {
  if (typeof value === "boolean") return value;
  throw new ThroughlineError("memory.invalid", `${path} is true or false, got ${seen(value)}.`, { details: { path } });
}

const missing = (entry_id: string): ThroughlineError =>
  new ThroughlineError("memory.entry_not_found", `There is no memory entry ${seen(entry_id)}.`, { details: { entry_ids: [entry_id] } });

function entryOf(memory: MemorySnapshot, entry_id: string): ListedEntry {
  const found = listingOf(memory).find((listed) => listed.entry_id === entry_id);
  if (found === undefined) throw missing(entry_id);
  return found;
}

function pageOf(memory: MemorySnapshot, options: NonNullable<Parameters<OwnerMemory["list"]>[0]>): ListedEntries {
  const { kind, all = false, limit = 100, ...place } = objectGiven(options, "memory.list");
  kindGiven(kind);
  const most = wholeGiven(limit, "limit", { from: 1, to: 100 });
  const wanted = listingOf(memory).filter((listed) => (all || listed.in_force) && (kind === undefined || listed.kind === kind));
  return { ...pageAt(wanted, { ...place, limit: most }), version: memory.version };
}

/** Returns the writes that mark an entry, or none if it is already marked. */
function markWrites(memory: MemorySnapshot, { entry_id, entry }: ListedEntry, { pinned, never_recall }: Marks): readonly EntryWrite[] {
  if ("type" in entry) return marked({ entry_id, entry }, present({ pinned, never_recall }));
  if (never_recall !== undefined)
    throw new ThroughlineError("memory.invalid", `${entry_id} is a rule, which is in force or forgotten.`, { details: { path: "entry_id" } });
  return pinned === undefined ? [] : pinnedRule(memory.profile, ruleOfId(entry_id) ?? "", pinned);
}

function conflictsOf(memory: MemorySnapshot, vocabulary: Vocabulary): readonly MemoryConflict[] {
  const facts = new Map(memory.facts.map((fact) => [fact.entry_id, fact]));
  return conflictsIn(memory.facts, vocabulary).flatMap(({ entries: [left, right], type }): readonly MemoryConflict[] => {
    const [older, newer] = [facts.get(left), facts.get(right)];
    return older === undefined || newer === undefined ? [] : [{ type, facts: [older, newer] }];
  });
}

/** Dependencies shared by the parts of an owner's memory. */
interface Access {
  readonly runtime: ExtensionContext;
  readonly whose: () => Promise<Owner>;
  readonly read: () => Promise<MemorySnapshot>;
  readonly change: <Result>(decide: (memory: MemorySnapshot) => MemoryChange<Result>) => Promise<Result>;
  readonly statement: () => Statement;
}

type Reading = Pick<OwnerMemory, "status" | "list" | "get" | "find" | "conflicts" | "export">;
type Changing = Omit<OwnerMemory, keyof Reading | "recall" | "forget" | "clear">;
type Forgetting = Pick<OwnerMemory, "forget" | "clear">;

function reading({ runtime, read }: Access, vocabulary: () => Promise<Vocabulary | undefined>): Reading {
  return {
    status: async () => statusOf(await read()),
    list: async (page = {}) => pageOf(await read(), page),
    get: async (entry_id) => entryOf(await read(), entry_id),
    find: async (text, found = {}) => {
      const limit = wholeGiven(found.limit ?? 20, "limit", { from: 1, to: 100 });
      return matching(listingOf(await read()), textGiven(text, "text", 2_000)).slice(0, limit);
    },
    conflicts: async () => conflictsOf(await read(), (await vocabulary()) ?? defaultVocabulary),
    export: exporting(read, () => runtime.clock.now()),
  };
}

/** Returns the corrected fact. A correction that was already made and is still active is not made again. */
function corrected(
  memory: MemorySnapshot,
  entry_id: string,
  { change, statement, options }: { readonly change: Correction; readonly statement: Statement; readonly options: EntryVersion },
): FactKept {
  const old = memory.facts.find((one) => one.entry_id === entry_id);
  if (old === undefined) throw missing(entry_id);
  checkVersion(options, old.version);
  const made = correctFact(memory, old, change, statement);
  if (inForce(old.entry)) return made;
  const there = memory.facts.find((one) => one.entry_id === made.kept.entry_id && inForce(one.entry));
  if (there === undefined || old.entry.superseded_by !== there.entry_id) throw missing(entry_id);
  return { kept: there, writes: [] };
}

function changing({ runtime, read, change, statement }: Access): Changing {
  const mark = async (entry_id: string, marks: Marks, options: EntryVersion = {}): Promise<ListedEntry> => {
    const given = objectGiven(marks, "memory.mark");
    checkMembers(given, ["pinned", "never_recall"], "memory.mark");
    for (const [name, value] of Object.entries(given)) flagGiven(value, name);
    await change((memory) => {
      const entry = entryOf(memory, entry_id);
      checkVersion(options, entry.version);
      return { writes: markWrites(memory, entry, given), result: undefined };
    });
    return entryOf(await read(), entry_id);
  };
  // Returns the entry with its assigned version.
  const keep = async (decide: (memory: MemorySnapshot) => FactKept): Promise<Kept<Fact>> => {
    const kept = await change((memory) => {
      const { kept: result, writes } = decide(memory);
      return { writes, result };
    });
    return (await read()).facts.find(({ entry_id }) => entry_id === kept.entry_id) ?? kept;
  };
  return {
    setRecall: async (enabled) => {
      const recall_enabled = flagGiven(enabled, "enabled");
      await change(({ profile }) => ({
        writes: profile.recall_enabled === recall_enabled ? [] : [profileWrite({ ...profile, recall_enabled })],
        result: undefined,
      }));
      return statusOf(await read());
    },
    savePreference: async (text) => {
      const rule = textGiven(text, "text", 280);
      return change((memory) => saved(memory, rule, runtime.clock.now()));
    },
    remember: async (fact) => {
      const given = factGiven(objectGiven(fact, "memory.remember"), statement());
      return keep((memory) => keepFact(memory, given));
    },
    correct: async (entry_id, correction, options = {}) => {
      const change = objectGiven(correction, "memory.correct");
      return keep((memory) => corrected(memory, entry_id, { change, statement: statement(), options }));
    },
    mark,
    pin: async (entry_id, pinned = true) => mark(entry_id, { pinned }),
    neverRecall: async (entry_id, value = true) => mark(entry_id, { never_recall: value }),
  };
}

function forgetting({ runtime, whose }: Access): Forgetting {
  return {
    forget: async (entry_ids, { messages = false, ...version } = {}) => {
      const given: unknown = entry_ids;
      if (!Array.isArray(given) || given.length === 0 || given.some((id) => typeof id !== "string"))
        throw new ThroughlineError("memory.invalid", `forget takes ids of entries, got ${seen(given)}.`, { details: { path: "entry_ids" } });
      const ids = (memory: MemorySnapshot): readonly string[] => {
        if (version.ifVersion !== undefined) for (const id of entry_ids) checkVersion(version, entryOf(memory, id).version);
        return entry_ids;
      };
      return forgetMemory(runtime, whose, { ids, messages: flagGiven(messages, "messages") });
    },
    clear: async (scope = {}) => {
      const { kind, messages = false } = objectGiven(scope, "memory.clear");
      kindGiven(kind);
      return forgetMemory(runtime, whose, { ids: (memory) => everything(memory, kind), messages: flagGiven(messages, "messages") });
    },
  };
}

/** Creates the memory of the owner that `whose` returns. */
export function createOwnerMemory(runtime: ExtensionContext, options: OwnerMemoryOptions): OwnerMemory {
  const { whose, session_id = noSession as SessionId, vocabulary = async () => undefined } = options;
  const access: Access = {
    runtime,
    whose,
    read: options.read ?? (async () => readMemory(runtime.store, (await whose()).owner_id)),
    change: (decide) => changeMemory(runtime, whose, decide),
    statement: () => {
      const now = runtime.clock.now();
      return { now, source: { session_id, offset: 0, at: now } };
    },
  };
  const recall: OwnerMemory["recall"] = async (text, given = {}) =>
    (await import("../turn/preview-recall.ts")).previewRecall(runtime, await whose(), text, given);
  return Object.freeze({ ...reading(access, vocabulary), recall, ...changing(access), ...forgetting(access) });
}

/** Returns all ids of a kind. Without a kind, returns all ids and the targets of sessions that still hold candidates. */
const everything = (memory: MemorySnapshot, kind?: ListedEntry["kind"]): readonly string[] => [
  ...allIds(memory, kind),
  ...(kind === undefined ? new Set(memory.buffers.map(({ entry }) => sessionTargetId(entry.session_id))) : []),
];

function saved(memory: MemorySnapshot, text: string, now: number): MemoryChange<Rule> {
  const { outcome, rule, writes } = keepRule(memory, text, { now, sources: [] });
  if (outcome === "unsafe" || outcome === "full")
    throw new ThroughlineError(
      "memory.invalid",
      outcome === "unsafe"
        ? "The preference would weaken what keeps the person safe."
        : "Every rule is pinned, and there are as many as there can be.",
      { details: { path: "text" } },
    );
  return { writes, result: rule };
}

function exporting(read: () => Promise<MemorySnapshot>, now: () => number): OwnerMemory["export"] {
  function exported(options: { readonly format: "json" }): Promise<ReturnType<typeof exportedJson>>;
  function exported(options: { readonly format: "markdown" }): Promise<string>;
  async function exported(options: { readonly format: "json" | "markdown" }): Promise<ReturnType<typeof exportedJson> | string> {
    const { format } = objectGiven(options, "memory.export");
    if (format !== "json" && format !== "markdown")
      throw new ThroughlineError("memory.invalid", `A memory is exported as json or markdown, got ${seen(format)}.`, { details: { path: "format" } });
    const memory = await read();
    return format === "json" ? exportedJson(memory, now()) : exportedMarkdown(memory, now());
  }
  return exported;
}
