/** Follows a turn and shows it: the streaming reply, its end, and the line that explains it. */
import { ThroughlineError, type TurnId, isPlainObject, type JsonObject } from "throughline/kernel";
import { textOf } from "throughline/internal";
import type { Pending, TurnResult, SessionInfo, Session, Draft, Event, Outcome } from "throughline";
import type { Channel, Style } from "../command-output.ts";
import { createWrapper, printable, widthOf, wrapped } from "../terminal-text.ts";

/** Shows a reply while it streams. */
interface ReplyView {
  /** Appends provisional text. */
  delta(text: string): void;
  /** Discards the provisional text. */
  takenBack(reason: string): void;
  /** Shows the recorded reply. */
  final(text: string): void;
  /** Shows a disclosure, such as that the user talks to an AI. */
  told(text: string): void;
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
  for await (const item of session.stream({ minOffset: turn.from, kinds: ["message", "turn", "session"], signal })) {
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
    if (event.data.type === "disclosure" && event.turn_id === turn) view.told(event.data.text);
    return event.data.type === "mode" && event.data.mode === "manual" ? { type: "manual" } : undefined;
  }
  if (event.turn_id !== turn) return undefined;
  const text = event.kind === "message" ? textOf(event.data.parts) : "";
  // A message that only calls tools has no text.
  if (event.kind === "message" && event.data.role === "assistant" && (text.trim() !== "" || event.data.calls === undefined)) view.final(text);
  return event.kind === "turn" && event.data.type === "ended" ? { type: "ended", outcome: event.data.outcome, offset: event.offset } : undefined;
}

/** Prints a remark of the chat itself. */
export function remark(channel: Channel, text: string, style: Style = "dim"): void {
  channel.line(channel.paint(style, wrapped(text, channel.columns(80))));
}

/** The remark under a reply that the database did not store. */
export const notSaved = ({ error, saved }: Pick<TurnResult, "error" | "saved">): string => {
  const kept = saved === false ? "this message and its reply are not kept" : "this message may be kept, its reply is not";
  return `The database does not answer${error === undefined ? "" : ` (${error.code})`}: ${kept}.`;
};

/** Shows one reply at a terminal as it streams. `name` is the speaker. Once `over` returns true, nothing more is shown. */
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
      if (reason !== "stopped") channel.line(channel.paint("dim", "  (discarded; the reply starts again)"));
    },
    final(text) {
      if (over()) return;
      // The end of a reply may be held back until all of it was checked. Text that is already shown stays.
      const goesOn = text.startsWith(written);
      if (!goesOn) close();
      if (written !== text) open().write(goesOn ? text.slice(written.length) : text);
      close();
    },
    // Shown before the reply, or after it if the reply has already started.
    told(text) {
      if (wrapper !== undefined) told.push(text);
      else if (!over()) remark(channel, text, "cyan");
    },
    end: close,
  };
}

/** Display names of field values. Clinical terms are replaced, because only professionals may offer therapy. */
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
