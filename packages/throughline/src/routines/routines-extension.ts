/** Routines as an extension: what it adds to an agent, and what callers can do with a session's routines. */
import { commitOnce, loadSession, refused } from "../extension/commit.ts";
import { invalidAgent, invalidAt } from "../extension/failure.ts";
import { defineExtension, type DefinedParts, type Extension, type ExtensionContext } from "../extension/port.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";
import { assertJson, type Json, notJson, present } from "../kernel/json.ts";
import { foldState } from "../session/fold.ts";
import { newEvent } from "../session/new-event.ts";
import { argumentsHash } from "../session/pending-calls.ts";
import type { Tool } from "../tools/tool.ts";
import { type Book, planStep } from "./plan-step.ts";
import { commandValue, eventValue } from "./inbox.ts";
import { endVisits } from "./observed-nodes.ts";
import { type Position, positionIn, runsIn, stepOutputs } from "./position.ts";
import { positionField, type Routine, stateFaults } from "./routine.ts";
import { inputOf, notEntered } from "./routine-input.ts";
import { toolsOf } from "./routine-tools.ts";
import { endLateCall } from "./runs/late-call.ts";
import { hintAt } from "./runs/run-record.ts";
import { reportLost } from "./runs/run-turn.ts";
import { checkSchedules, type RoutineSchedule } from "./routine-schedule.ts";
import { WakeWorker, wakesOf } from "./wake.ts";

/** Options of {@link routines}. */
export interface RoutinesOptions {
  readonly routines: readonly Routine[];
  /** Tools for the nodes. The model sees them only in a `chat` that names them. */
  readonly tools?: readonly Tool[];
  /** Runs that start by the clock. */
  readonly schedules?: readonly RoutineSchedule[];
}

/** Options of a call. */
export interface RoutineCallOptions {
  /** The call takes effect once per key. */
  readonly idempotencyKey?: string;
}

/** The routines of a session, for callers. */
export interface SessionRoutines {
  /** Returns where the session stands. */
  position(): Promise<Position>;
  /** Enters a routine in a turn of its own. Throws `routine.not_found`, and `input.invalid` for an input that does not fit. */
  enter<Input>(routine: string | Routine<Input>, input?: NoInfer<Input>, options?: RoutineCallOptions): Promise<void>;
  /** Leaves all routines. */
  leave(options?: RoutineCallOptions): Promise<void>;
  /** Reports an event. A routine that waits for it goes on. The event is in the log, and the model reads it. */
  event(name: string, data?: Json, options?: RoutineCallOptions): Promise<void>;
}

/**
 * Declares the routines that an agent follows. Its state needs `routineFields()`. Throws `agent.invalid` for routines that do not fit together.
 * @example defineAgent({ name: "shop", state: defineState({ ...routineFields() }), extensions: [routines({ routines: [returns], tools: [refund] })], model })
 */
export function routines(options: RoutinesOptions): Extension<{ session(session_id: SessionId): SessionRoutines }> {
  const { routines: given, tools: own = [], schedules = [] } = options;
  if (!Array.isArray(given) || given.some((one: Routine | undefined) => one?.type !== "routine"))
    throw invalidAgent(`routines takes a list of routines made by defineRoutine, got ${seen(given)}.`);
  const byId = new Map<string, Routine>();
  for (const routine of given as readonly Routine[]) {
    if (byId.has(routine.id)) throw invalidAgent(`There are two routines "${routine.id}".`);
    byId.set(routine.id, routine);
  }
  refuseFaults([...byId.values()].flatMap((routine) => runFaults(routine, byId)));
  const tools = [...own, ...toolsOf([...byId.values()])];
  const book: Book = { routines: byId, own: new Set(tools.map(({ name }) => name)) };
  return defineExtension({
    name: "routines",
    settings: Object.freeze({ routines: Object.freeze([...byId.values()]), schedules: checkSchedules(schedules, byId) }),
    check: (parts) => checkAgent(parts, book),
    tools,
    step: (turn, next) => planStep(turn, next, book),
    answer: async (turn, { draft, next }) => {
      try {
        return (await endLateCall(turn, byId)) ?? (await next(draft));
      } finally {
        await endVisits(turn);
      }
    },
    restored: ({ state, ...given }) => {
      const position = positionIn(state);
      const withdrawn = runsIn(positionIn(given.before ?? {})).filter((run) => !runsIn(position).includes(run));
      return [...wakesOf(position, given), ...withdrawn.map((run) => hintAt(run, given.now, { isSooner: true }))];
    },
    metadata: (state) => stepOutputs(positionIn(state)),
    finish: (turn, ending) => {
      reportLost(turn, ending, byId);
      return Promise.resolve(undefined);
    },
    background: (context, how) => new WakeWorker(context, how),
    api: (context) => ({ session: (session_id: SessionId) => sessionRoutines(context, session_id, byId) }),
  });
}

