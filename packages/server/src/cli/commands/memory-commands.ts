/** Commands that show and change a memory, directly from the database. */
import { ThroughlineError, type OwnerId } from "throughline/kernel";
import { getCustomer, isIncognito, type RuntimeContext, present } from "throughline/internal";
import { cacheOf, createOwnerMemory, createSessionMemory, matching, recall, type Recalled, textGiven, whyOf } from "throughline/internal/memory";
import type { ListedEntry, OwnerMemory, MemorySettings } from "throughline/memory";
import type { SessionRow } from "throughline/store";
import type { Store } from "throughline";
import { type CommandContext, confirmByWord, idleContext, withStore } from "../command-context.ts";
import { loadAgent, requireAgent } from "../load-agent.ts";
import { withProgress } from "../progress-line.ts";
import { endedLines, entryLines, forgottenLine, nothingRecalled, statusLines, whyLines } from "../memory-view.ts";
import { chosenSession } from "../read-session.ts";
import { clip, printable } from "../terminal-text.ts";

/** Selects a memory by customer or by session. The default is the most recently used session. */
export interface WhoseMemory {
  readonly customer?: string;
  readonly session?: string;
}

/** An open memory. */
interface OpenMemory {
  readonly store: Store;
  readonly runtime: RuntimeContext;
  readonly memory: OwnerMemory;
  /** The owner for display: a customer id or a session id. */
  readonly whose: string;
  readonly owner: { readonly owner_id: OwnerId; readonly version: number };
  /** The session that selected the memory. */
  readonly session?: SessionRow;
}

/** Opens a memory for `work`. Throws `cli.usage` if both a customer and a session are named. */
async function withMemory<Result>(
  context: CommandContext,
  { customer, session }: WhoseMemory,
  work: (open: OpenMemory) => Promise<Result>,
): Promise<Result> {
  if (customer !== undefined && session !== undefined) throw new ThroughlineError("cli.usage", "Name either --customer or --session.");
  return withStore(context, async (store) => {
    const runtime = idleContext(store, context);
    if (customer !== undefined) {
      const { owner_id, version } = await getCustomer(store, customer);
      const memory = createOwnerMemory(runtime, { whose: () => getCustomer(store, customer) });
      return work({ store, runtime, memory, whose: customer, owner: { owner_id, version } });
    }
    const row = await chosenSession(context, store, session);
    const memory = createSessionMemory(runtime, row.session_id);
    const whose = row.customer_id === undefined ? row.session_id : `${row.customer_id} (by ${row.session_id})`;
    return work({ store, runtime, memory, whose, owner: { owner_id: row.owner_id, version: row.owner_version }, session: row });
  });
}

/** `memory status`: shows the size of a memory. */
export async function showStatus(context: CommandContext, whose: WhoseMemory): Promise<void> {
  const { output } = context;
  const { status, name } = await withMemory(context, whose, async ({ memory, whose: named }) => ({ status: await memory.status(), name: named }));
  if (output.json) return output.document({ status });
  output.err.line(output.err.paint("dim", `Memory of ${printable(name)}:`));
  output.out.line(statusLines(status));
}

/** `memory list`: lists the entries by time of writing. */
export async function listMemory(
  context: CommandContext,
  {
    customer,
    session,
    ...page
  }: WhoseMemory & { readonly kind?: ListedEntry["kind"]; readonly all?: true; readonly limit: number; readonly cursor?: string },
): Promise<void> {
  const { output } = context;
  const listed = await withMemory(context, present({ customer, session }), ({ memory }) => memory.list(page));
  if (output.json) return output.document(listed);
  if (listed.items.length === 0) return output.err.line("Nothing is remembered.");
  output.out.line(entryLines(listed.items, output.out));
  if (listed.next_cursor !== null) output.err.line(`${listed.total} in all. More: --cursor ${listed.next_cursor}`);
}

/** Runs a recall for a text; empty if the session is incognito. */
async function recalledFor({ runtime, owner, session }: OpenMemory, text: string, settings: MemorySettings): Promise<Recalled | undefined> {
  if (session !== undefined && isIncognito(session)) return undefined;
  const { view, completing } = await cacheOf(runtime).of(owner.owner_id, settings, owner.version);
  await completing;
  const { charactersOverFour } = await import("throughline/context");
  return recall(view, { text, now: runtime.clock.now(), opening: false }, { ...settings, count: (line) => charactersOverFour.count(line) });
}

/** `memory search`: shows the items that a turn would recall for a text, and why. Ranks by words, with the settings of the named agent. */
export async function searchMemory(
  context: CommandContext,
  words: readonly string[],
  { agent, ...whose }: WhoseMemory & { readonly agent?: string },
): Promise<void> {
  const { output } = context;
  const text = words.join(" ");
  if (text.trim() === "") throw new ThroughlineError("cli.usage", "There is nothing to search for.");
  const { memory, memoryOf } = await import("throughline/memory");
  const settings = memoryOf(agent === undefined ? undefined : await loadAgent(agent)) ?? memory();
  const recalled = await withMemory(context, whose, (open) => recalledFor(open, text, settings));
  if (output.json) return output.document({ items: recalled?.items ?? [], diagnostics: recalled?.diagnostics ?? null });
  if (recalled === undefined) return output.err.line("The session is incognito: nothing is recalled in it.");
  for (const line of whyLines(recalled, output.out)) output.out.line(line);
}

