/** Runs an agent's hooks. Each one receives the point's value as the previous one changed it. A block and a required approval are final. */
import type { AgentStateIn } from "../../execution/agent-state.ts";
import type { Ledger } from "../../execution/ledger.ts";
import type { ClosedStep, StopReason, StopSignal } from "../../execution/step.ts";
import type { Resources, TurnInfo } from "../../extension/stage.ts";
import type { Clock } from "../../kernel/clock.ts";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze, type JsonObject, present } from "../../kernel/json.ts";
import type { Logger } from "../../kernel/log.ts";
import type { ModelRequest } from "../../model/model-port.ts";
import type { ToolCall, ToolResult } from "../../session/event.ts";
import type { ModelAnswer } from "../loop/ask.ts";
import type { AnyState } from "../turn/journal.ts";
import type { Hook } from "./hook.ts";
import { type HookApproval, type HookBlock, type HookGiven, type HookPoint, hookPoints } from "./points.ts";
import { type HookRequests, readReturned, withParts, wrongTools } from "./returned.ts";

type Running = AgentStateIn<"running">;
type Done = AgentStateIn<"done">;

/** Decisions of hooks on a call. */
export interface ToolVerdict {
  readonly call: ToolCall;
  /** Blocks the call, whatever else was decided. */
  readonly block?: HookBlock;
  readonly approval?: HookApproval;
}

/** An agent's hooks in one execution. */
export interface Hooks {
  /** Whether hooks run between a model's response and the end of an execution without calls. */
  readonly followModel: boolean;
  beforeExecution(execution: Running): Promise<void>;
  beforeStep(execution: Running): Promise<void>;
  beforeModel(execution: Running, request: ModelRequest): Promise<ModelRequest>;
  afterModel(execution: Running, answer: ModelAnswer): Promise<ModelAnswer>;
  beforeTool(execution: Running, call: ToolCall): Promise<ToolVerdict>;
  afterTool(execution: Running, call: ToolCall, result: ToolResult): Promise<ToolResult>;
  afterStep(execution: Running, step: ClosedStep): Promise<{ readonly continue?: { readonly source: string } }>;
  onStop(
    execution: Running,
    signal: StopSignal,
  ): Promise<{ readonly continue?: { readonly source: string; readonly waives: readonly StopReason[] } }>;
  onError(
    execution: Running,
    error: ThroughlineError,
  ): Promise<{ readonly retry?: { readonly source: string }; readonly fallback?: { readonly source: string; readonly text: string } }>;
  afterExecution(done: Done): Promise<void>;
}

/** Creates the hooks of an execution, by point, higher priority first. A point without hooks costs one check of an empty list. */
export function createHooks(hooks: readonly Hook[], environment: HookEnvironment): Hooks {
  const ordered = hooks.length < 2 ? hooks : hooks.toSorted((left, right) => right.priority - left.priority);
  const at = Object.fromEntries<readonly Hook[]>(hookPoints.map((point) => [point, ordered.filter((hook) => hook.at[point] !== undefined)]));
  const runner: Runner = { at: at as Record<HookPoint, readonly Hook[]>, environment, info: once(environment.info) };
  return Object.freeze({
    followModel: (["afterModel", "afterStep", "onStop", "afterExecution"] as const).some((point) => at[point]?.length !== 0),
    beforeExecution: (execution) => plain(runner, "beforeExecution", execution),
    beforeStep: (execution) => plain(runner, "beforeStep", execution),
    beforeModel: (execution, request) => beforeModel(runner, execution, request),
    afterModel: (execution, answer) => afterModel(runner, execution, answer),
    beforeTool: (execution, call) => beforeTool(runner, execution, call),
    afterTool: (execution, call, result) => afterTool(runner, execution, { call, result }),
    afterStep: (execution, step) => afterStep(runner, execution, step),
    onStop: (execution, signal) => onStop(runner, execution, signal),
    onError: (execution, error) => onError(runner, execution, error),
    afterExecution: (done) => plain(runner, "afterExecution", done),
  } satisfies Hooks);
}

interface Runner {
  readonly at: Readonly<Record<HookPoint, readonly Hook[]>>;
  readonly environment: HookEnvironment;
  readonly info: () => TurnInfo;
}

/** Caches a value. The properties of a turn are constant while it runs. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Runs the hooks of a point, one after the other. `given` builds the input of the next hook. `wrong` describes requests that the point rejects,
 * before anything is applied. `take` applies the requests. `failed` is called for a hook whose failure is ignored.
 */
