/** Lists, shows, identifies and forks sessions. */
import {
  decodeState,
  damagedIn,
  endsOf,
  getCustomer,
  importMark,
  joinVariables,
  type Lineage,
  lineageOf,
  messagesOf,
  openSince,
  scopedVariables,
  type SessionEnd,
  subagentLabel,
  toInfo,
  present,
  waitingSessions,
  type WaitsFor,
} from "throughline/internal";
import { type Clock, ThroughlineError, parseSessionId } from "throughline/kernel";
import type { ModelRequest, Agent, Message, SessionInfo, Store } from "throughline";
import { foldState, decodeEvent } from "throughline/session";
import type { HandoverStatus, LoadedSession, Page, SessionMode, SessionRow } from "throughline/store";
import { type CommandContext, idleContext, withStore, writerOf } from "../command-context.ts";
import { followUp } from "../database-location.ts";
import { requested } from "../describe-event.ts";
import { loadAgent, requireAgent } from "../load-agent.ts";
import { chosenSession, loadAt, openTurn } from "../read-session.ts";
import { ago, clip, indent, printable, table } from "../terminal-text.ts";

/** Listing and showing a session need no command of the runtime, so its modules load on demand. */
const runtimeOf = () => import("throughline/internal/runtime");

/** Filters of `sessions list`. */
interface ListFlags {
  readonly limit: number;
  readonly cursor?: string;
  readonly agentName?: string;
  readonly customer?: string;
  readonly mode?: SessionMode;
  readonly handover?: HandoverStatus;
  readonly operator?: string;
  readonly label?: readonly string[];
  readonly after?: number;
  readonly before?: number;
  readonly waits?: WaitsFor;
  readonly search?: string;
  readonly children?: boolean;
}

/** A session's row, with what it waits for and its last message. */
interface Found {
  readonly row: SessionRow;
  readonly end: SessionEnd;
}

/** Returns a page of sessions, newest first. */
async function sessionsFound(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  {
    limit,
    cursor,
    agentName: agent,
    customer,
    mode,
    handover,
    operator,
    label: labels,
    after,
    before,
    waits,
    search: q,
    children = false,
  }: ListFlags,
): Promise<Page<Found>> {
  const owner_id = customer === undefined ? undefined : (await getCustomer(store, customer)).owner_id;
  const query = {
    of: "sessions",
    order: "desc",
    ...(children ? {} : { without_labels: [subagentLabel] }),
    ...present({ agent, owner_id, mode, handover, operator, labels, updated_from: after, updated_before: before }),
    ...(waits === undefined ? {} : { running: true as const }),
  } as const;
  if (q === undefined && waits !== undefined) return waitingSessions({ store, clock }, { ...query, limit, ...present({ cursor }) }, waits);
  const page =
    q === undefined ? await store.list({ ...query, limit, ...present({ cursor }) }) : await searched({ store, query }, { q, cursor, limit });
  const ends = await endsOf(
    { store, clock },
    page.items.map(({ session_id }) => session_id),
  );
  const items = page.items.map((row) => ({ row, end: ends.of.get(row.session_id) ?? {} }));
  return { ...page, ...damagedIn(page, ends), items: waits === undefined ? items : items.filter(({ end }) => end.waits_for?.includes(waits)) };
}

type Searching = Parameters<Awaited<ReturnType<typeof runtimeOf>>["searchSessions"]>;

async function searched({ store, query }: { readonly store: Store; readonly query: Searching[1] }, words: Searching[2]): Promise<Page<SessionRow>> {
  const { searchSessions } = await runtimeOf();
  const found = await searchSessions(store, query, words);
  return { ...found, items: found.items.map(({ row }) => row) };
}

/** `sessions list`: lists sessions, newest first. */
export async function listSessions(context: CommandContext, flags: ListFlags): Promise<void> {
  const { output, clock } = context;
  const page = await withStore(context, (store) => sessionsFound({ store, clock }, flags));
  const isFiltered = Object.keys(flags).some((name) => name !== "limit" && name !== "children");
  const sessions = page.items.map(({ row, end }) => ({ ...toInfo(row), ...end }));
  const { total, next_cursor, damaged = [] } = page;
  if (output.json) return output.document({ sessions, total, next_cursor, ...(damaged.length === 0 ? {} : { damaged }) });
  for (const place of damaged) output.err.line(`Not shown: ${place} is damaged.`);
  if (sessions.length === 0 && damaged.length > 0) return;
  if (sessions.length === 0 && isFiltered) return output.err.line("No session matches.");
  if (sessions.length === 0) return output.err.line(`There is no session yet. Start one with \`${followUp(context, "chat")}\`.`);
  const now = clock.now();
  const rows = sessions.map((info) => [
    info.id,
    info.agent,
    clip(info.customer_id ?? "-", 24),
    info.labels.some((label) => label.startsWith(importMark)) ? "importing" : answering(info),
    info.waits_for?.join(", ") ?? "-",
    String(info.turns),
    String(info.head),
    ago(info.updated_at, now),
    clip(info.title ?? "", 40),
    clip(info.last_message?.text ?? "", 40),
  ]);
  output.out.line(table([["ID", "AGENT", "CUSTOMER", "ANSWERS", "WAITS FOR", "TURNS", "HEAD", "UPDATED", "TITLE", "LAST MESSAGE"], ...rows]));
  if (page.next_cursor !== null)
    output.err.line(output.err.paint("dim", `${sessions.length} of ${page.total}; more with --cursor ${page.next_cursor}`));
}

