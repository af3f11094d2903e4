/** Routines: versioned graphs that an agent follows. Declares their nodes, checks a definition, and draws it. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { deepFreeze, isPlainObject, type Json, type JsonObject, notJson, present } from "../kernel/json.ts";
import { isSchema, type Schema } from "../kernel/schema.ts";
import { isStateDefinition, type DeltaOf, type StateDefinition, type StateOf } from "../state/define.ts";
import { nearest } from "../state/document.ts";
import { type Parameters, parametersOf } from "../tools/parameters.ts";

/** A schema, or a JSON Schema, of an object. */
export type ObjectSchema<Value> = Schema<unknown, Value> | JsonObject;

/** Data that conditions and mappings read. */
export interface RoutineScope<State = Readonly<Record<string, unknown>>, Input = unknown, Outputs = Readonly<Record<string, unknown>>> {
  /** The state of the agent. */
  readonly state: State;
  /** The input with which the routine was entered. */
  readonly input: Input;
  /** The latest result of each node that has one: `think`, `approve`, `wait`, `run` and `emit_output`. */
  readonly outputs: { readonly [Node in keyof Outputs]?: Outputs[Node] };
  /** Time in milliseconds. */
  readonly now: number;
}

/** A scope after the action of a node. */
export type ResultScope<Of extends RoutineScope, Result> = Of & { readonly result: Result };

/**
 * A condition as data. `value` names what is compared: `state.order.id`, `input.text`, `outputs.classify.category`, or `result.status` for the node's
 * own result. Several tests of one predicate must all hold.
 */
export type Predicate =
  | {
      readonly value: string;
      readonly equals?: Json;
      readonly in?: readonly Json[];
      /** Whether the value exists. `null` does not count as a value. */
      readonly set?: boolean;
      readonly above?: number;
      readonly below?: number;
    }
  | { readonly all: readonly Predicate[] }
  | { readonly any: readonly Predicate[] }
  | { readonly not: Predicate };

/** A condition: a sentence that a model judges, a predicate, or a function. */
export type Condition<Of> = string | Predicate | ((scope: Of) => boolean);

/** A value from the scope: JSON in which `{ from: "state.order" }` stands for a value, or a function. */
export type Mapping<Of, Value = unknown> = JsonObject | ((scope: Of) => Value);

/** Where a routine goes after a node. Without `when`, always. `end` leaves the routine. */
export interface Transition<Of = never, Name extends string = string> {
  readonly to: Name | "end";
  readonly when?: Condition<Of>;
}

/** The actions of nodes. A node has exactly one. */
export interface Actions<D extends StateDefinition, Of extends RoutineScope, Value> {
  /**
   * The agent talks until a transition applies. Functions and predicates are checked before each step, sentences after each message of the customer.
   * A transition without a condition applies after the customer has replied once.
   */
  readonly chat: {
    readonly instructions: string;
    /** Names of the tools that the model may call. Default: those of the agent. */
    readonly tools?: readonly string[];
  };
  /** Calls a tool with arguments from the scope. */
  readonly tool: {
    readonly name: string;
    readonly arguments?: Mapping<Of, object>;
    /** Changes of the state, from the tool's result. */
    readonly result?: Mapping<ResultScope<Of, Json>, Partial<DeltaOf<D>>>;
  };
  /** One model call with validated output. Only in autonomous routines. */
  readonly think: {
    readonly instructions: string;
    readonly output: ObjectSchema<Value>;
    /** Number of tries for a valid output. Default 3. */
    readonly tries?: number;
    readonly result?: Mapping<ResultScope<Of, Value>, Partial<DeltaOf<D>>>;
  };
  /** Does nothing: its transitions decide. */
  readonly branch: Record<never, never>;
  /** Waits for a human decision. The result is `{ approved, reason? }`. */
  readonly approve: {
    readonly question: string;
    /** What the operator decides about, besides the question. */
    readonly details?: Mapping<Of, object>;
    /** Seconds after which the request counts as rejected. Default 86,400. */
    readonly seconds?: number;
  };
  /** Waits for an event, a duration or a time, whichever comes first. The result is `{ event, data }` or `{ timeout: true }`. */
  readonly wait: {
    /** Name of the event. */
    readonly event?: string;
    readonly seconds?: number;
    /** Time in milliseconds, or as RFC 3339 text. */
    readonly until?: { readonly from: string } | ((scope: Of) => number | string);
    readonly result?: Mapping<ResultScope<Of, Value>, Partial<DeltaOf<D>>>;
  };
  /** Follows another routine to its end. The result is that routine's output, or `null`. */
  readonly run: {
    readonly routine: string;
    readonly input?: Mapping<Of, object>;
    readonly result?: Mapping<ResultScope<Of, Value>, Partial<DeltaOf<D>>>;
  };
  /** Produces the routine's output: from the scope, or by the model with these instructions. */
  readonly emit_output: {
    readonly output?: Mapping<Of, object>;
    readonly instructions?: string;
    /** Number of tries for a valid output of the model. Default 3. */
    readonly tries?: number;
  };
}

