/** Follows a turn and shows it: the streaming reply, its end, the line that explains it, and the decisions of the gate. */
import type { Agent, Draft, Event, Message, Outcome, Pending, Session, SessionInfo, Store, TurnResult } from "throughline";
import { keptPrompt, present, textOf, toInfo } from "throughline/internal";
import { whyOf } from "throughline/internal/memory";
import { assessmentKey, assessmentKind, planIn } from "throughline/internal/safety";
import { isPlainObject, type JsonObject, type SessionId, ThroughlineError, type TurnId } from "throughline/kernel";
import { type AssessmentRecord, type CrisisPlan, safetyOf } from "throughline/safety";
import type { Channel, Style } from "../command-output.ts";
import { allEvents, loadAt } from "../read-session.ts";
import { clip, createWrapper, printable, table, widthOf, wrapped } from "../terminal-text.ts";
import type { Conversation } from "./open-conversation.ts";
import { crisisReply, type PanelFacts } from "./panel.ts";

/** Shows a reply while it streams. */
interface ReplyView {
  /** Appends provisional text. */
  delta(text: string): void;
  /** Tells the level that the gate found, before the reply. */
  assessed(level: number): void;
  /** Discards the provisional text. */
  takenBack(reason: string): void;
  /** Shows the recorded reply. */
  final(text: string): void;
  /** Shows a disclosure, such as that the user talks to an AI. */
  disclosed(text: string): void;
  /** Ends the turn. The shown text stays. */
  end(): void;
}

/** How a followed turn ended: its recorded outcome, or a change that removed it from the agent. */
export type TurnEnd =
  | { readonly type: "ended"; readonly outcome: Outcome; readonly offset: number }
  | { readonly type: "paused"; readonly pending: readonly Pending[] }
  /** The turn waits behind a paused one. */
  | { readonly type: "behind" }
  | { readonly type: "withdrawn" }
  | { readonly type: "manual" };

/**
 * Follows a turn to its end. Rejects if the turn can neither run nor end here; its message is kept. `message` is the offset of the waiting message,
 * undefined for a turn without one.
 */
export async function followTurn(
  session: Session,
  turn: { readonly turn_id: TurnId; readonly from: number; readonly message: number | undefined },
  view: ReplyView,
): Promise<TurnEnd> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const failed = turn.message === undefined ? new Promise<never>(() => {}) : failureOf(session, turn.message, signal);
  const followed = follow(session, turn, view, signal);
  try {
    return await Promise.race([followed, failed]);
  } finally {
    leaving.abort(new ThroughlineError("aborted"));
    followed.catch(() => {});
    view.end();
  }
}

