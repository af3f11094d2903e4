/** The commands of a chat about the session itself: what it is, the other sessions, what answers, and what is shown of the decisions. */
import { subagentLabel, itemsOf, present, findCustomer } from "throughline/internal";
import { isPlainObject, ThroughlineError } from "throughline/kernel";
import { memoryOf } from "throughline/memory";
import type { SessionRow } from "throughline/store";
import type { Session, TurnResult } from "throughline";
import { isColored, type Channel, themes, type Theme } from "../command-output.ts";
import { shown } from "../database-location.ts";
import { requireAgent } from "../load-agent.ts";
import { loadAt, turnsOf } from "../read-session.ts";
import { ago, clip, described, printable, table } from "../terminal-text.ts";
import { type AnswerMode, type Conversation, startAgain } from "./open-conversation.ts";
import { levelInWords } from "./panel.ts";
import { panelFacts, remark, tellMessages, word } from "./reply-view.ts";

/** How many sessions `/threads` lists, and how many messages of a resumed one are shown. */
const most = 12;
const shownMessages = 6;

/** The least width for threads of one line each. */
const wideEnough = 100;

/** The result of the session's last ended turn; undefined if none has ended. */
export async function lastResult({ store, session }: Conversation): Promise<TurnResult | undefined> {
  const open = await session();
  for await (const { turn_id, status } of turnsOf(store, open.id)) if (status === "ended") return open.outcome(turn_id);
  return undefined;
}

const answering = ({ agent, mode, hasModel }: Conversation): string =>
  `${mode}: ${agent.reply.name} answers${mode === "deterministic" && hasModel ? ", although a model is named" : ""}`;

/** `/status`: the session, what answers, and the sizes of what is kept. */
export async function showStatus(conversation: Conversation, channel: Channel): Promise<void> {
  const { context, session, settings } = conversation;
  const open = await session();
  const [info, result] = [await open.info(), await lastResult(conversation)];
  const { level, tokens, budget } = await panelFacts(conversation, result);
  const memory = memoryOf(conversation.agent) === undefined ? undefined : await open.memory.status();
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["thread", info.id],
    ["agent", `${info.agent}, definition ${info.definition}`],
    ["answers", answering(conversation)],
    ["handled by", info.mode === "manual" ? "people; the agent is silent until /handback" : "the agent"],
    ["customer", info.customer_id ?? "(anonymous)"],
    ["incognito", info.incognito === true ? "yes: nothing is remembered" : "no"],
    ["log", `${info.head} events, episode ${info.episode}`],
    ["safety level", level === undefined ? undefined : `${levelInWords(level)} in the last turn`],
    ["budget", tokens === undefined ? undefined : `${tokens}${budget === undefined ? "" : ` of ${budget}`} tokens in the last prompt`],
    ["memory", memory === undefined ? undefined : `facts ${memory.facts}, messages ${memory.turns}, summaries ${memory.arcs}, rules ${memory.rules}`],
    ["trace", settings.trace],
    ["theme", context.output.theme],
    ["database", shown(context.location)],
  ];
  const known = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, printable(value)] as const]));
  channel.line(described(known, channel.columns(160)));
}

/** The sessions of this agent, and of this customer if one is named: the most recently used first. */
async function threadsOf({ store, agent, customer }: Conversation): Promise<readonly SessionRow[]> {
  const owner_id = customer === undefined ? undefined : (await findCustomer(store, customer))?.owner_id;
  const rows: SessionRow[] = [];
  const query = { of: "sessions", order: "desc", limit: 100, without_labels: [subagentLabel], agent: agent.name } as const;
  for await (const row of itemsOf(store, { ...query, ...present({ owner_id }) }, () => {})) if (rows.push(row) === 300) break;
  return rows.toSorted((one, other) => other.updated_at - one.updated_at);
}