/** Throws for faults, with all of them in the message. */
function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw invalidAgent(faults.join(" "));
}

function runFaults(routine: Routine, all: ReadonlyMap<string, Routine>): readonly string[] {
  return Object.values(routine.nodes).flatMap((node) => {
    if (node.kind !== "run") return [];
    const child = all.get(node.action.routine);
    const place = `Routine "${routine.id}", nodes.${node.id}.run.routine:`;
    if (child === undefined) return [`${place} there is no routine "${node.action.routine}".`];
    return (child.autonomous === undefined) === (routine.autonomous === undefined)
      ? []
      : [`${place} an autonomous routine and one of a conversation do not run each other.`];
  });
}

function checkAgent({ name, state, tools = [] }: DefinedParts, { routines: all, own }: Book): void {
  if (state.fields[positionField]?.lifecycle !== "reduced")
    throw invalidAgent(`Agent "${name}" has routines, so its state needs the fields of routineFields(): "${positionField}" is missing.`);
  const faults = [...all.values()].flatMap((routine) => {
    const place = `Routine "${routine.id}"`;
    if (routine.state !== undefined && routine.state !== state) return [`${place} was declared for another state than that of agent "${name}".`];
    const missing = Object.values(routine.nodes).flatMap((node) => {
      const named = node.kind === "tool" ? [node.action.name] : node.kind === "chat" ? (node.action.tools ?? []) : [];
      return named
        .filter((tool) => !tools.includes(tool) && !own.has(tool))
        .map((tool) => `${place}, nodes.${node.id}: there is no tool "${tool}". Give it to the agent or to routines().`);
    });
    return [...missing, ...stateFaults(routine, state).map(({ path, message }) => `${place}, ${path}: ${message}.`)];
  });
  refuseFaults(faults);
}

/** Returns a caller's value. Throws `input.invalid` for one that is not JSON. */
function jsonGiven(value: unknown): Json {
  const wrong = notJson(value);
  if (wrong !== undefined) throw invalidAt("input.invalid", wrong.path, "Events and inputs of routines are JSON.");
  return assertJson(value);
}

function sessionRoutines(context: ExtensionContext, session_id: SessionId, all: ReadonlyMap<string, Routine>): SessionRoutines {
  const post = async (value: Json, { idempotencyKey }: RoutineCallOptions = {}): Promise<void> => {
    const trace_id = context.ids.trace();
    const idempotency = idempotencyKey === undefined ? undefined : { key: `routine ${idempotencyKey}`, body_hash: argumentsHash({ value }) };
    const result = await commitOnce(context, {
      session: {
        session_id,
        events: [newEvent("custom", "system", { value }, { trace_id })],
        queue: { cause: "trigger", trace_id },
        ...present({ idempotency }),
      },
    });
    const isRepeated = result.outcome === "refused" && result.reason === "key_used" && result.body_hash === idempotency?.body_hash;
    if (result.outcome === "refused" && !isRepeated) throw refused(result, session_id);
    context.drive(session_id);
  };
  return {
    position: async () => positionIn(foldState(await loadSession(context, session_id)).document),
    enter: async (routine, input, options) => {
      const id = typeof routine === "string" ? routine : routine.id;
      const found = all.get(id);
      if (found === undefined) throw new ThroughlineError("routine.not_found", `There is no routine ${seen(id)}.`);
      if (found.autonomous !== undefined) throw notEntered(found);
      const checked = inputOf(found, input);
      // The turn checks it again, so it gets what was given: a schema may change it.
      await post(commandValue({ type: "enter", routine: id, input: checked === undefined ? undefined : jsonGiven(input ?? {}) }), options);
    },
    leave: (options) => post(commandValue({ type: "leave" }), options),
    event: async (name, data = null, options) => {
      if (typeof name !== "string" || name.trim() === "") throw invalidAt("input.invalid", "name", `An event has a name, got ${seen(name)}.`);
      await post(eventValue(name, jsonGiven(data)), options);
    },
  };
}