async function eachHook<Point extends HookPoint>(
  { at, environment, info }: Runner,
  point: Point,
  execution: Running | Done,
  use: {
    readonly hooks?: readonly Hook[];
    readonly given?: () => HookGiven[Point];
    readonly wrong?: (requests: HookRequests) => string | undefined;
    readonly take?: (requests: HookRequests, name: string) => void;
    readonly failed?: (name: string) => void;
  },
): Promise<void> {
  for (const hook of use.hooks ?? at[point]) {
    const requests = await runHook(environment, hook, { point, execution, info: info(), given: use.given?.(), wrong: use.wrong });
    if (requests === undefined) use.failed?.(hook.name);
    else use.take?.(requests, hook.name);
  }
}

/** A point whose hooks have no decisions of their own. */
async function plain(runner: Runner, point: "beforeExecution" | "beforeStep" | "afterExecution", execution: Running | Done): Promise<void> {
  if (runner.at[point].length > 0) await eachHook(runner, point, execution, {});
}

async function beforeModel(runner: Runner, execution: Running, request: ModelRequest): Promise<ModelRequest> {
  if (runner.at.beforeModel.length === 0) return request;
  let current = deepFreeze(request);
  await eachHook(runner, "beforeModel", execution, {
    given: () => ({ request: current }),
    wrong: ({ request: parts }) => wrongTools(current, parts),
    take: ({ request: parts }) => {
      if (parts !== undefined) current = withParts(current, parts);
    },
  });
  return current;
}

async function afterModel(runner: Runner, execution: Running, answer: ModelAnswer): Promise<ModelAnswer> {
  if (runner.at.afterModel.length === 0) return answer;
  let current = deepFreeze(answer);
  await eachHook(runner, "afterModel", execution, {
    given: () => ({ answer: current }),
    take: ({ answer: other }) => {
      if (other !== undefined) current = Object.freeze({ ...current, text: other.text ?? current.text, calls: other.calls ?? current.calls });
    },
  });
  return current;
}

async function beforeTool(runner: Runner, execution: Running, call: ToolCall): Promise<ToolVerdict> {
  const hooks = forTool(runner.at.beforeTool, call);
  if (hooks.length === 0) return { call };
  let current = deepFreeze(call);
  let block: HookBlock | undefined;
  let approval: HookApproval | undefined;
  await eachHook(runner, "beforeTool", execution, {
    hooks,
    given: () => ({ call: current, block, approval }),
    take: (requests, by) => {
      if (requests.arguments !== undefined) current = Object.freeze({ ...current, arguments: requests.arguments });
      // The first decision is final: no later hook can revoke a block or a required approval.
      if (requests.block !== undefined) block ??= Object.freeze({ by, reason: requests.block });
      if (requests.approval !== undefined) approval ??= Object.freeze({ by, question: requests.approval === true ? undefined : requests.approval });
    },
    // An unchecked call must not run.
    failed: (by) => (block ??= Object.freeze({ by, reason: "This call could not be checked." })),
  });
  return { call: current, ...present({ block, approval }) };
}

async function afterTool(
  runner: Runner,
  execution: Running,
  { call, result }: { readonly call: ToolCall; readonly result: ToolResult },
): Promise<ToolResult> {
  const hooks = forTool(runner.at.afterTool, call);
  if (hooks.length === 0) return result;
  let current = deepFreeze(result);
  const frozen = deepFreeze(call);
  await eachHook(runner, "afterTool", execution, {
    hooks,
    given: () => ({ call: frozen, result: current }),
    take: (requests) => {
      current = requests.result ?? current;
    },
  });
  return current;
}

const forTool = (hooks: readonly Hook[], { name }: ToolCall): readonly Hook[] =>
  hooks.length === 0 ? hooks : hooks.filter(({ tools }) => tools === undefined || tools.includes(name));

async function afterStep(runner: Runner, execution: Running, step: ClosedStep): Promise<{ readonly continue?: { readonly source: string } }> {
  if (runner.at.afterStep.length === 0) return {};
  const sources: string[] = [];
  await eachHook(runner, "afterStep", execution, {
    given: () => ({ step }),
    take: (requests, name) => {
      if (requests.continue !== undefined) sources.push(name);
    },
  });
  return sources.length === 0 ? {} : { continue: { source: sources.join(", ") } };
}

async function onStop(
  runner: Runner,
  execution: Running,
  stop: StopSignal,
): Promise<{ readonly continue?: { readonly source: string; readonly waives: readonly StopReason[] } }> {
  if (runner.at.onStop.length === 0) return {};
  const sources: string[] = [];
  const waives = new Set<StopReason>();
  const frozen = deepFreeze(stop);
  await eachHook(runner, "onStop", execution, {
    given: () => ({ stop: frozen }),
    take: (requests, name) => {
      if (requests.continue === undefined || requests.continue === true) return;
      sources.push(name);
      for (const reason of requests.continue.waives) waives.add(reason);
    },
  });
  return sources.length === 0 ? {} : { continue: { source: sources.join(", "), waives: [...waives] } };
}

