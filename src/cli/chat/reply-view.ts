/** Follows a turn and shows it: the reply while it is written, what happened to it, and how it came about. */
import { ThroughlineError, type TurnId, isPlainObject, type JsonObject } from "throughline/kernel";
import { type Pending, type TurnResult, type SessionInfo, type Session, type Draft, type Event, type Outcome, textOf } from "throughline";
import type { Channel, Style } from "../command-output.ts";
import { createWrapper, printable, widthOf, wrapped } from "../terminal-text.ts";

/** Shows a reply as it comes. */
interface ReplyView {
  /** Provisional text, in pieces. */
  delta(text: string): void;
  /** The provisional text does not hold. */
  takenBack(reason: string): void;
  /** The reply as it is on record. */
  final(text: string): void;
  /** What the person is told besides, such as that they talk with an AI. */
  told(text: string): void;
  /** The turn is over: whatever is shown now stays. */
  end(): void;
}

/** How a turn that was followed ended: what the log says, or that the session has it no more. */
export type TurnEnd =
  | { readonly type: "ended"; readonly outcome: Outcome; readonly offset: number }
  | { readonly type: "paused"; readonly pending: readonly Pending[] }
  /** It waits behind one that is paused. */
  | { readonly type: "behind" }
  | { readonly type: "withdrawn" }
  | { readonly type: "manual" };

/**
 * Follows one turn to its end. Rejects when the turn can neither be run nor ended here; its message is kept. `message` is the offset of the
 * message that waits for it, undefined for a turn without one.
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

/** Rejects when the message's turn cannot be run, and tells when it waits behind another one; else it never resolves, since the log tells the rest. */
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
  for await (const item of session.stream({ minOffset: turn.from, kinds: ["message", "turn", "session"], signal })) {
    const end = "type" in item ? showDraft(item, turn.turn_id, view) : showEvent(item, turn.turn_id, view);
    if (end !== undefined) return end;
    if ("kind" in item && item.kind === "turn" && item.data.type === "paused" && item.turn_id === turn.turn_id) {
      // One that is decided already, such as by a message that came meanwhile, is followed on.
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
    if (event.data.type === "disclosure" && event.turn_id === turn) view.told(event.data.text);
    return event.data.type === "mode" && event.data.mode === "manual" ? { type: "manual" } : undefined;
  }
  if (event.turn_id !== turn) return undefined;
  const text = event.kind === "message" ? textOf(event.data.parts) : "";
  // A message that only calls tools says nothing.
  if (event.kind === "message" && event.data.role === "assistant" && (text.trim() !== "" || event.data.calls === undefined)) view.final(text);
  return event.kind === "turn" && event.data.type === "ended" ? { type: "ended", outcome: event.data.outcome, offset: event.offset } : undefined;
}

/** What the chat itself has to say. */
export function remark(channel: Channel, text: string, style: Style = "dim"): void {
  channel.line(channel.paint(style, wrapped(text, channel.columns(80))));
}

/** The remark under a reply that the database does not hold. */
export const notSaved = ({ error, saved }: Pick<TurnResult, "error" | "saved">): string => {
  const kept = saved === false ? "this message and its reply are not kept" : "this message may be kept, its reply is not";
  return `The database does not answer${error === undefined ? "" : ` (${error.code})`}: ${kept}.`;
};

/** Shows one reply at a terminal, as it comes; `name` is who speaks. Once it is `over` for the reader, nothing more is shown. */
export function replyView(channel: Channel, name: string, over: () => boolean): ReplyView {
  let written = "";
  let told: string[] = [];
  let wrapper: ReturnType<typeof createWrapper> | undefined;
  const open = (): ReturnType<typeof createWrapper> => {
    if (wrapper !== undefined) return wrapper;
    channel.stream.write(`${channel.paint("cyan", name)} › `);
    wrapper = createWrapper((text) => channel.stream.write(text), { column: widthOf(name) + 3, columns: () => channel.columns(80) });
    return wrapper;
  };
  const close = (): void => {
    if (!over()) wrapper?.end();
    wrapper = undefined;
    written = "";
    for (const text of told) if (!over()) remark(channel, text, "cyan");
    told = [];
  };
  return {
    delta(text) {
      if (over()) return;
      written += text;
      open().write(text);
    },
    takenBack(reason) {
      if (wrapper === undefined || over()) return;
      close();
      if (reason !== "stopped") channel.line(channel.paint("dim", "  (taken back; what follows holds)"));
    },
    final(text) {
      if (over()) return;
      // The end of a reply may be held back until all of it was read: what is shown already stays.
      const goesOn = text.startsWith(written);
      if (!goesOn) close();
      if (written !== text) open().write(goesOn ? text.slice(written.length) : text);
      close();
    },
    // Before the reply, unless that is being shown already.
    told(text) {
      if (wrapper !== undefined) told.push(text);
      else if (!over()) remark(channel, text, "cyan");
    },
    end: close,
  };
}

/** Names of the fields' values that are not for everybody's eyes: nobody is promised what only others may give. */
const spoken: Readonly<Record<string, string>> = { therapeutic: "talk", interpersonal_therapy: "interpersonal", therapeutic_approach: "approach" };

const word = (value: unknown): string | undefined =>
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

/** Whether the state says itself what became of a turn, so that what it changed need not be listed. */
export const saysItself = ({ output }: Pick<TurnResult, "output">): boolean => "route" in output || "response_style" in output || "crisis" in output;

/** How a reply came about: mode, route, style, approach, level of safety, pieces of memory, step of an exercise; as far as the agent's state and the turn's numbers say it; undefined if they say nothing. */
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