/** The kinds of node. */
export const nodeKinds = ["chat", "tool", "think", "branch", "approve", "wait", "run", "emit_output"] as const;
/** A kind of node. */
export type NodeKind = (typeof nodeKinds)[number];

/** A node: one action, and where the routine goes after it. */
export type NodeGiven<D extends StateDefinition, Of extends RoutineScope, Name extends string, Value> = {
  /** Where the routine goes: the first transition that applies, those with functions and predicates before those with sentences. */
  readonly next?: Name | "end" | readonly Transition<ResultScope<Of, Value>, Name>[];
  /** Where the routine goes if the action fails: a failed call, a blocked or lost one, or no valid output. Default: the routine fails. */
  readonly error?: Name | "end";
} & { readonly [Kind in keyof Actions<D, Of, Value>]?: Actions<D, Of, Value>[Kind] };

/** Changes from an older version of a routine: where a session goes on that is at a removed or renamed node. `end` leaves the routine. */
export interface RoutineMigration<Name extends string = string> {
  /** The version that it migrates from, to the next one. */
  readonly from: number;
  readonly nodes: Readonly<Record<string, Name | "end">>;
}

/** Options of an autonomous routine: it runs without a conversation. */
export interface Autonomous {
  /** Seconds after which a run has failed. */
  readonly timeout_seconds?: number;
  /** Hosts that a callback of a run may name. */
  readonly callback_hosts?: readonly string[];
}

/** Options of {@link defineRoutine}. */
export interface RoutineOptions<D extends StateDefinition, Input, Output, Outputs> {
  /** Letters, digits, `-` and `_`, at most 24. */
  readonly id: string;
  /** Raise it when nodes are renamed or removed, and add a migration. Default 1. */
  readonly version?: number;
  readonly title: string;
  readonly description?: string;
  /** The state of the agent that follows it. It types functions; an agent with another state refuses the routine. */
  readonly state?: D;
  /** When the agent enters it by itself: if any of these holds. Default: never, it is entered by a call. */
  readonly conditions?: readonly Condition<RoutineScope<StateOf<D>, undefined, object>>[];
  /** A routine with a higher priority interrupts one with a lower priority. Default 0. */
  readonly priority?: number;
  /** It runs without a conversation: no `chat`, but `think`. */
  readonly autonomous?: boolean | Autonomous;
  readonly input?: ObjectSchema<Input>;
  readonly output?: ObjectSchema<Output>;
  /** The first node. Default: the first of `nodes`. */
  readonly entry?: NoInfer<keyof Outputs & string>;
  readonly nodes: {
    readonly [Name in keyof Outputs]: NodeGiven<D, RoutineScope<StateOf<D>, Input, NoInfer<Outputs>>, NoInfer<keyof Outputs & string>, Outputs[Name]>;
  };
  readonly migrations?: readonly RoutineMigration<NoInfer<keyof Outputs & string>>[];
}

/** A node as the runtime uses it. */
export type RoutineNode = {
  readonly [Kind in NodeKind]: {
    readonly id: string;
    readonly kind: Kind;
    readonly action: Actions<StateDefinition, RoutineScope, Json>[Kind];
    readonly next: readonly Transition<ResultScope<RoutineScope, unknown>>[];
    readonly error: string | undefined;
  };
}[NodeKind];

/** A routine: checked and frozen. Create it with {@link defineRoutine}. */
export interface Routine<Input = unknown, Output = unknown> {
  readonly type: "routine";
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly state: StateDefinition | undefined;
  readonly conditions: readonly Condition<RoutineScope>[];
  readonly priority: number;
  readonly autonomous: Autonomous | undefined;
  readonly input: ObjectSchema<Input> | undefined;
  readonly output: ObjectSchema<Output> | undefined;
  readonly entry: string;
  readonly nodes: Readonly<Record<string, RoutineNode>>;
  readonly migrations: readonly RoutineMigration[];
}

/** A defect of a definition and its place, such as `nodes.pay.next[0].to`. */
export interface RoutineFault {
  readonly path: string;
  readonly message: string;
}

/** Name of the state field that holds where a session stands. */
export const positionField = "routines";

/** Nodes whose result later nodes can read. */
const readable: ReadonlySet<NodeKind> = new Set(["think", "approve", "wait", "run", "emit_output"]);

/**
 * Defines a routine. Throws `routine.invalid`, whose details list all faults with their places.
 * @example
 * defineRoutine({ id: "returns", title: "Return a parcel", nodes: {
 *   ask: { chat: { instructions: "Ask for the order number." }, next: [{ to: "check", when: { value: "state.order", set: true } }] },
 *   check: { tool: { name: "find_order", arguments: { id: { from: "state.order" } } }, next: "end" },
 * } })
 */
export function defineRoutine<D extends StateDefinition = StateDefinition, Input = undefined, Output = undefined, Outputs = Record<string, unknown>>(
  options: RoutineOptions<D, Input, Output, Outputs>,
): Routine<Input, Output> {
  // The types of functions are those of the options; the runtime passes them the same data.
  return routineFrom(options) as Routine<Input, Output>;
}