/** `memory why`: shows the items that a turn recalled, and why. */
export async function showWhy(context: CommandContext, session: string | undefined, which: { readonly turn?: string }): Promise<void> {
  const { output } = context;
  const why = await withStore(context, async (store) => whyOf(store, await chosenSession(context, store, session), which));
  if (output.json) return output.document({ why: why ?? null });
  if (why === undefined) return output.err.line(nothingRecalled);
  for (const line of whyLines(why, output.out)) output.out.line(line);
}

/** `memory correct`: corrects a fact. */
export async function correctMemory(
  context: CommandContext,
  entry: string,
  object: string,
  { quote, ...whose }: WhoseMemory & { readonly quote?: string },
): Promise<void> {
  const { output } = context;
  const fact = await withMemory(context, whose, ({ memory }) => memory.correct(entry, { object, ...present({ quote }) }));
  output.result({ fact }, () => `${fact.entry_id}\n${printable(`“${fact.entry.quote}”`)}`);
}

/** `memory pin` and `memory never-recall`: adds or removes a mark. */
export async function markMemory(
  context: CommandContext,
  whose: WhoseMemory,
  { entry, ...marks }: { readonly entry: string; readonly pinned?: boolean; readonly never_recall?: boolean },
): Promise<void> {
  const { output } = context;
  const listed = await withMemory(context, whose, ({ memory }) => memory.mark(entry, marks));
  output.result({ entry: listed }, () => entryLines([listed], output.out));
}

/** `memory recall on|off`: controls whether the agent may mention memories on its own. */
export async function setRecall(context: CommandContext, to: "on" | "off", whose: WhoseMemory): Promise<void> {
  const { output } = context;
  const enabled = to === "on";
  const status = await withMemory(context, whose, ({ memory }) => memory.setRecall(enabled));
  output.result({ status }, () => (enabled ? "The agent may mention memories on its own." : "The agent does not mention memories on its own."));
}

/** All entries in force. */
async function allOf(memory: OwnerMemory): Promise<readonly ListedEntry[]> {
  const all: ListedEntry[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await memory.list(cursor === undefined ? {} : { cursor });
    all.push(...page.items);
    cursor = page.next_cursor;
  }
  return all;
}

/** Flags of the commands that remove entries. */
interface RemovalFlags {
  readonly messages?: boolean;
  readonly yes?: boolean;
}

/** `memory forget`: forgets entries by id or by their words, after a confirmation. */
export async function forgetMemory(
  context: CommandContext,
  entries: readonly string[],
  { query, messages = false, yes = false, ...whose }: WhoseMemory & RemovalFlags & { readonly query?: string },
): Promise<void> {
  const { output } = context;
  if (entries.length === 0 && query === undefined)
    throw new ThroughlineError("cli.usage", "Name ids of entries, or words with --query.", { hint: "`throughline memory list` has the ids." });
  const forgotten = await withMemory(context, whose, async ({ memory }) => {
    const named = await Promise.all(entries.map((id) => memory.get(id)));
    const items = query === undefined ? named : [...named, ...matching(await allOf(memory), textGiven(query, "query", 2_000))];
    if (items.length === 0) return undefined;
    for (const { text } of items) output.err.line(`  ${clip(text, 120)}`);
    if (!yes)
      await confirmByWord(context, {
        word: "forget",
        what: `${items.length === 1 ? "This is" : `These ${items.length} are`} removed for good, along with derived entries.`,
      });
    return memory.forget([...new Set(items.map(({ entry_id }) => entry_id))], { messages });
  });
  output.result({ forgotten: forgotten ?? null }, () => (forgotten === undefined ? "No memory contains these words." : forgottenLine(forgotten)));
}

/** `memory clear`: forgets all entries, or all of a kind, after a confirmation. */
export async function clearMemory(
  context: CommandContext,
  { kind, messages = false, yes = false, ...whose }: WhoseMemory & RemovalFlags & { readonly kind?: ListedEntry["kind"] },
): Promise<void> {
  const { output } = context;
  const forgotten = await withMemory(context, whose, async ({ memory, whose: named }) => {
    const what = `${kind === undefined ? "Everything" : `Every ${kind}`} in the memory of ${printable(named)} is removed for good.`;
    if (!yes) await confirmByWord(context, { word: "clear", what });
    return memory.clear({ messages, ...present({ kind }) });
  });
  output.result({ forgotten }, () => forgottenLine(forgotten));
}

/** `memory export`: prints the whole memory. */
export async function exportMemory(
  context: CommandContext,
  { format, ...whose }: WhoseMemory & { readonly format: "json" | "markdown" },
): Promise<void> {
  const { output } = context;
  if (output.json || format === "json") return output.document(await withMemory(context, whose, ({ memory }) => memory.export({ format: "json" })));
  output.out.line(printable(await withMemory(context, whose, ({ memory }) => memory.export({ format: "markdown" }))).trimEnd());
}

/** `memory close`: ends the episode of a session and shows the memories that remain of it. */
export async function closeEpisode(
  context: CommandContext,
  session: string | undefined,
  { agent: module }: { readonly agent?: string },
): Promise<void> {
  const { output } = context;
  const agent = await loadAgent(module);
  const { createRuntime } = await import("throughline");
  const ended = await withStore(context, async (store) => {
    const row = await chosenSession(context, store, session);
    requireAgent(agent, row.agent);
    const runtime = await createRuntime({ store, agents: [agent], work: false });
    try {
      const open = await runtime.sessions.get(row.session_id);
      return await withProgress(context, { doing: "Remembering" }, () => open.closeEpisode());
    } finally {
      await runtime.close();
    }
  });
  output.result(ended, () => endedLines(ended));
}
