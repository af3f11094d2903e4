/** Ports for what operators see of a process: its log and its traces. */
import { seen, ThroughlineError } from "./error.ts";
import type { JsonObject } from "./json.ts";

/**
 * Port for diagnostics. `console` fits as it is, Pino with a one-line adapter. `message` and `fields` never hold message text, metadata or secrets.
 * `thrown` is the error behind an entry, as it was thrown: its message, stack and causes may quote a user. An implementation that writes only
 * `message` and `fields` therefore stays free of user text. One error is passed once per turn.
 */
export interface Logger {
  debug(message: string, fields?: JsonObject, thrown?: unknown): void;
  info(message: string, fields?: JsonObject, thrown?: unknown): void;
  warn(message: string, fields?: JsonObject, thrown?: unknown): void;
  error(message: string, fields?: JsonObject, thrown?: unknown): void;
}

/** Wraps a logger so that its errors do not reach the caller, and so that an error is passed once per turn, even if several entries name it. */
export function quietLogger(logger: Logger): Logger {
  /** Errors that were passed, with the turn. A constant error may be thrown again in another turn. */
  const passed = new WeakMap<object, unknown>();
  const isNew = (thrown: unknown, turn: unknown): boolean => {
    const chain = causesOf(thrown).filter((one) => typeof one === "object" && one !== null);
    const known = chain.some((one) => passed.has(one) && passed.get(one) === turn);
    for (const one of chain) passed.set(one, turn);
    return !known;
  };
  const quiet =
    (level: keyof Logger): Logger["info"] =>
    (message, fields, thrown) => {
      try {
        if (thrown !== undefined && isNew(thrown, fields?.["turn_id"])) logger[level](message, fields, thrown);
        else logger[level](message, fields);
      } catch {
        // The logger itself failed, so the error cannot be reported.
      }
    };
  return { debug: quiet("debug"), info: quiet("info"), warn: quiet("warn"), error: quiet("error") };
}

/** A logger that discards all entries. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Maximum number of causes that are followed. A chain of causes may be a circle. */
const mostCauses = 8;

/** Returns a thrown value and its causes, the outermost first. */
export function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = thrown; one !== undefined && chain.length < mostCauses && !chain.includes(one); one = one instanceof Error ? one.cause : undefined)
    chain.push(one);
  return chain;
}

/** What developers want to see of a ThroughlineError: the error that it reports as its cause, or the error itself. */
export const originOf = (thrown: unknown): unknown => (ThroughlineError.is(thrown) && thrown.cause !== undefined ? thrown.cause : thrown);

/** Maximum length of a report. */
const longestReport = 16_000;

/**
 * Formats an entry with a thrown error for a developer: what happened, where (agent, session, turn, and the stage, tool or hook), and the stack of what
 * was thrown with its causes. The text may quote a user.
 */
export function describeThrown(message: string, fields: JsonObject, thrown: unknown): string {
  const code = ThroughlineError.is(thrown) ? thrown.code : fields["code"];
  const what = ThroughlineError.is(thrown) && thrown.cause !== undefined ? ` ${thrown.message}` : "";
  const place = Object.entries(fields).flatMap(([name, value]) =>
    name === "code" || name === "cause" || value === null
      ? []
      : [`${name.replace(/_id$/u, "")} ${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
  const stacks = causesOf(originOf(thrown)).map(stackOf);
  const hint = ThroughlineError.is(thrown) ? [`hint: ${thrown.hint}`] : [];
  const lines = [
    `[throughline] ${message}.${what}${typeof code === "string" ? ` (${code})` : ""}`,
    ...(place.length === 0 ? [] : [`at ${place.join(", ")}`]),
    stacks.join("\ncaused by "),
    ...hint,
  ];
  return lines.join("\n").slice(0, longestReport).replaceAll("\n", "\n  ").replaceAll(control, "");
}

/** Control characters other than tab and newline. An error may quote text that would change what the terminal shows. */
const control = /[^\P{Cc}\t\n]/gu;

/** Returns the stack of a thrown value, with its message. Any value can be thrown, including one whose members throw. */
function stackOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return seen(thrown);
    const { stack, name, message } = thrown;
    return stack === undefined || stack === "" ? `${name}: ${message}` : stack.includes(message) ? stack : `${name}: ${message}\n${stack}`;
  } catch {
    return "a value that cannot be shown";
  }
}

/** A logger that writes one block for each entry with a thrown error, and nothing for other entries. */
export function developerLogger(write: (text: string) => void): Logger {
  const report: Logger["info"] = (message, fields = {}, thrown) => {
    if (thrown !== undefined) write(`${describeThrown(message, fields, thrown)}\n`);
  };
  return { debug: () => {}, info: report, warn: report, error: report };
}

/** What the default logger depends on: the environment, and where it writes. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: { readonly isTTY?: boolean; write(text: string): unknown };
}

/**
 * The logger of a runtime without one. It reports to stderr what stages, tools, hooks, models and extensions throw, with stacks, if stderr is a terminal
 * or `NODE_ENV` is not `production`. Otherwise it discards everything, because errors may quote users. `THROUGHLINE_ERRORS` overrides this: `on` or
 * `off`.
 */
export function defaultLogger({ env, stderr }: Surroundings = process): Logger {
  const asked = env["THROUGHLINE_ERRORS"];
  const reports = asked === "on" || (asked !== "off" && (stderr.isTTY === true || env["NODE_ENV"] !== "production"));
  return reports ? developerLogger((text) => void stderr.write(text)) : silentLogger;
}

/** Attributes of a span: numbers, names and ids. Never text that a human wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Tracing, as a port. Errors of an implementation do not affect the traced work. */
export interface Tracer {
  /** Runs `work` inside a span and ends the span when the work settles. */
  span<Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>): Promise<Result>;
}

/** Wraps a tracer so that its errors do not affect the work. The work runs once, and its result is returned. */
export const quietTracer = (tracer: Tracer): Tracer => ({
  async span(name, attributes, work) {
    let begun: ReturnType<typeof work> | undefined;
    const once = (): ReturnType<typeof work> => {
      if (begun !== undefined) return begun;
      begun = work();
      // A tracer might not await the work. The return statement below reports the work's failure.
      begun.catch(() => {});
      return begun;
    };
    try {
      await tracer.span(name, attributes, once);
    } catch {
      // Either the work failed, which the return statement reports, or the tracer did.
    }
    return once();
  },
});

/** The default tracer. It records nothing. */
export const noTracer: Tracer = { span: (_name, _attributes, work) => work() };