/** Creates a routine from options of any origin, such as a YAML file. Throws `routine.invalid`. */
export function routineFrom(given: unknown): Routine {
  const faults: RoutineFault[] = [];
  const routine = read(given, (path, message) => void faults.push({ path, message }));
  if (routine !== undefined && faults.length === 0) return routine;
  const [first] = faults;
  const id = isPlainObject(given) && typeof given["id"] === "string" ? ` "${given["id"]}"` : "";
  const more = faults.slice(1, mostNamed).map(({ path, message }) => `; ${path}: ${message}`);
  const rest = faults.length > mostNamed ? `; and ${faults.length - mostNamed} more` : "";
  throw new ThroughlineError(
    "routine.invalid",
    `Routine${id}, ${first?.path === "" ? "definition" : first?.path}: ${first?.message}${more.join("")}${rest}`,
    {
      details: { path: first?.path ?? "", faults: faults.map((fault) => ({ ...fault })) },
    },
  );
}

/** Number of faults that the message of an error names. Its details name all. */
const mostNamed = 5;

type Report = (path: string, message: string) => void;

const optionNames = [
  ...["id", "version", "title", "description", "state", "conditions", "priority", "autonomous", "input", "output", "entry", "nodes", "migrations"],
];
const idPattern = /^[a-z][a-z0-9_-]{0,23}$/iu;

