/** Ends an episode at a terminal: what is remembered of it, and one question of how it was. */
import type { SessionId } from "throughline/kernel";
import type { Session, Store } from "throughline";
import { memoryOf, type ListedEntry, type Source } from "throughline/memory";
import { planIn } from "throughline/internal/safety";
import type { Channel } from "../command-output.ts";
import { allEvents, loadAt } from "../read-session.ts";
import { clip } from "../terminal-text.ts";
import type { Conversation } from "./open-conversation.ts";
import { type Farewell, farewellLines, framed } from "./panel.ts";
import { nameOf, remark } from "./reply-view.ts";

/** An episode that goes on: where it began, whether anything was said in it, and the gravest level. */
interface OpenEpisode {
  readonly from: number;
  readonly isEmpty: boolean;
  readonly level: number;
}

async function openEpisode(store: Store, session_id: SessionId): Promise<OpenEpisode> {
  const events = await allEvents(store, session_id, ["session", "message", "assessment"]);
  const began = events.findLastIndex(({ kind, data }) => kind === "session" && data.type === "episode");
  const own = events.slice(began + 1);
  const plan = planIn(await loadAt(store, session_id));
  return {
    from: events[began]?.offset ?? 0,
    isEmpty: !own.some(({ kind, data }) => kind === "message" && data.role === "user"),
    level: Math.max(plan?.highest ?? 0, ...own.flatMap(({ kind, data }) => (kind === "assessment" ? [data.level] : []))),
  };
}

/** Where an entry was first said; undefined for a summary. */
const saidAt = ({ entry }: ListedEntry): Source | undefined => ("sources" in entry ? entry.sources[0] : "source" in entry ? entry.source : undefined);

/** The longest name of a memory. */
const longestName = 70;

/** The names of what was first said in a session after an offset. */
function newIn(entries: readonly ListedEntry[], session_id: SessionId, from: number): Pick<Farewell, "memories" | "quotes"> {
  const own = entries.filter((entry) => {
    const said = saidAt(entry);
    return said?.session_id === session_id && said.offset >= from;
  });
  const names = (isQuote: boolean): readonly string[] =>
    own.filter(({ kind }) => (kind === "turn") === isQuote).map(({ text }) => clip(nameOf(text), longestName));
  return { memories: names(false), quotes: names(true) };
}

/** All entries in force, to a sensible number. */
async function entriesOf(memory: Session["memory"]): Promise<readonly ListedEntry[]> {
  const found: ListedEntry[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < 1_000;) {
    const page = await memory.list(cursor === undefined ? {} : { cursor });
    found.push(...page.items);
    cursor = page.next_cursor;
  }
  return found;
}

/** The name under which the session remembers that the question was asked. */
const askedKey = "feedback_asked_at";

/** Ends the episode and shows what is remembered of it. Returns whether to ask how it was: once in a thread, and never after a sign of danger. */
export async function endEpisode({ session, store, agent, context }: Conversation, channel: Channel): Promise<{ readonly asks: boolean }> {
  const open = await session();
  const { from, isEmpty, level } = await openEpisode(store, open.id);
  const ended = await open.closeEpisode();
  const { incognito, metadata } = await open.info();
  const entries = memoryOf(agent) === undefined || incognito === true ? [] : await entriesOf(open.memory);
  const lines = farewellLines({ ...ended, ...newIn(entries, open.id, from) });
  const { plain } = context.output;
  if (plain || !channel.stream?.isTTY) for (const line of lines) channel.line(line);
  else {
    const paint = (text: string): string => channel.paint("green", text);
    channel.line(framed(lines.join("\n"), { columns: channel.columns(80) + 1, title: "Farewell", end: "/new or a message goes on", paint }));
  }
  return { asks: !isEmpty && level === 0 && metadata.values[askedKey] === undefined };
}

const yes = /^(?:y|yes|\+|ja|j|s[ií]|oui|sim)$/iu;
const no = /^(?:n|no|-|nein|non|n[ãa]o)$/iu;

/** Asks how the conversation was, and records the answer. Returns what was typed if it is no answer, which is recorded as none. */
export async function askFeedback(
  { session, context }: Conversation,
  { channel, ask }: { readonly channel: Channel; readonly ask: (prompt: string) => Promise<string | undefined> },
): Promise<string | undefined> {
  const open = await session();
  await open.setMetadata({ set: { [askedKey]: context.clock.now() } });
  const answer = (await ask("Was this conversation helpful? y, n, or Enter to skip: "))?.trim() ?? "";
  const label = yes.test(answer) ? "positive" : no.test(answer) ? "negative" : "skip";
  const given = await open.feedback(label, { source: "cli_end" });
  if (given === null) remark(channel, "The answer could not be stored.");
  else remark(channel, label === "skip" ? "Skipped; it is not asked again in this thread." : "Thank you. The answer is kept without your name.");
  return label === "skip" && answer !== "" ? answer : undefined;
}