async function onError(runner: Runner, execution: Running, error: ThroughlineError): ReturnType<Hooks["onError"]> {
  if (runner.at.onError.length === 0) return {};
  let retry: { readonly source: string } | undefined;
  let fallback: { readonly source: string; readonly text: string } | undefined;
  await eachHook(runner, "onError", execution, {
    given: () => ({ error }),
    take: (requests, source) => {
      if (requests.retry !== undefined) retry ??= { source };
      if (requests.fallback !== undefined) fallback ??= { source, text: requests.fallback };
    },
  });
  return { ...present({ retry, fallback }) };
}

/** The environment of hooks: the turn, and the execution that receives their signals. */
export interface HookEnvironment {
  /** Returns the current state. */
  state(): AnyState;
  /** Returns the current ledger. */
  budget(): Ledger;
  readonly info: () => TurnInfo;
  /** The agent, session and turn, for the log. */
  readonly place: JsonObject;
  readonly resources: Resources;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs a hook's function, observed. */
  observed<Result>(hook: string, point: HookPoint, run: () => Promise<Result>): Promise<Result>;
  /** Applies a delta, all or nothing. */
  apply(hook: string, writes: readonly string[], delta: JsonObject): void;
  raise(signal: StopSignal): void;
}

/** One run of a hook's function. */
interface Run {
  readonly point: HookPoint;
  readonly execution: AgentStateIn<"running" | "done">;
  readonly info: TurnInfo;
  readonly given: unknown;
  /** Describes the defect in a request, as far as the point can check it. */
  readonly wrong: ((requests: HookRequests) => string | undefined) | undefined;
}

/** Runs a hook and applies its requests to the state and the execution. Returns undefined if it failed and its failures are ignored. Throws `hook.failed`. */
export async function runHook(environment: HookEnvironment, hook: Hook, run: Run): Promise<HookRequests | undefined> {
  const { name, onFailure } = hook;
  const requests = await attempt(environment, hook, run);
  if (!ThroughlineError.is(requests)) {
    if (requests.stop !== undefined) environment.raise({ ...requests.stop, source: name });
    return requests;
  }
  environment.signal.throwIfAborted();
  if (onFailure === "fail") throw requests;
  environment.logger.warn(`${requests.message} Its failures are ignored.`, { ...environment.place, ...requests.details }, requests);
  return undefined;
}

/** Returns the hook's requests, with its state changes applied, or the reason of its failure, with nothing applied. */
async function attempt(environment: HookEnvironment, hook: Hook, run: Run): Promise<HookRequests | ThroughlineError> {
  const { name, timeoutMs } = hook;
  const { point } = run;
  const own = new AbortController();
  try {
    const returned = await environment.observed(name, point, () => callFunction(environment, hook, { ...run, own }));
    const requests = readReturned(point, returned);
    const wrong = typeof requests === "string" ? requests : run.wrong?.(requests);
    if (typeof requests === "string" || wrong !== undefined) return failure(hook, point, { why: `it returned ${wrong}` });
    if (requests.delta !== undefined) environment.apply(name, hook.writes, requests.delta);
    return requests;
  } catch (cause) {
    return failure(hook, point, { cause, ...(own.signal.aborted ? { why: `it took longer than ${timeoutMs} ms` } : {}) });
  }
}

/** Calls the function with its own signal and time limit. */
async function callFunction(
  environment: HookEnvironment,
  hook: Hook,
  { point, execution, info, given, own }: Run & { readonly own: AbortController },
): Promise<unknown> {
  const { signal, resources, clock } = environment;
  signal.throwIfAborted();
  const ended = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const context = {
    ...(given as object),
    state: environment.state(),
    context: info,
    execution,
    budget: environment.budget(),
    resources,
    signal: own.signal,
  };
  try {
    const returned = hook.at[point]?.(Object.freeze(context) as never);
    // A synchronous result cannot time out.
    if (!isThenable(returned)) return returned;
    // The sleep rejects only when it is cancelled.
    clock.sleep(hook.timeoutMs, ended.signal).then(
      () => own.abort(new ThroughlineError("timeout", `Hook "${hook.name}" took longer than ${hook.timeoutMs} ms at ${point}.`)),
      () => {},
    );
    return await abortable(Promise.resolve(returned), own.signal);
  } finally {
    ended.abort();
    signal.removeEventListener("abort", abort);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** A hook's error may quote a customer's text, so its message is not logged. The cause contains it. */
function failure({ name }: Hook, point: HookPoint, { why, cause }: { readonly why?: string; readonly cause?: unknown }): ThroughlineError {
  const code = ThroughlineError.is(cause) ? { code: cause.code } : {};
  return new ThroughlineError("hook.failed", `Hook "${name}" failed at ${point}${why === undefined ? "" : `: ${why}`}.`, {
    cause,
    details: { hook: name, point, ...code },
  });
}