/** `/threads`: the sessions that can be resumed, by number. */
export async function showThreads(conversation: Conversation, channel: Channel): Promise<void> {
  const { context, store, session, settings } = conversation;
  const { id: here } = await session();
  const rows = (await threadsOf(conversation)).slice(0, most);
  settings.listed = rows.map(({ session_id }) => session_id);
  const now = context.clock.now();
  const width = channel.columns(160);
  const words = await Promise.all(rows.map(async ({ session_id, title }) => title ?? (await lastWords(store, session_id)) ?? "(nothing said yet)"));
  const cells = rows.map(({ session_id, updated_at }, index) => [
    `${index + 1}${session_id === here ? " here" : ""}`,
    session_id,
    ago(updated_at, now),
  ]);
  if (width >= wideEnough)
    channel.line(table([["N", "THREAD", "USED", "LAST WORDS"], ...cells.map((row, at) => [...row, clip(words[at] ?? "", width - 60)])]));
  else {
    const [header = "", ...lines] = table([["N", "THREAD", "USED"], ...cells]).split("\n");
    channel.line([header, ...lines.flatMap((line, at) => [line, `  ${clip(words[at] ?? "", width - 2)}`])].join("\n"));
  }
  remark(channel, "/resume <n> continues in one, /new starts one.");
}

async function lastWords(store: Conversation["store"], session_id: SessionRow["session_id"]): Promise<string | undefined> {
  const { messages } = await loadAt(store, session_id, { messages: 4 });
  const { messagesOf } = await import("throughline");
  const { decodeEvent } = await import("throughline/session");
  return messagesOf(messages.map((stored) => decodeEvent(stored))).findLast(({ role, custom }) => role === "user" && custom !== true)?.text;
}

/** `/resume`: continues in another session, by its number in `/threads` or its id; the one used before by default. */
export async function resume(conversation: Conversation, channel: Channel, argument: string): Promise<void> {
  const { store, session, settings, agent, runtime } = conversation;
  const { id: here } = await session();
  const rows = await threadsOf(conversation);
  const number = /^\d{1,4}$/u.test(argument) ? Number(argument) : undefined;
  const ids = settings.listed.length === 0 ? rows.map(({ session_id }) => session_id) : settings.listed;
  const id = argument === "" ? rows.find(({ session_id }) => session_id !== here)?.session_id : number === undefined ? argument : ids[number - 1];
  if (id === undefined)
    return channel.line(argument === "" ? "There is no other thread yet; /new starts one." : `There is no thread ${argument}: /threads lists them.`);
  if (id === here) return channel.line("This is the thread that you are in.");
  const next = await runtime.sessions.get(id);
  const row = (await loadAt(store, next.id)).session;
  requireAgent(agent, row.agent);
  if (conversation.customer !== undefined && row.customer_id !== conversation.customer)
    throw new ThroughlineError("session.not_found", `The thread ${id} is not one of this customer.`, { hint: "List them with /threads." });
  conversation.goOnIn(next);
  await tellWhere(conversation, channel, next, "Resumed");
}

/** Names the session, and shows its last messages. */
async function tellWhere(conversation: Conversation, channel: Channel, session: Session, what: string): Promise<void> {
  const messages = await session.messages({ last: shownMessages });
  remark(channel, `${what} thread ${session.id}.${messages.length === 0 ? "" : " Its last messages:"}`);
  await tellMessages(conversation, channel, messages);
}

/** `/new`: starts another session of the same customer; `incognito` starts one that is not remembered. */
export async function startNew(conversation: Conversation, channel: Channel, argument: string): Promise<void> {
  if (argument !== "" && argument !== "incognito")
    throw new ThroughlineError("cli.usage", `/new takes nothing or the word incognito, not "${clip(argument, 20)}".`);
  const { customer_id: customer } = await (await conversation.session()).info();
  const before = (await conversation.session()).id;
  const next = await conversation.startNew({ ...present({ customer }), ...(argument === "incognito" ? { incognito: true } : {}) });
  const which = argument === "incognito" ? "thread, which is not remembered" : "thread";
  remark(channel, `New ${which}: ${next.id}. The one before is kept: /resume ${before}`);
}

const modes: readonly string[] = ["auto", "deterministic"] satisfies readonly AnswerMode[];
const isMode = (word: string): word is AnswerMode => modes.includes(word);