/** Who answers: the agent, an operator, or nobody yet. */
const answering = ({ mode, handover }: Pick<SessionInfo, "mode" | "handover">): string =>
  mode === "auto" ? "agent" : handover?.status === "waiting" ? "waiting" : clip(handover?.operator ?? "manual", 16);

/** `sessions effects`: lists the calls with effects outside. */
export async function listEffects(
  context: CommandContext,
  session: string | undefined,
  query: { readonly after?: number; readonly limit: number },
): Promise<void> {
  const { output } = context;
  const { effectsAfter } = await runtimeOf();
  const { session_id, items, next_after } = await withStore(context, async (store) => {
    const { session_id: id } = await chosenSession(context, store, session);
    return { session_id: id, ...(await effectsAfter({ runtime: idleContext(store, context), id }, query)) };
  });
  if (output.json) return output.document({ session_id, effects: items, next_after });
  if (items.length === 0) return output.err.line("No call with effects.");
  const rows = items.map(({ offset, effects, name, arguments: given, result }) => [
    String(offset),
    effects,
    result?.type ?? "open",
    clip(`${name}(${JSON.stringify(given)})`, 80),
  ]);
  output.out.line(table([["OFFSET", "EFFECTS", "RESULT", "CALL"], ...rows]));
  if (next_after !== null) output.err.line(output.err.paint("dim", `more with --after ${next_after}`));
}

/** `sessions show`: shows the header and the last messages. `visible` shows everything that the model can see. */
export async function showSession(
  context: CommandContext,
  session: string | undefined,
  options: { readonly messages: number; readonly visible?: boolean; readonly agent?: string },
): Promise<void> {
  if (options.visible === true) return showVisible(context, session, options.agent);
  const { output, clock } = context;
  const loaded = await withStore(context, async (store) =>
    loadAt(store, (await chosenSession(context, store, session)).session_id, { messages: options.messages }),
  );
  const info = toInfo(loaded.session);
  const messages = messagesOf(
    loaded.messages.map((stored) => decodeEvent(stored)),
    present({ open: openSince(loaded) }),
  );
  const open = loaded.turns.map(openTurn);
  if (output.json) return output.document({ session: { ...info, metadata: info.metadata.values }, open_turns: open, messages });
  const now = clock.now();
  const facts: readonly (readonly [string, string])[] = [
    ["session", info.id],
    ["agent", `${info.agent}, definition ${info.definition}`],
    ["customer", info.customer_id ?? "(anonymous)"],
    ["mode", info.mode],
    ["title", info.title ?? "(none)"],
    ...(info.origin === undefined
      ? []
      : [["forked from", `${info.origin.session_id ?? "a session that was deleted"}, at offset ${info.origin.at}`] as const]),
    ["head", `${info.head}, episode ${info.episode}`],
    ["created", ago(info.created_at, now)],
    ["updated", ago(info.updated_at, now)],
    ...(open.length === 0 ? [] : [["open turns", open.map((turn) => `${turn.number} (${turn.status})`).join(", ")] as const]),
    ...(info.labels.length === 0 ? [] : [["labels", info.labels.join(", ")] as const]),
  ];
  output.out.line(table(facts.map(([name, value]) => [name, printable(value)])));
  for (const message of messages) output.out.line(`\n${messageText(message)}`);
}

const messageText = (message: Pick<Message, "offset" | "role" | "text" | "name" | "calls">): string =>
  `${message.offset}  ${message.role}${message.name === undefined ? "" : ` (${printable(message.name)})`}\n${indent(contentOf(message))}`;

/** The text of a message, then its calls, one per line. */
const contentOf = ({ text, calls = [] }: Pick<Message, "text" | "calls">): string =>
  [...(text === "" && calls.length > 0 ? [] : [text]), ...calls.map(requested)].map(printable).join("\n");

