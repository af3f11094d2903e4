/** Ports for what operators see of a process: its log and its traces. */
import type { JsonObject } from "./json.ts";

/** Port for diagnostics. Pino and console fit with a one-line adapter. Fields never hold message text, metadata or secrets. */
export interface Logger {
  debug(message: string, fields?: JsonObject): void;
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
  error(message: string, fields?: JsonObject): void;
}

/** Wraps a logger so that its errors do not reach the caller. */
export function quietLogger(logger: Logger): Logger {
  const quiet =
    (level: keyof Logger): Logger["info"] =>
    (message, fields) => {
      try {
        logger[level](message, fields);
      } catch {
        // The logger itself failed, so the error cannot be reported.
      }
    };
  return { debug: quiet("debug"), info: quiet("info"), warn: quiet("warn"), error: quiet("error") };
}

/** The default logger. It discards all entries. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

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