function known(value: Readonly<Record<string, unknown>>, names: readonly string[], path: string, report: Report): void {
  for (const name of Object.keys(value))
    if (!names.includes(name)) {
      const near = nearest(name, [...names]);
      report(join(path, name), `is unknown; ${near === undefined ? `it is one of ${names.join(", ")}` : `did you mean "${near}"?`}`);
    }
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isWhole = (value: unknown, from: number): value is number => Number.isSafeInteger(value) && Number(value) >= from;

function read(given: unknown, report: Report): Routine | undefined {
  if (!isPlainObject(given)) {
    report("", `a routine is an object, got ${seen(given)}`);
    return undefined;
  }
  known(given, optionNames, "", report);
  const { id, version = 1, title, description = "", state, conditions = [], priority = 0, autonomous = false, migrations = [] } = given;
  if (typeof id !== "string" || !idPattern.test(id))
    report("id", `is a name of letters, digits, "-" and "_" that begins with a letter (at most 24), got ${seen(id)}`);
  if (!isWhole(version, 1)) report("version", `is a whole number from 1, got ${seen(version)}`);
  if (!isText(title)) report("title", `is a text, got ${seen(title)}`);
  if (typeof description !== "string") report("description", `is a text, got ${seen(description)}`);
  if (state !== undefined && !isStateDefinition(state)) report("state", `is made by defineState, got ${seen(state)}`);
  if (typeof priority !== "number" || !Number.isFinite(priority)) report("priority", `is a number, got ${seen(priority)}`);
  const settings = autonomousOf(autonomous, report);
  if (settings !== undefined && Array.isArray(conditions) && conditions.length > 0)
    report("conditions", "are for conversations, and the routine is autonomous: start it with runs.start");
  const input = shapeGiven(given["input"], "input", report);
  const output = shapeGiven(given["output"], "output", report);
  const nodes = nodesOf(given["nodes"], { id: String(id), autonomous: settings !== undefined }, report);
  const names = Object.keys(nodes);
  const entry = given["entry"] === undefined ? names[0] : given["entry"];
  if (names.length === 0) return undefined;
  if (typeof entry !== "string" || !Object.hasOwn(nodes, entry)) report("entry", noNode(entry, names));
  const routine = deepFreezeShallow({
    type: "routine",
    id: String(id),
    version: Number(version),
    title: String(title),
    description: String(description),
    state: isStateDefinition(state) ? state : undefined,
    conditions: conditionsOf(conditions, report),
    priority: Number(priority),
    autonomous: settings,
    input,
    output,
    entry: typeof entry === "string" ? entry : "",
    nodes,
    migrations: migrationsOf(migrations, { version: Number(version), names }, report),
  } satisfies Routine);
  checkGraph(routine, report);
  return routine;
}

const deepFreezeShallow = (routine: Routine): Routine => Object.freeze(routine);

function autonomousOf(given: unknown, report: Report): Autonomous | undefined {
  if (given === false || given === undefined) return undefined;
  if (given === true) return Object.freeze({});
  if (!isPlainObject(given)) {
    report("autonomous", `is true or an object, got ${seen(given)}`);
    return undefined;
  }
  known(given, ["timeout_seconds", "callback_hosts"], "autonomous", report);
  const { timeout_seconds, callback_hosts } = given;
  if (timeout_seconds !== undefined && !(typeof timeout_seconds === "number" && timeout_seconds > 0))
    report("autonomous.timeout_seconds", `is a number above 0, got ${seen(timeout_seconds)}`);
  if (callback_hosts !== undefined && !(Array.isArray(callback_hosts) && callback_hosts.every(isText)))
    report("autonomous.callback_hosts", `is a list of hosts, got ${seen(callback_hosts)}`);
  return deepFreeze({ ...given }) as Autonomous;
}

/** Checked forms of schemas, by the schema. */
const shapes = new WeakMap<object, Parameters>();

/** Returns the checked form of a schema of a routine. */
export function shapeOf(given: ObjectSchema<unknown>): Parameters {
  const made =
    shapes.get(given) ??
    parametersOf(given, (why) => {
      throw new ThroughlineError("routine.invalid", why);
    });
  shapes.set(given, made);
  return made;
}

function shapeGiven(given: unknown, path: string, report: Report): ObjectSchema<unknown> | undefined {
  if (given === undefined) return undefined;
  if (!isSchema(given) && !isPlainObject(given)) {
    report(path, `is a schema or a JSON Schema, got ${seen(given)}`);
    return undefined;
  }
  const shape = isSchema(given) ? (given as ObjectSchema<unknown>) : deepFreeze(structuredClone(given) as JsonObject);
  try {
    shapeOf(shape);
  } catch (error) {
    report(path, ThroughlineError.from(error).message.replaceAll("`parameters`", "the schema"));
  }
  return shape;
}

function conditionsOf(given: unknown, report: Report): readonly Condition<RoutineScope>[] {
  if (!Array.isArray(given)) {
    report("conditions", `is a list, got ${seen(given)}`);
    return [];
  }
  for (const [index, condition] of given.entries()) checkCondition(condition, `conditions[${index}]`, report);
  return Object.freeze((given as Condition<RoutineScope>[]).slice());
}

function checkCondition(given: unknown, path: string, report: Report): void {
  if (typeof given === "function" || isText(given)) return;
  if (!isPlainObject(given)) return report(path, `is a sentence, a predicate or a function, got ${seen(given)}`);
  const { all, any, not, ...rest } = given;
  const parts = [all, any, not].filter((part) => part !== undefined).length;
  if (parts === 1 && Object.keys(rest).length === 0) {
    if (all !== undefined) checkPredicates(all, join(path, "all"), report);
    if (any !== undefined) checkPredicates(any, join(path, "any"), report);
    if (not !== undefined) checkPredicate(not, join(path, "not"), report);
    return;
  }
  known(given, ["value", "equals", "in", "set", "above", "below"], path, report);
  if (!isText(given["value"])) report(join(path, "value"), `names a value, such as "state.order", got ${seen(given["value"])}`);
  if (Object.keys(rest).filter((name) => name !== "value").length === 0)
    report(path, "tests nothing; it has one of equals, in, set, above and below");
  const { in: list, set, above, below } = given;
  if (list !== undefined && !Array.isArray(list)) report(join(path, "in"), `is a list, got ${seen(list)}`);
  if (set !== undefined && typeof set !== "boolean") report(join(path, "set"), `is true or false, got ${seen(set)}`);
  for (const [name, limit] of [["above", above] as const, ["below", below] as const])
    if (limit !== undefined && typeof limit !== "number") report(join(path, name), `is a number, got ${seen(limit)}`);
}

function checkPredicates(list: unknown, path: string, report: Report): void {
  if (!Array.isArray(list) || list.length === 0) return report(path, `is a list of predicates, got ${seen(list)}`);
  for (const [index, one] of list.entries()) checkPredicate(one, `${path}[${index}]`, report);
}

function checkPredicate(given: unknown, path: string, report: Report): void {
  if (typeof given === "string" || typeof given === "function") report(path, "is a predicate; sentences and functions stand alone");
  else checkCondition(given, path, report);
}

const actionNames: Readonly<Record<NodeKind, readonly string[]>> = {
  chat: ["instructions", "tools"],
  tool: ["name", "arguments", "result"],
  think: ["instructions", "output", "tries", "result"],
  branch: [],
  approve: ["question", "details", "seconds"],
  wait: ["event", "seconds", "until", "result"],
  run: ["routine", "input", "result"],
  emit_output: ["output", "instructions", "tries"],
};

function nodesOf(
  given: unknown,
  routine: { readonly id: string; readonly autonomous: boolean },
  report: Report,
): Readonly<Record<string, RoutineNode>> {
  const listed = Array.isArray(given) ? listedNodes(given, report) : given;
  if (!isPlainObject(listed) || Object.keys(listed).length === 0) {
    report("nodes", `is an object of nodes, got ${seen(given)}`);
    return {};
  }
  const nodes: Record<string, RoutineNode> = {};
  for (const [id, one] of Object.entries(listed)) {
    const path = `nodes.${id}`;
    if (!idPattern.test(id) || id === "end") report(path, `a node needs a name of letters, digits, "-" and "_" (at most 24) that is not "end"`);
    if (toolNameOf(routine.id, id, "next").length > 64) report(path, `the names of routine and node are too long together`);
    const node = nodeOf(id, one, { path, autonomous: routine.autonomous }, report);
    if (node !== undefined) nodes[id] = node;
  }
  return Object.freeze(nodes);
}

/** A list of nodes with ids, as in a file whose order and duplicates matter. */
function listedNodes(given: readonly unknown[], report: Report): Readonly<Record<string, unknown>> {
  const nodes: Record<string, unknown> = {};
  for (const [index, one] of given.entries()) {
    const id: unknown = isPlainObject(one) ? one["id"] : undefined;
    if (!isPlainObject(one) || typeof id !== "string") report(`nodes[${index}].id`, `is the name of the node, got ${seen(id)}`);
    else if (Object.hasOwn(nodes, id)) report(`nodes[${index}].id`, `there are two nodes "${id}"`);
    else nodes[id] = Object.fromEntries(Object.entries(one).filter(([name]) => name !== "id"));
  }
  return nodes;
}

function nodeOf(
  id: string,
  given: unknown,
  { path, autonomous }: { readonly path: string; readonly autonomous: boolean },
  report: Report,
): RoutineNode | undefined {
  if (!isPlainObject(given)) {
    report(path, `is an object, got ${seen(given)}`);
    return undefined;
  }
  known(given, [...nodeKinds, "next", "error"], path, report);
  const [kind, ...others] = nodeKinds.filter((one) => given[one] !== undefined);
  if (kind === undefined) {
    report(path, `has no action; it has one of ${nodeKinds.join(", ")}`);
    return undefined;
  }
  if (others.length > 0) report(path, `has two actions, ${kind} and ${others[0]}; make a node for each`);
  if (kind === "think" && !autonomous) report(path, "think is only for autonomous routines: nobody would answer the customer meanwhile");
  if (kind === "chat" && autonomous) report(path, "chat needs a conversation, and the routine is autonomous");
  const action = actionOf(kind, given[kind], join(path, kind), report);
  const next = nextOf(given["next"], { path: join(path, "next"), kind }, report);
  const { error } = given;
  if (error !== undefined && typeof error !== "string") report(join(path, "error"), `is the name of a node, got ${seen(error)}`);
  // The kind and its action belong together by construction.
  return Object.freeze({ id, kind, action, next, error: typeof error === "string" ? error : undefined }) as RoutineNode;
}

function actionOf(kind: NodeKind, given: unknown, path: string, report: Report): Readonly<Record<string, unknown>> {
  if (!isPlainObject(given)) {
    report(path, `is an object, got ${seen(given)}`);
    return {};
  }
  known(given, actionNames[kind], path, report);
  const text = (name: string): void => {
    if (!isText(given[name])) report(join(path, name), `is a text, got ${seen(given[name])}`);
  };
  const mapping = (name: string): void => {
    const value = given[name];
    if (value === undefined || typeof value === "function") return;
    const wrong = isPlainObject(value) ? notJson(value) : { path: "", seen: seen(value) };
    if (wrong !== undefined)
      report(`${join(path, name)}${wrong.path.replaceAll("/", ".")}`, `is ${wrong.seen}; a mapping is JSON, or one function for the whole of it`);
  };
  const count = (name: string, most: number): void => {
    const value = given[name];
    if (value !== undefined && !(typeof value === "number" && value > 0 && value <= most))
      report(join(path, name), `is a number above 0 and up to ${most}, got ${typeof value === "number" ? String(value) : seen(value)}`);
  };
  if (kind === "chat" || kind === "think") text("instructions");
  if (kind === "tool") text("name");
  if (kind === "run") text("routine");
  if (kind === "approve") text("question");
  for (const name of ["arguments", "details", "input", "result"]) mapping(name);
  count("seconds", 10 * 366 * 86_400);
  count("tries", 20);
  const { tools, event, until, output, instructions } = given;
  if (kind === "chat" && tools !== undefined && !(Array.isArray(tools) && tools.every(isText)))
    report(join(path, "tools"), `is a list of names of tools, got ${seen(tools)}`);
  if (kind === "wait") {
    if (event === undefined && given["seconds"] === undefined && until === undefined)
      report(path, "waits for nothing: give it an event, seconds or until");
    if (event !== undefined) text("event");
    if (until !== undefined && typeof until !== "function" && !(isPlainObject(until) && isText(until["from"])))
      report(join(path, "until"), `is { from } or a function, got ${seen(until)}`);
  }
  if (kind === "think") {
    if (output === undefined) report(join(path, "output"), "is missing: the schema of the output");
    return Object.freeze({ ...given, output: shapeGiven(output, join(path, "output"), report) });
  }
  if (kind === "emit_output") {
    mapping("output");
    if ((output === undefined) === (instructions === undefined)) report(path, "has either output or instructions");
    if (instructions !== undefined) text("instructions");
  }
  return Object.freeze(Object.fromEntries(Object.entries(given).map(([name, value]) => [name, typeof value === "function" ? value : frozen(value)])));
}

/** A copy. What is not JSON is a fault already. */
const frozen = (value: unknown): unknown => (notJson(value) === undefined ? deepFreeze(structuredClone(value)) : undefined);

function nextOf(given: unknown, { path, kind }: { readonly path: string; readonly kind: NodeKind }, report: Report): RoutineNode["next"] {
  if (given === undefined && kind === "emit_output") return Object.freeze([Object.freeze({ to: "end" })]);
  if (typeof given === "string") return Object.freeze([Object.freeze({ to: given })]);
  if (!Array.isArray(given) || given.length === 0) {
    report(path, `missing exit: say which node follows, or "end"`);
    return [];
  }
  const transitions = given.map((one: unknown, index) => {
    const place = `${path}[${index}]`;
    if (!isPlainObject(one)) {
      report(place, `is { to, when }, got ${seen(one)}`);
      return undefined;
    }
    known(one, ["to", "when"], place, report);
    const { to, when } = one;
    if (typeof to !== "string") report(join(place, "to"), `is the name of a node or "end", got ${seen(to)}`);
    if (when !== undefined) checkCondition(when, join(place, "when"), report);
    else if (index < given.length - 1) report(place, "always applies, so the transitions after it never do");
    return Object.freeze(present({ to: String(to), when: when as Condition<ResultScope<RoutineScope, unknown>> | undefined }));
  });
  const last = transitions.at(-1);
  if (kind !== "chat" && last?.when !== undefined) report(path, "missing exit: the last transition needs no condition, so that one always applies");
  return Object.freeze(transitions.filter((one) => one !== undefined));
}

function migrationsOf(
  given: unknown,
  routine: { readonly version: number; readonly names: readonly string[] },
  report: Report,
): readonly RoutineMigration[] {
  if (!Array.isArray(given)) {
    report("migrations", `is a list, got ${seen(given)}`);
    return [];
  }
  const seenFrom = new Set<unknown>();
  for (const [index, one] of given.entries()) {
    const path = `migrations[${index}]`;
    if (!isPlainObject(one) || !isPlainObject(one["nodes"])) {
      report(path, `is { from, nodes }, got ${seen(one)}`);
      continue;
    }
    const { from } = one;
    if (!isWhole(from, 1) || from >= routine.version) report(join(path, "from"), `is an earlier version than ${routine.version}, got ${seen(from)}`);
    if (seenFrom.has(from)) report(join(path, "from"), `there are two migrations from version ${String(from)}`);
    seenFrom.add(from);
    const isLast = from === routine.version - 1;
    for (const [name, to] of Object.entries(one["nodes"]))
      if (typeof to !== "string" || (isLast && to !== "end" && !routine.names.includes(to)))
        report(`${path}.nodes.${name}`, noNode(to, routine.names));
  }
  return frozen(given) as readonly RoutineMigration[];
}

function noNode(name: unknown, names: readonly string[]): string {
  const near = typeof name === "string" ? nearest(name, [...names]) : undefined;
  return `there is no node ${seen(name)}${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

/** Returns where a node can lead. */
const targetsOf = (node: RoutineNode | undefined): readonly string[] =>
  node === undefined ? [] : [...node.next.map(({ to }) => to), ...(node.error === undefined ? [] : [node.error])];

function reach(routine: Routine, from: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = Object.hasOwn(routine.nodes, id) ? routine.nodes[id] : undefined;
    if (node === undefined || found.has(id)) continue;
    found.add(id);
    open.push(...targetsOf(node));
  }
  return found;
}

/** `hidden`: whether names of nodes are wrong, so that a node may only look unreachable. */
function checkWays(routine: Routine, hidden: boolean, report: Report): void {
  const reached = reach(routine, [routine.entry]);
  for (const { id, next } of Object.values(routine.nodes)) {
    if (!hidden && !reached.has(id)) report(`nodes.${id}`, `unreachable: no path leads from "${routine.entry}" to it`);
    // A name that is no node's may be meant for one that leads to the end.
    const leads = [...reach(routine, [id])].some((one) => targetsOf(routine.nodes[one]).some((to) => !Object.hasOwn(routine.nodes, to)));
    if (next.length > 0 && !leads) report(`nodes.${id}`, "missing exit: no path leads from it to the end");
  }
}

function checkGraph(routine: Routine, report: Report): void {
  const names = Object.keys(routine.nodes);
  let isBroken = false;
  const check = (path: string, to: string): void => {
    if (to === "end" || names.includes(to)) return;
    isBroken = true;
    report(path, noNode(to, names));
  };
  for (const { id, next, error } of Object.values(routine.nodes)) {
    for (const [index, { to }] of next.entries()) check(`nodes.${id}.next[${index}].to`, to);
    if (error !== undefined) check(`nodes.${id}.error`, error);
  }
  checkWays(routine, isBroken || !names.includes(routine.entry), report);
  if (routine.output !== undefined && !Object.values(routine.nodes).some(({ kind }) => kind === "emit_output"))
    report("output", "no node emits it: add one with emit_output");
  for (const { kind, id } of Object.values(routine.nodes))
    if (kind === "emit_output" && routine.output === undefined) report(`nodes.${id}`, "emits an output, and the routine declares none");
  for (const { path, name, node } of references(routine)) checkReference(routine, { path, name, node }, report);
  if (routine.state !== undefined) checkState(routine, routine.state, report);
}

/** Returns what a routine without a state of its own reads or writes that the state of its agent does not have. */
export function stateFaults(routine: Routine, state: StateDefinition): readonly RoutineFault[] {
  const faults: RoutineFault[] = [];
  if (routine.state === undefined) checkState(routine, state, (path, message) => void faults.push({ path, message }));
  return faults;
}

/** Checks which fields of a state the data of a routine reads and writes. */
function checkState(routine: Routine, { fields }: StateDefinition, report: Report): void {
  const unknown = (name: string): string => `the state has no "${name}"; it has ${Object.keys(fields).join(", ")}`;
  for (const { path, name } of references(routine)) {
    const [root, field] = name.split(".");
    if (root === "state" && field !== undefined && !Object.hasOwn(fields, field)) report(path, unknown(field));
  }
  for (const { id, kind, action } of Object.values(routine.nodes)) {
    const result = "result" in action ? action.result : undefined;
    if (!isPlainObject(result) || referenceIn(result) !== undefined) continue;
    for (const name of Object.keys(result)) {
      const path = `nodes.${id}.${kind}.result.${name}`;
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field === undefined) report(path, unknown(name));
      else if (field.lifecycle === "input") report(path, `"${name}" is an input field, which the caller sets`);
      else if (name === positionField) report(path, `"${name}" is where the routines stand, and only the runtime writes it`);
    }
  }
}

interface Reference {
  readonly path: string;
  readonly name: string;
  /** The node that reads it, and whether it has run by then. Undefined for a condition of the routine. */
  readonly node: { readonly id: string; readonly ran: boolean } | undefined;
}

/** Returns the values that the data of a routine refers to. What functions read is unknown. */
function references(routine: Routine): readonly Reference[] {
  const found: Reference[] = [];
  const inCondition = (given: unknown, path: string, node: Reference["node"]): void => {
    if (!isPlainObject(given)) return;
    if (typeof given["value"] === "string") found.push({ path: join(path, "value"), name: given["value"], node });
    for (const name of ["all", "any"]) {
      const list = given[name];
      if (Array.isArray(list)) for (const [index, one] of list.entries()) inCondition(one, `${path}.${name}[${index}]`, node);
    }
    inCondition(given["not"], join(path, "not"), node);
  };
  const inMapping = (given: unknown, path: string, node: Reference["node"]): void => {
    const from = referenceIn(given);
    if (from !== undefined) found.push({ path: join(path, "from"), name: from, node });
    else if (Array.isArray(given)) for (const [index, one] of given.entries()) inMapping(one, `${path}[${index}]`, node);
    else if (isPlainObject(given)) for (const [name, one] of Object.entries(given)) inMapping(one, join(path, name), node);
  };
  for (const [index, condition] of routine.conditions.entries()) inCondition(condition, `conditions[${index}]`, undefined);
  for (const { id, kind, action, next } of Object.values(routine.nodes)) {
    const given: Readonly<Record<string, unknown>> = { ...action };
    for (const name of ["arguments", "details", "input", "until"]) inMapping(given[name], `nodes.${id}.${kind}.${name}`, { id, ran: false });
    if (kind === "emit_output") inMapping(given["output"], `nodes.${id}.${kind}.output`, { id, ran: false });
    inMapping(given["result"], `nodes.${id}.${kind}.result`, { id, ran: true });
    for (const [index, { when }] of next.entries()) inCondition(when, `nodes.${id}.next[${index}].when`, { id, ran: true });
  }
  return found;
}

/** Returns the name of a value if this is a reference: an object with the only member `from`. */
export const referenceIn = (given: unknown): string | undefined =>
  isPlainObject(given) && Object.keys(given).length === 1 && typeof given["from"] === "string" ? given["from"] : undefined;

function checkReference(routine: Routine, { path, name, node }: Reference, report: Report): void {
  const [root, first, second] = name.split(".");
  const properties = (shape: ObjectSchema<unknown> | undefined): readonly string[] | undefined => {
    const members = shape === undefined ? undefined : shapeOf(shape).members;
    return members === undefined || members.open ? undefined : members.names;
  };
  const member = (names: readonly string[] | undefined, wanted: string | undefined, what: string): void => {
    if (names !== undefined && wanted !== undefined && !names.includes(wanted))
      report(path, `${what} has no "${wanted}"; it has ${names.join(", ") || "none"}`);
  };
  if (root === "state") {
    if (first === undefined) report(path, `"${name}" names no field; write "state.field"`);
  } else if (root === "input") {
    if (routine.input === undefined || node === undefined)
      report(path, `unreadable: ${node === undefined ? "a condition" : "the routine"} has no input`);
    else member(properties(routine.input), first, "the input");
  } else if (root === "outputs") {
    const of = first !== undefined && Object.hasOwn(routine.nodes, first) ? routine.nodes[first] : undefined;
    if (first === undefined || of === undefined || node === undefined)
      report(path, `unreadable output: ${noNode(first, Object.keys(routine.nodes))}`);
    else if (!readable.has(of.kind)) report(path, `unreadable output: node "${first}" is a ${of.kind}, which has none`);
    else if (first === node.id ? !node.ran : !reach(routine, targetsOf(of)).has(node.id))
      report(path, `unreadable output: node "${first}" never runs before "${node.id}"`);
    else if (of.kind === "think") member(properties(of.action.output), second, `the output of "${first}"`);
    else if (of.kind === "emit_output") member(properties(routine.output), second, `the output of "${first}"`);
  } else if (root === "result") {
    const of = node === undefined ? undefined : routine.nodes[node.id];
    if (node?.ran !== true || of === undefined) report(path, "unreadable: the node has no result yet");
    else if (of.kind === "chat" || of.kind === "branch") report(path, `unreadable: a ${of.kind} has no result`);
    else if (of.kind === "think") member(properties(of.action.output), first, "the result");
  } else if (name !== "now") report(path, `"${name}" is no value; it begins with state, input, outputs or result, or is now`);
}

/** Returns the name of the tool with which a model answers for a node: its output, or the choice of a transition. */
export const toolNameOf = (routine: string, node: string, what: "output" | "next"): string => `${routine}__${node}${what === "next" ? "__next" : ""}`;

const arrows: Readonly<Record<NodeKind, readonly [string, string]>> = {
  chat: ["(", ")"],
  tool: ["[", "]"],
  think: ["[[", "]]"],
  branch: ["{", "}"],
  approve: ["{{", "}}"],
  wait: [">", "]"],
  run: ["[/", "/]"],
  emit_output: ["([", "])"],
};

const quoted = (text: string): string => `"${text.replaceAll('"', "#quot;").replaceAll(/\s+/gu, " ").slice(0, 80)}"`;

/** A node of a {@link RoutineGraph}, and where the routine goes from it. */
export interface RoutineGraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** The tool that it calls, the routine that it runs, or the event that it waits for. */
  readonly about?: string;
  /** The transitions in their order, with their conditions in words. */
  readonly next: readonly { readonly to: string; readonly when?: string }[];
  /** Where the routine goes if the action fails. */
  readonly error?: string;
}

/** A routine as data that a page can draw. Instructions are left out. */
export interface RoutineGraph {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly autonomous: boolean;
  readonly entry: string;
  readonly nodes: readonly RoutineGraphNode[];
}

/** Returns the graph of a routine. */
export const routineGraph = ({ id, version, title, description, autonomous, entry, nodes }: Routine): RoutineGraph => ({
  ...{ id, version, title, description, autonomous: autonomous !== undefined, entry },
  nodes: Object.values(nodes).map(({ id: node, kind, action, next, error }) => ({
    ...{ id: node, kind },
    ...("name" in action ? { about: action.name } : "routine" in action ? { about: action.routine } : {}),
    ...("event" in action && action.event !== undefined ? { about: action.event } : {}),
    next: next.map(({ to, when }) => ({ to, ...(when === undefined ? {} : { when: describe(when) }) })),
    ...(error === undefined ? {} : { error }),
  })),
});

/** Draws a routine as a Mermaid flowchart. */
export function toMermaid(routine: Routine): string {
  const name = (id: string): string => (id === "end" ? "end_" : `n_${id.replaceAll("-", "_")}`);
  const { entry, nodes } = routineGraph(routine);
  const lines = ["flowchart TD", `  start_((start)) --> ${name(entry)}`];
  for (const { id, kind, about } of nodes) {
    const [open, close] = arrows[kind];
    lines.push(`  ${name(id)}${open}${quoted(`${id} (${kind}${about === undefined ? "" : `: ${about}`})`)}${close}`);
  }
  lines.push("  end_((end))");
  for (const { id, next, error } of nodes) {
    for (const { to, when } of next) lines.push(`  ${name(id)} -->${when === undefined ? "" : `|${quoted(when)}|`} ${name(to)}`);
    if (error !== undefined) lines.push(`  ${name(id)} -.->|"error"| ${name(error)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Describes a condition in a few words. */
export function describe(condition: Condition<never>): string {
  if (typeof condition === "string") return condition;
  if (typeof condition === "function") return condition.name === "" || condition.name === "when" ? "a function" : condition.name;
  if ("all" in condition) return condition.all.map(describe).join(" and ");
  if ("any" in condition) return condition.any.map(describe).join(" or ");
  if ("not" in condition) return `not (${describe(condition.not)})`;
  const { value, ...tests } = condition;
  return Object.entries(tests)
    .map(([test, wanted]) => (test === "set" ? `${value} is ${wanted === true ? "set" : "not set"}` : `${value} ${test} ${JSON.stringify(wanted)}`))
    .join(" and ");
}