async function showVisible(context: CommandContext, session: string | undefined, module: string | undefined): Promise<void> {
  const { output } = context;
  const agent = await loadAgent(module);
  const { historyWindow } = await runtimeOf();
  const loaded = await withStore(context, async (store) => {
    const row = await chosenSession(context, store, session);
    requireAgent(agent, row.agent);
    return loadAt(store, row.session_id, { messages: historyWindow(agent.sections) });
  });
  const request = await nextRequest(agent, loaded);
  const { session_id } = loaded.session;
  if (output.json) return output.document({ session_id, agent: agent.name, model: agent.reply.name, ...request });
  output.err.line(output.err.paint("dim", `Everything that ${agent.reply.name} can know in the next turn of ${session_id}, before its stages run:`));
  for (const { name, text } of request.sections) output.out.line(`[${name}]\n${indent(printable(text))}\n`);
  output.out.line("[messages]");
  for (const message of request.messages) output.out.line(indent(`${message.role}: ${contentOf(message)}`));
}

/** The request of the next turn, as assembled before its stages run. */
async function nextRequest(agent: Agent, loaded: LoadedSession): Promise<ModelRequest> {
  const written = loaded.session.agent_version;
  if (written > agent.version)
    throw new ThroughlineError(
      "state.definition_newer",
      `The session was written by version ${written} of agent "${agent.name}"; this is version ${agent.version}.`,
    );
  const { migrateDocument } = await import("throughline/state");
  const { assemble, beginTurn, descriptionsOf, inputValues } = await runtimeOf();
  const document = migrateDocument(foldState(loaded).document, written, agent.version, agent.migrations);
  const state = beginTurn(agent.state, decodeState(agent.state, document), { input: inputValues(agent, undefined) as never }).state;
  const messages = messagesOf(loaded.messages.map((stored) => decodeEvent(stored)));
  return assemble(agent.sections, {
    state: state as never,
    variables: joinVariables(scopedVariables(loaded), descriptionsOf(agent.variables)),
    messages,
    answers: loaded.waiting.map((message) => message.offset),
  });
}

/** `sessions identify`: assigns a customer to an anonymous session. */
export async function identifySession(
  context: CommandContext,
  session: string,
  customer: string,
  { carry = false }: { readonly carry?: boolean },
): Promise<void> {
  const { output } = context;
  const session_id = parseSessionId(session);
  const { identify } = await runtimeOf();
  const identified = await withStore(context, (store) => identify(idleContext(store, context), session_id, { customer, carry }));
  output.result({ session_id, customer_id: customer, identified }, () =>
    printable(identified ? `${session_id} now belongs to ${customer}.` : `${session_id} already belonged to ${customer}.`),
  );
}

/** `sessions fork`: creates a session that continues from this one's log. No agent is needed, because the fork's next turn migrates an older state. */
export async function forkFrom(
  context: CommandContext,
  session: string | undefined,
  { at, title, reuse }: { readonly at?: number; readonly title?: string; readonly reuse?: true },
): Promise<void> {
  const { output } = context;
  const { forkSession } = await runtimeOf();
  const row = await withStore(context, async (store) => {
    const { session_id } = await chosenSession(context, store, session);
    const forking = { ...writerOf(store, context), agents: new Map<string, never>() };
    const given = present({ at, title, reuse });
    return chosenSession(context, store, await forkSession(forking, session_id, given));
  });
  if (output.json) return output.document({ session: { ...toInfo(row), metadata: row.metadata } });
  output.out.line(row.session_id);
  output.err.line(
    output.err.paint(
      "dim",
      `continues from offset ${row.origin?.at} of ${row.origin?.session_id}; chat in it with: ${followUp(context, `chat --session ${row.session_id}`)}`,
    ),
  );
}

type Node = Lineage<SessionRow>;

/** `sessions tree`: shows the origin of a session and its forks. */
export async function showTree(context: CommandContext, session: string | undefined): Promise<void> {
  const { output, clock } = context;
  const { session_id, root } = await withStore(context, async (store) => {
    const row = await chosenSession(context, store, session);
    return { session_id: row.session_id, root: await lineageOf(store, row.session_id) };
  });
  if (output.json) return output.document({ session_id, tree: documentOf(root) });
  const now = clock.now();
  const rows = linesOf(root, "", "").map(({ branch, session }) => [
    `${branch}${session.session_id}${session.session_id === session_id ? " *" : ""}`,
    session.origin === undefined ? "-" : String(session.origin.at),
    String(session.head),
    ago(session.updated_at, now),
    clip(session.title ?? "", 40),
  ]);
  output.out.line(table([["ID", "FORKED AT", "HEAD", "UPDATED", "TITLE"], ...rows]));
}

function documentOf({ session, forks }: Node): object {
  return { ...toInfo(session), metadata: session.metadata, forks: forks.map(documentOf) };
}

/** Formats the tree. `own` is the prefix of the session's line, `below` of the lines of its forks. */
function linesOf({ session, forks }: Node, own: string, below: string): readonly { readonly branch: string; readonly session: SessionRow }[] {
  return [
    { branch: own, session },
    ...forks.flatMap((fork, index) => {
      const last = index === forks.length - 1;
      return linesOf(fork, `${below}${last ? "└─ " : "├─ "}`, `${below}${last ? "   " : "│  "}`);
    }),
  ];
}
