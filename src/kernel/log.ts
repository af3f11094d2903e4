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
