/** What a stage or a tool asks of its turn: returned, never written to the state. */
import { described, type Descriptor, type Infer, literals, object, optional, plain, text } from "../kernel/descriptor.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { sessionModes } from "../store/port.ts";
import { handoverAsked, handoverGiven, type HandoverGiven } from "./handover-given.ts";

/** Who answers. */
export const sessionMode = described(literals(...sessionModes), "Who answers: the agent, or a person.");

const controlShape = object(
  {
    /** Answer with this text and skip the stages that follow and the reply; only a stage can ask for it. */
    reply: optional(text),
    /** Hand the session to a person when this turn has ended. */
    mode: plain(optional(sessionMode)),
    /** With `mode: "manual"`: why, how urgently, and to whom. */
    handover: optional<HandoverGiven>(handoverAsked),
    /** Neither recall anything for this turn, nor remember what it answers: one about a crisis, or about the memory itself. It cannot be taken back. */
    memory: optional(literals("skip")),
  },
  "key",
);
/** What a stage or a tool asks of its turn. */
export interface Control extends Infer<typeof controlShape> {}
/** What a stage or a tool asks of its turn, as stored data. */
export const control: Descriptor<Control> = controlShape;

const controlled: unique symbol = Symbol("throughline.controlled");

/** A stage's delta, or a tool's result, together with a control. */
export interface Controlled<Result> {
  readonly [controlled]: { readonly result: Result | undefined; readonly control: Control };
}

/**
 * What a stage or a tool returns when it also asks something of the turn. `input.invalid` if the reply is blank or no text, or the mode is none;
 * `handover.invalid` for what cannot be said of a hand-over.
 * @example withControl({ mode: "manual", handover: { reason: "asks for a person", alert: 1 } })
 */
export const withControl = <const Result>(control: Control, result?: Result): Controlled<Result> =>
  Object.freeze({ [controlled]: Object.freeze({ result, control: checkedControl(control) }) });

/** What is asked of a turn is stored and sent to people, so it is looked at where it is asked. */
function checkedControl(control: Control): Control {
  const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("input.invalid", message, { details: { path } });
  if (!isPlainObject(control)) throw wrong("", `withControl takes an object with a reply or a mode, got ${seen(control)}.`);
  const { reply, mode, handover, memory, ...rest } = control;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw wrong(unknown, `withControl has no option ${seen(unknown)}; it has reply, mode, handover and memory.`);
  if (reply !== undefined && (typeof reply !== "string" || reply.trim() === ""))
    throw wrong("reply", `A reply is a text that is not blank, got ${seen(reply)}.`);
  if (mode !== undefined && mode !== "auto" && mode !== "manual") throw wrong("mode", `A session's mode is "auto" or "manual", not ${seen(mode)}.`);
  if (memory !== undefined && memory !== "skip") throw wrong("memory", `What a turn asks of the memory is "skip", not ${seen(memory)}.`);
  if (handover !== undefined && mode !== "manual") throw wrong("handover", `A hand-over goes with the mode "manual", got ${seen(mode)}.`);
  return Object.freeze({
    ...(reply === undefined ? {} : { reply }),
    ...(mode === undefined ? {} : { mode }),
    ...(memory === undefined ? {} : { memory }),
    ...(handover === undefined ? {} : { handover: handoverGiven(handover) }),
  });
}

/** Takes apart what was returned. */
export function controlOf(returned: unknown): { readonly result: unknown; readonly control: Control } {
  return typeof returned === "object" && returned !== null && controlled in returned
    ? (returned as Controlled<unknown>)[controlled]
    : { result: returned, control: {} };
}

/** What is asked of a turn by one after the other: the last word on each wins, saying nothing is no word, and an alert is never lowered. */
export function joinControl(before: Control, after: Control): Control {
  const { handover: earlier, ...kept } = before;
  const { handover: later } = after;
  if (after.mode === "auto" || (earlier === undefined && later === undefined)) return { ...kept, ...after };
  const alert = Math.max(earlier?.alert ?? 0, later?.alert ?? 0);
  return { ...kept, ...after, handover: { ...earlier, ...later, ...(alert === 0 ? {} : { alert }) } };
}
