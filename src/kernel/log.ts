import type { JsonObject } from "./json.ts";

/** Where diagnostics go. Pino and console both fit after one line of glue. Fields never hold message text, metadata or secrets. */
export interface Logger {
  debug(message: string, fields?: JsonObject): void;
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
  error(message: string, fields?: JsonObject): void;
}

/** A logger whose failures stay its own. */
export function quietLogger(logger: Logger): Logger {
  const quiet =
    (level: keyof Logger): Logger["info"] =>
    (message, fields) => {
      try {
        logger[level](message, fields);
      } catch {
        // There is nowhere left to say it.
      }
    };
  return { debug: quiet("debug"), info: quiet("info"), warn: quiet("warn"), error: quiet("error") };
}

/** A logger that says nothing: the default. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
