/** Writes what a command prints: text or JSON, in colors or not, and errors with their exit codes. */
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

/** One of the two streams that a command writes to. */
export interface Channel {
  readonly stream: NodeJS.WriteStream;
  /** Columns of the terminal as it is now, 80 if it does not say; `otherwise` where there is no terminal. */
  readonly columns: (otherwise: number) => number;
  /** A text in a style; as it is where colours are not wanted. */
  readonly paint: (style: Style, text: string) => string;
  readonly line: (text?: string) => void;
}

/** Where a command's results and remarks go. */
export interface Output {
  readonly json: boolean;
  /** Results. */
  readonly out: Channel;
  /** Everything else. */
  readonly err: Channel;
  /** The one JSON document of a command that was asked for JSON. */
  document(value: unknown): void;
}

/** Colours at a terminal that has them, unless `NO_COLOR` is set (to anything but the empty text). */
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

/** The output of one run of the command line. */
export function createOutput(
  streams: Pick<NodeJS.Process, "stdout" | "stderr">,
  options: { readonly json: boolean; readonly environment: NodeJS.ProcessEnv },
): Output {
  const out = channelOf(streams.stdout, options.environment);
  return {
    json: options.json,
    out,
    err: channelOf(streams.stderr, options.environment),
    document: (value) => out.line(jsonText(value, 2)),
  };
}

const exitCodes: Readonly<Partial<Record<ErrorKind, number>>> = { invalid: 2, not_found: 3, conflict: 4 };

/** 2 wrong usage, 3 not found, 4 conflict, 1 anything else. */
export const exitCodeOf = (error: ThroughlineError): number => exitCodes[error.kind] ?? 1;

/** The error as a person reads it: the sentence, what to do, the code. */
export function describeError(error: ThroughlineError, paint: Channel["paint"]): string {
  return [`${paint("red", "Error:")} ${printable(error.message)}`, printable(error.hint), paint("dim", `(${error.code})`)].join("\n");
}

/** The error as a document. */
export function errorDocument(error: ThroughlineError): JsonObject {
  const { code, message, hint, details } = error;
  return { error: { code, message, hint, details } satisfies Record<string, Json> };
}

/** With `THROUGHLINE_DEBUG=1`: where the error came from, and what caused it. */
export function stackOf(error: unknown): string {
  const own = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return error instanceof Error && error.cause !== undefined ? `${own}\ncaused by ${stackOf(error.cause)}` : own;
}
