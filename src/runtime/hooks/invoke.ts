import type { AgentStateIn } from "../../execution/agent-state.ts";
import type { Ledger } from "../../execution/ledger.ts";
import type { StopSignal } from "../../execution/stop.ts";
import { abortable } from "../../kernel/deadline.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Logger, Tracer } from "../../kernel/log.ts";
import type { Resources, TurnInfo } from "../../extension/stage.ts";
import type { AnyState } from "../turn/journal.ts";
import type { Hook } from "./hook.ts";
import type { HookPoint } from "./points.ts";
import { readReturned, type Asked } from "./returned.ts";

/** What hooks work on: the turn, and the execution that their signals go to. */
export interface HookEnvironment {
  /** The state as it is now. */
  state(): AnyState;
  /** The ledger as it is now. */
  budget(): Ledger;
  readonly info: () => TurnInfo;
  readonly resources: Resources;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer: Tracer;
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
  /** What is wrong with what it asked for, as far as the point knows. */
  readonly wrong: ((asked: Asked) => string | undefined) | undefined;
}

/** Runs a hook and applies what it asked of the state and the execution; undefined for one that failed, when that is ignored. Throws `hook.failed`. */
export async function runHook(environment: HookEnvironment, hook: Hook, run: Run): Promise<Asked | undefined> {
  const { name, onFailure } = hook;
  const asked = await attempt(environment, hook, run);
  if (!ThroughlineError.is(asked)) {
    if (asked.stop !== undefined) environment.raise({ ...asked.stop, source: name });
    return asked;
  }
  environment.signal.throwIfAborted();
  if (onFailure === "fail") throw asked;
  environment.logger.warn(`${asked.message} Its failures are ignored.`, asked.details);
  return undefined;
}

/** What the hook asks for, its changes to the state applied; or why it failed, with nothing applied. */
async function attempt(environment: HookEnvironment, hook: Hook, run: Run): Promise<Asked | ThroughlineError> {
  const { name, timeoutMs } = hook;
  const { point } = run;
  const own = new AbortController();
  try {
    const returned = await environment.tracer.span(`hook ${name}`, { hook: name, point }, () => call(environment, hook, { ...run, own }));
    const asked = readReturned(point, returned);
    const wrong = typeof asked === "string" ? asked : run.wrong?.(asked);
    if (typeof asked === "string" || wrong !== undefined) return failure(hook, point, { why: `it returned ${wrong}` });
    if (asked.delta !== undefined) environment.apply(name, hook.writes, asked.delta);
    return asked;
  } catch (cause) {
    return failure(hook, point, { cause, ...(own.signal.aborted ? { why: `it took longer than ${timeoutMs} ms` } : {}) });
  }
}

/** Calls the function, with a signal and a time limit of its own. */
async function call(
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
    // What returns at once cannot take too long.
    if (!isThenable(returned)) return returned;
    // A sleep that is cut short is one that was not needed.
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

/** What a hook threw may quote what a person wrote, so its text stays out of the log; the cause has it. */
function failure({ name }: Hook, point: HookPoint, { why, cause }: { readonly why?: string; readonly cause?: unknown }): ThroughlineError {
  const code = ThroughlineError.is(cause) ? { code: cause.code } : {};
  return new ThroughlineError("hook.failed", `Hook "${name}" failed at ${point}${why === undefined ? "" : `: ${why}`}.`, {
    cause,
    details: { hook: name, point, ...code },
  });
}
