/** Writes a command's output: text or JSON, with or without colors, and errors with their exit codes. */
import type { ErrorKind, ThroughlineError, Json, JsonObject } from "throughline/kernel";
import { jsonText, printable } from "./terminal-text.ts";

export type Style = "bold" | "dim" | "red" | "green" | "cyan";

const codes: Readonly<Record<Style, readonly [open: number, close: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  cyan: [36, 39],
};

/** An output stream of a command. */
export interface Channel {
  readonly stream: NodeJS.WriteStream;
  /** The current width of the terminal in columns, 80 if unknown. Returns `otherwise` if the stream is not a terminal. */
  readonly columns: (otherwise: number) => number;
  /** Styles a text if the stream supports colors. */
  readonly paint: (style: Style, text: string) => string;
  readonly line: (text?: string) => void;
}

/** The output streams of a command. */
export interface Output {
  readonly json: boolean;
  /** Results. */
  readonly out: Channel;
  /** Remarks, prompts and errors. */
  readonly err: Channel;
  /** Prints the JSON document of a command that runs with `--json`. */
  document(value: unknown): void;
  /** Prints the result of a command: the document with `--json`, otherwise the lines. */
  result(document: unknown, lines: () => string | readonly string[]): void;
}

/** Whether to use colors: only at a terminal, and unless `NO_COLOR` has a value or `TERM` is `dumb`. */
const coloured = (stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean =>
  stream.isTTY && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";

function channelOf(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Channel {
  const colours = coloured(stream, environment);
  return {
    stream,
    columns: (otherwise) => (stream.isTTY ? stream.columns || 80 : otherwise),
    paint: (style, text) => (colours && text !== "" ? `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m` : text),
    line: (text = "") => void stream.write(`${text}\n`),
  };
}

/** Creates the output of one command run. */
export function createOutput(
  streams: Pick<NodeJS.Process, "stdout" | "stderr">,
  options: { readonly json: boolean; readonly environment: NodeJS.ProcessEnv },
): Output {
  const out = channelOf(streams.stdout, options.environment);
  const document = (value: unknown): void => out.line(jsonText(value, 2));
  return {
    json: options.json,
    out,
    err: channelOf(streams.stderr, options.environment),
    document,
    result(value, lines) {
      if (options.json) document(value);
      else for (const line of [lines()].flat()) out.line(line);
    },
  };
}

const exitCodes: Readonly<Partial<Record<ErrorKind, number>>> = { invalid: 2, not_found: 3, conflict: 4 };

/** The exit code of an error: 2 for wrong usage, 3 for not found, 4 for a conflict, 1 for everything else. */
export const exitCodeOf = (error: ThroughlineError): number => exitCodes[error.kind] ?? 1;

/** Formats an error for the terminal: message, hint and code. */
export function describeError(error: ThroughlineError, paint: Channel["paint"]): string {
  return [`${paint("red", "Error:")} ${printable(error.message)}`, printable(error.hint), paint("dim", `(${error.code})`)].join("\n");
}

/** Formats an error as JSON. */
export function errorDocument(error: ThroughlineError): JsonObject {
  const { code, message, hint, details } = error;
  return { error: { code, message, hint, details } satisfies Record<string, Json> };
}

/** Formats the stack traces of an error and its causes, for `THROUGHLINE_DEBUG=1`. */
export function stackOf(error: unknown): string {
  const own = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return error instanceof Error && error.cause !== undefined ? `${own}\ncaused by ${stackOf(error.cause)}` : own;
}