/** `/mode`: what answers: the model that was named (`auto`), or the agent's rules alone (`deterministic`). */
export async function changeMode(conversation: Conversation, channel: Channel, word: string): Promise<void> {
  const { context } = conversation;
  const wanted = word.toLowerCase();
  if (wanted === "hybrid") {
    remark(
      channel,
      "There is no mode hybrid, because auto is both: rules decide wherever they are sure, such as in a crisis or an exercise, and the model does the rest.",
    );
    return channel.line(answering(conversation));
  }
  if (wanted !== "" && !isMode(wanted)) throw new ThroughlineError("cli.usage", `/mode takes auto or deterministic, not "${clip(word, 20)}".`);
  if (isMode(wanted) && wanted !== conversation.mode) await conversation.answerBy(wanted);
  channel.line(answering(conversation));
  if (conversation.mode === "auto" && !conversation.hasModel)
    remark(
      channel,
      `No language model is named. To start with one: ${startAgain({ ...context, again: [...(context.again ?? []), "--model <name>"] })}`,
    );
}

const traces = ["on", "off", "once"] as const;

/** `/trace`: shows the decisions behind the last reply, or switches whether they are shown under every reply. */
export async function trace(conversation: Conversation, channel: Channel, word: string): Promise<void> {
  const wanted = traces.find((one) => one === word.toLowerCase());
  if (word !== "" && wanted === undefined) throw new ThroughlineError("cli.usage", `/trace takes on, off or once, not "${clip(word, 20)}".`);
  if (wanted !== undefined) {
    conversation.settings.trace = wanted;
    const shows = { on: "under every reply", off: "no longer", once: "under the next reply" }[wanted];
    return remark(channel, `Decisions are shown ${shows}.`);
  }
  const result = await lastResult(conversation);
  for (const line of result === undefined ? ["No turn has ended yet."] : traceLines(result)) channel.line(line);
  remark(channel, `Decisions under replies: ${conversation.settings.trace}. /trace on, off or once changes that.`);
}

/** The decisions of the turn that has just ended, if they are to be shown. */
export function traceOf({ settings }: Conversation, result: TurnResult): readonly string[] {
  if (settings.trace === "off") return [];
  if (settings.trace === "once") settings.trace = "off";
  return traceLines(result);
}

const columns = ["stage", "decision", "source", "reason", "confidence"] as const;

/** The decisions of a turn in their order, then what each stage took. */
export function traceLines({ output, diagnostics }: Pick<TurnResult, "output" | "diagnostics">): readonly string[] {
  const { diagnostics: own } = output;
  const records = isPlainObject(own) && Array.isArray(own["routing_trace"]) ? own["routing_trace"].filter((record) => isPlainObject(record)) : [];
  const { stage_timings: timings, turn_total_ms: total } = diagnostics;
  const took = isPlainObject(timings) ? Object.entries(timings).map(([name, ms]) => `${name} ${Number(ms)} ms`) : [];
  return [
    records.length === 0
      ? "The agent recorded no decisions."
      : table([columns.map((name) => name.toUpperCase()), ...records.map((record) => columns.map((name) => clip(word(record[name]) ?? "-", 40)))]),
    ...(took.length === 0 ? [] : [printable(took.join(", "))]),
    ...(typeof total === "number" ? [`whole turn ${total} ms`] : []),
  ];
}

const themeNames = Object.keys(themes) as readonly Theme[];

/** `/theme`: shows or changes the colors. */
export function changeTheme({ context: { output, environment } }: Conversation, channel: Channel, word: string): void {
  const wanted = themeNames.find((name) => name === word.toLowerCase());
  if (word !== "" && wanted === undefined) throw new ThroughlineError("cli.usage", `/theme takes ${themeNames.join(", ")}, not "${clip(word, 20)}".`);
  if (wanted !== undefined) output.theme = wanted;
  channel.line(`theme ${channel.paint("cyan", output.theme)} of ${themeNames.join(", ")}`);
  if (!isColored(channel.stream, { plain: output.plain, environment }))
    remark(channel, output.plain ? "Colors are off, because the output is plain." : "Colors are off: NO_COLOR is set, or this is no terminal.");
}