/** Rejects if the message's turn cannot run, and resolves if it waits behind another turn. Otherwise it never resolves, because the log reports the outcome. */
async function failureOf(session: Session, message: number, signal: AbortSignal): Promise<TurnEnd> {
  try {
    const { status } = await session.outcome(message, { signal });
    if (status === "waiting" && (await session.info()).mode === "auto") return { type: "behind" };
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return new Promise<never>(() => {});
}

async function follow(
  session: Session,
  turn: { readonly turn_id: TurnId; readonly from: number },
  view: ReplyView,
  signal: AbortSignal,
): Promise<TurnEnd> {
  for await (const item of session.live({ minOffset: turn.from, kinds: ["message", "turn", "session", "assessment"], signal })) {
    const end = "type" in item ? showDraft(item, turn.turn_id, view) : showEvent(item, turn.turn_id, view);
    if (end !== undefined) return end;
    if ("kind" in item && item.kind === "turn" && item.data.type === "paused" && item.turn_id === turn.turn_id) {
      // Keeps following if the pause has already been decided, for example by a new message.
      const pending = (await session.pending()).calls.filter(({ turn_id }) => turn_id === turn.turn_id);
      if (pending.length > 0) return { type: "paused", pending };
    }
  }
  throw new ThroughlineError("aborted");
}

function showDraft(draft: Draft, turn: TurnId, view: ReplyView): undefined {
  if (draft.turn_id !== turn) return undefined;
  if (draft.type === "draft.delta") view.delta(draft.text);
  else if (draft.type === "draft.reset" && draft.reason !== "end") view.takenBack(draft.reason);
  return undefined;
}

function showEvent(event: Event, turn: TurnId, view: ReplyView): TurnEnd | undefined {
  if (event.kind === "session") {
    if (event.data.type === "withdrawn") return { type: "withdrawn" };
    if (event.data.type === "disclosure" && event.turn_id === turn) view.disclosed(event.data.text);
    return event.data.type === "mode" && event.data.mode === "manual" ? { type: "manual" } : undefined;
  }
  if (event.turn_id !== turn) return undefined;
  if (event.kind === "assessment") view.assessed(event.data.level);
  const text = event.kind === "message" ? textOf(event.data.parts) : "";
  // A message that only calls tools has no text.
  if (event.kind === "message" && event.data.role === "assistant" && (text.trim() !== "" || event.data.calls === undefined)) view.final(text);
  return event.kind === "turn" && event.data.type === "ended" ? { type: "ended", outcome: event.data.outcome, offset: event.offset } : undefined;
}

/** Prints a remark of the chat itself. */
export function remark(channel: Channel, text: string, style: Style = "dim"): void {
  channel.line(channel.paint(style, wrapped(text, channel.columns(80))));
}

/** Shows earlier messages of the session, replies in a crisis apart. */
export async function tellMessages({ store, session, agent, context }: Conversation, channel: Channel, messages: readonly Message[]): Promise<void> {
  const { plain } = context.output;
  const assessed = messages.length === 0 ? [] : await allEvents(store, (await session()).id, ["assessment"]);
  /** The level that the gate found before a message. */
  const levelAt = (offset: number): number => {
    const before = assessed.findLast((event) => event.offset < offset);
    return before?.kind === "assessment" ? before.data.level : 0;
  };
  for (const { role, custom, source, name, text, offset } of messages) {
    if (role === "tool") continue;
    const level = role === "assistant" ? levelAt(offset) : 0;
    if (level >= grave) {
      channel.line(crisisReply(text, { level, name: agent.name, columns: channel.columns(80) + 1, plain, paint: channel.paint }));
      continue;
    }
    const who = custom === true ? source : role === "user" ? "you" : role === "system" ? "system" : (name ?? agent.name);
    const speaker = `${printable(who)}${plain ? ":" : " ›"} `;
    channel.write(channel.paint("dim", speaker));
    const wrapper = createWrapper((piece) => channel.write(channel.paint("dim", piece)), {
      column: widthOf(speaker),
      columns: () => channel.columns(80),
    });
    wrapper.write(text);
    wrapper.end();
  }
}

/** The remark under a reply that the database did not store. */
export const notSaved = ({ error, saved }: Pick<TurnResult, "error" | "saved">): string => {
  const kept = saved === false ? "this message and its reply are not kept" : "this message may be kept, its reply is not";
  return `The database does not answer${error === undefined ? "" : ` (${error.code})`}: ${kept}.`;
};

/** The least level whose replies are set apart. */
const grave = 2;

/**
 * Shows one reply at a terminal as it streams. `name` is the speaker. Once `over` returns true, nothing more is shown. A reply in a crisis is shown
 * as a whole, and apart; for screen readers every reply is shown as a whole.
 */
export function replyView(
  channel: Channel,
  { name, plain, over }: { readonly name: string; readonly plain: boolean; readonly over: () => boolean },
): ReplyView {
  let written = "";
  let level = 0;
  let disclosures: string[] = [];
  let wrapper: ReturnType<typeof createWrapper> | undefined;
  const speaker = `${name}${plain ? ":" : " ›"} `;
  const open = (): ReturnType<typeof createWrapper> => {
    if (wrapper !== undefined) return wrapper;
    channel.write(plain ? speaker : channel.paint("cyan", name) + speaker.slice(name.length));
    wrapper = createWrapper((text) => channel.write(text), { column: widthOf(speaker), columns: () => channel.columns(80) });
    return wrapper;
  };
  const close = (): void => {
    if (!over()) wrapper?.end();
    wrapper = undefined;
    written = "";
    for (const text of disclosures) if (!over()) remark(channel, text, "cyan");
    disclosures = [];
  };
  return {
    assessed(found) {
      level = Math.max(level, found);
    },
    delta(text) {
      if (over() || plain || level >= grave) return;
      written += text;
      open().write(text);
    },
    takenBack(reason) {
      if (wrapper === undefined || over()) return;
      close();
      if (reason !== "stopped") channel.line(channel.paint("dim", "  (discarded; the reply starts again)"));
    },
    final(text) {
      if (over()) return;
      // The end of a reply may be held back until all of it was checked. Text that is already shown stays.
      const goesOn = text.startsWith(written);
      if (!goesOn) close();
      if (level >= grave && written === "")
        channel.line(crisisReply(text, { level, name, columns: channel.columns(80) + 1, plain, paint: channel.paint }));
      else if (written !== text) open().write(goesOn ? text.slice(written.length) : text);
      close();
    },
    // Shown before the reply, or after it if the reply has already started.
    disclosed(text) {
      if (wrapper !== undefined) disclosures.push(text);
      else if (!over()) remark(channel, text, "cyan");
    },
    end: close,
  };
}

/** Display names of field values. Clinical terms are replaced, because only professionals may offer therapy. */
const spoken: Readonly<Record<string, string>> = { therapeutic: "talk", interpersonal_therapy: "interpersonal", therapeutic_approach: "approach" };

/** The display name of a field's value; undefined for none. */
export const word = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value !== "pending" ? (spoken[value] ?? value).replaceAll("_", " ") : undefined;

const known = (value: string | undefined, name?: string): readonly string[] =>
  value === undefined ? [] : [name === undefined ? value : `${name} ${value}`];

const objectAt = (object: JsonObject, name: string): JsonObject => {
  const value = object[name];
  return isPlainObject(value) ? value : {};
};

function memoryHits({ semantic_hits, episodic_hits }: JsonObject): string | undefined {
  if (typeof semantic_hits !== "number" && typeof episodic_hits !== "number") return undefined;
  return String(Number(semantic_hits ?? 0) + Number(episodic_hits ?? 0));
}

function exerciseStep({ exercise_type, exercise_step }: JsonObject): string | undefined {
  const name = word(exercise_type);
  if (name === undefined) return undefined;
  return typeof exercise_step === "number" ? `${name}, step ${exercise_step + 1}` : name;
}

/** Whether the state describes the turn, so that the list of changes is omitted. */
export const saysItself = ({ output }: Pick<TurnResult, "output">): boolean => "route" in output || "response_style" in output || "crisis" in output;

/**
 * Explains a reply: mode, route, style, approach, safety level, memory hits and exercise step. Includes the facts that the agent's state and the
 * diagnostics contain; undefined if there are none.
 */
export function contextLine(
  { output, diagnostics }: Pick<TurnResult, "output" | "diagnostics">,
  { mode, incognito }: Pick<SessionInfo, "mode" | "incognito">,
): string | undefined {
  const { level } = objectAt(output, "crisis");
  const approach = word(output["therapeutic_approach"]);
  const facts = [
    ...known(word(output["route"])),
    ...known(word(output["response_style"])),
    ...known(approach === "none" ? undefined : approach),
    ...known(typeof level === "number" ? String(level) : undefined, "safety"),
    ...known(memoryHits(diagnostics), "memory"),
    ...known(exerciseStep(objectAt(output, "exercise_state")), "exercise"),
  ];
  if (facts.length === 0) return undefined;
  return printable([incognito === true ? `${mode}, incognito` : mode, ...facts].join(" · "));
}

/** The longest name of a memory in the panel. */
const longestName = 48;

/** What the panel shows after a turn; without one, what is known of the thread. */
export async function panelFacts(conversation: Conversation, result: TurnResult | undefined): Promise<PanelFacts> {
  const { agent, store, mode, hasModel, session } = conversation;
  const { session: row } = await loadAt(store, (await session()).id);
  const { incognito, mode: handledBy } = toInfo(row);
  const ofTurn = result?.turn_id === undefined ? undefined : { turn: result.turn_id };
  const [why, prompt] = ofTurn === undefined ? [] : await Promise.all([whyOf(store, row, ofTurn), keptPrompt(store, row, ofTurn)]);
  const { output = {}, diagnostics = {} } = result ?? {};
  const approach = word(output["therapeutic_approach"]);
  const { level } = objectAt(output, "crisis");
  const { semantic_store_size: facts, episodic_store_size: arcs } = diagnostics;
  const { tokens = typeof diagnostics["tokens"] === "number" ? diagnostics["tokens"] : undefined, budget } = prompt?.record ?? {};
  return {
    agent: agent.name,
    answers: handledBy === "manual" ? "handed over to people" : hasModel && mode === "auto" ? agent.reply.name : "rules, offline",
    incognito: incognito === true,
    // What fits the message best comes first. What is told because an episode begins does not answer it.
    memories: (why?.items ?? [])
      .toSorted((one, other) => Number(one.catch_up ?? false) - Number(other.catch_up ?? false) || other.score - one.score)
      .flatMap(({ text }) => (text === null ? [] : [clip(nameOf(text), longestName)])),
    ...present({
      route: word(output["route"]),
      style: word(output["response_style"]),
      approach: approach === "none" ? undefined : approach,
      level: typeof level === "number" ? level : undefined,
      exercise: exerciseStep(objectAt(output, "exercise_state")),
      remembered: typeof facts === "number" || typeof arcs === "number" ? Number(facts ?? 0) + Number(arcs ?? 0) : undefined,
      tokens,
      budget,
    }),
  };
}

/** Whether an agent's state has what the panel shows. */
export const hasPanel = ({ state }: Agent): boolean => ["route", "response_style", "crisis"].some((name) => Object.hasOwn(state.fields, name));

/** A memory without the date and the kind around it. */
export const nameOf = (text: string): string => /["“](.+)["”]/su.exec(text)?.[1] ?? text.replace(/^\d{4}-\d\d-\d\d\s+/u, "");

const dayMs = 24 * 60 * 60 * 1000;

/** Maximum number of assessments shown. */
const most = 10;

/** An assessment of a session. The record is missing after its retention period. */
export interface SessionAssessment {
  readonly offset: number;
  readonly at: number;
  readonly level: number;
  readonly record?: AssessmentRecord;
}

/** The assessments of a session, oldest first. */
export async function assessmentsOf(store: Store, session_id: SessionId): Promise<readonly SessionAssessment[]> {
  const events = await allEvents(store, session_id, ["assessment"]);
  const noted = events.flatMap((event) => (event.kind === "assessment" ? [event] : []));
  return Promise.all(
    noted.map(async ({ offset, created_at, data: { audit_id, level } }) => {
      const record = await recordOf(store, { audit_id, at: created_at });
      return { offset, at: created_at, level, ...present({ record }) };
    }),
  );
}

/** Finds an assessment record. Records are keyed by the day on which their turn was queued, which may be the previous day. */
async function recordOf(store: Store, { audit_id, at }: { readonly audit_id: string; readonly at: number }): Promise<AssessmentRecord | undefined> {
  for (const day of [at, at - dayMs]) {
    const { items } = await store.list({ of: "records", kind: assessmentKind, key: assessmentKey({ audit_id, at: day }), limit: 1 });
    // Only one function writes these records, with this type.
    const [item] = items;
    if (item?.data !== undefined && item.data !== null) return item.data as unknown as AssessmentRecord;
  }
  return undefined;
}

const listed = (values: readonly string[]): string => values.join(", ") || "-";

function decidedLines({ level, record }: SessionAssessment): readonly string[] {
  if (record === undefined) return [`level ${level}`];
  const { path, quality, confidence, override, reason_code, level_deterministic, level_llm, risk_types, subject } = record;
  return [
    table([
      ["level", `${level} (screen ${level_deterministic}, classifier ${level_llm ?? "not called"}; ${confidence} confidence)`],
      ["path", `${path}, ${quality}; override ${override}, reason ${reason_code}`],
      ["risk", `${listed(risk_types)}, of ${subject === "self" ? "the writer" : "another person"}`],
      // Records of an older version lack them.
      ["grounds", listed(record.grounds ?? [])],
      ["matches", listed(record.matches)],
      ["action", record.action],
      [
        "shown",
        `${listed(record.resources_shown)} (look-up ${record.lookup_status ?? "not attempted"}${record.region === undefined ? "" : `, ${record.region}`})`,
      ],
      ["guarded", listed(record.guarded)],
    ]),
  ];
}

/** Formats a crisis plan as a table. */
function planLines(plan: CrisisPlan): string {
  const answers = Object.entries(plan.answers).map(([question, answer]) => `${question} ${answer}`);
  const flags = (["emergency", "human_care", "coping", "ai_limits"] as const).filter((name) => plan[`${name}_given`]);
  return table([
    ["open", plan.highest === 0 ? "no" : `level ${plan.highest}, ${listed(plan.risk_types)}`],
    ["last levels", plan.window.map(({ level }) => level).join(" ") || "-"],
    ["questions", listed(plan.asked)],
    ["answers", listed(answers)],
    ["region", plan.location_refused ? "not stated" : listed(plan.regions)],
    ["given", listed([...plan.given, ...flags])],
    ["calm turns", String(plan.calm_turns)],
  ]);
}

/** `/safety`: shows the last assessment, the levels before it, and the crisis plan. */
export async function showSafety({ session, store, agent }: Conversation, channel: Channel): Promise<void> {
  if (safetyOf(agent) === undefined) return channel.line(`${agent.name} has no gate: nothing is assessed.`);
  const { id } = await session();
  const assessed = await assessmentsOf(store, id);
  const last = assessed.at(-1);
  if (last === undefined) return channel.line("Nothing has been assessed yet.");
  for (const line of decidedLines(last)) channel.line(line);
  const before = assessed.slice(-most - 1, -1);
  if (before.length > 0) channel.line(channel.paint("dim", clip(`before: ${before.map(({ level }) => level).join(" ")}`, channel.columns(100))));
  const plan = planIn(await loadAt(store, id));
  if (plan !== undefined) channel.line(`\n${channel.paint("bold", "plan")}\n${planLines(plan)}`);
}
