/** Commands for runs of autonomous routines. Running services and workers do the work. */
import { createRuntime } from "throughline";
import { present } from "throughline/internal";
import { runsOf } from "throughline/internal/runtime";
import { isPlainObject, type JsonObject, seen, silentLogger, ThroughlineError } from "throughline/kernel";
import type { Run, RunFilter, Runs } from "throughline/routines";
import { type CommandContext, idleContext, type Run as Invocation, withStore } from "../command-context.ts";
import { loadAgents } from "../load-agent.ts";
import { ago, brief, clip, printable, table } from "../terminal-text.ts";
import { webhooksOf } from "./service-commands.ts";

const withRuns = <Result>(context: CommandContext, work: (runs: Runs) => Promise<Result>): Promise<Result> =>
  withStore(context, (store) => work(runsOf(idleContext(store, context))));

const timeText = (at: number): string => new Date(at).toISOString();

/** `runs list`: lists runs whose results are kept, by id. */
export async function listRuns(
  context: CommandContext,
  { session: session_id, ...filter }: Omit<RunFilter, "session_id"> & { readonly session?: string },
): Promise<void> {
  const { output, clock } = context;
  const page = await withRuns(context, (runs) => runs.list({ ...filter, ...present({ session_id }) }));
  if (output.json) return output.document(page);
  if (page.items.length === 0) output.err.line("There are no such runs.");
  else {
    const rows = page.items.map(({ id, routine, status, created_at, session_id: session, error }) =>
      [id, routine, status, ago(created_at, clock.now()), session, error?.code ?? ""].map((cell) => clip(cell, 60)),
    );
    output.out.line(table([["ID", "ROUTINE", "STATUS", "STARTED", "SESSION", "ERROR"], ...rows]));
  }
  if (page.next_cursor !== null) output.err.line(output.err.paint("dim", `More with --cursor ${page.next_cursor}`));
}

/** Prints one run. */
function show({ output }: Pick<CommandContext, "output">, run: Run): void {
  output.result(run, () => {
    const { callback, error, erasure, deadline, finished_at, expires_at } = run;
    const facts: readonly (readonly [string, string | undefined])[] = [
      ["run", run.id],
      ["routine", `${run.routine}, version ${run.version}, of ${run.agent}`],
      ["status", error === undefined ? run.status : `${run.status}: ${error.code}, ${error.message}`],
      ["session", `${run.session_id}${run.ephemeral ? " (of its own)" : ""}`],
      ["started", timeText(run.created_at)],
      ["deadline", finished_at === undefined && deadline !== undefined ? timeText(deadline) : undefined],
      ["finished", finished_at === undefined ? undefined : timeText(finished_at)],
      ["kept until", expires_at === undefined ? undefined : timeText(expires_at)],
      [
        "callback",
        callback && `${callback.status}, ${callback.attempts} attempts${callback.error === undefined ? "" : `, last error ${callback.error}`}`,
      ],
      ["erased", erasure && `${erasure.sessions} session, ${erasure.events} events, receipt ${erasure.id}`],
      ["output", run.output === undefined ? undefined : brief(run.output, 2_000)],
    ];
    return table(facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, printable(value)]])));
  });
}

/** `runs show`: shows a run with its output. */
export const showRun = async (context: CommandContext, id: string): Promise<void> => show(context, await withRuns(context, (runs) => runs.get(id)));

/** `runs cancel`: ends a run that is not over. */
export const cancelRun = async (context: CommandContext, id: string): Promise<void> =>
  show(context, await withRuns(context, (runs) => runs.cancel(id)));

/** Options of `runs start`. */
interface StartOptions {
  readonly input?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly key?: string;
  readonly timeout?: number;
  readonly keep?: number;
  readonly callbackUrl?: string;
}

/** `runs resend`: posts the end of a run that is over. A running service or worker sends it. */
export const resendRun = (invocation: Invocation, id: string, { callbackUrl: callback_url }: { readonly callbackUrl: string }): Promise<void> =>
  withRuntime(invocation, (runs) => runs.resend(id, { callback_url }));

/** `runs start`: starts a run of a routine of the configured agents. A running service or worker does its work. */
export async function startRun(invocation: Invocation, routine: string, options: StartOptions): Promise<void> {
  const input = options.input === undefined ? undefined : inputGiven(options.input);
  const { session: session_id, key: idempotencyKey, timeout: timeout_seconds, keep: keep_seconds, callbackUrl: callback_url, agent } = options;
  const given = present({ session_id, agent, idempotencyKey, timeout_seconds, keep_seconds, callback_url });
  await withRuntime(invocation, (runs) => runs.start(routine, input, given));
}

/** Calls the runs of the configured agents, whose turns another process runs, and shows the run. */
async function withRuntime(invocation: Invocation, work: (runs: Runs) => Promise<Run>): Promise<void> {
  const context = await invocation.service([]);
  const { settings, clock } = context;
  const agents = await loadAgents(settings.agents);
  const run = await withStore(context, async (opened) => {
    const store = webhooksOf(settings, { store: opened, agents, clock, logger: silentLogger })?.store ?? opened;
    const runtime = await createRuntime({ store, agents, work: false, callbacks: settings.callbacks.secrets.length > 0, logger: silentLogger });
    try {
      return await work(runtime.runs);
    } finally {
      await runtime.close();
    }
  });
  show(context, run);
}

function inputGiven(text: string): JsonObject {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (isPlainObject(input)) return input as JsonObject;
  throw new ThroughlineError("cli.usage", `--input takes a JSON object, got ${seen(text)}.`);
}
