/** Writes a command's output: text or JSON, with or without colors, and errors with their exit codes. */
import { styleText } from "node:util";
import type { ErrorKind, ThroughlineError, Json, JsonObject } from "throughline/kernel";
import { jsonText, printable } from "./terminal-text.ts";

export type Style = "bold" | "dim" | "red" | "green" | "cyan";

type Format = Parameters<typeof styleText>[0];

/** The colors of each style by theme. No theme carries meaning by color alone. */
export const themes = {
  dark: { bold: "bold", dim: "dim", red: "red", green: "green", cyan: "cyan" },
  light: { bold: "bold", dim: "blackBright", red: "red", green: "green", cyan: "blue" },
  contrast: { bold: "bold", dim: undefined, red: ["bold", "inverse"], green: "bold", cyan: "bold" },
  none: undefined,
} as const satisfies Readonly<Record<string, Readonly<Record<Style, Format | undefined>> | undefined>>;

export type Theme = keyof typeof themes;

/** An output stream of a command. */
export interface Channel {
  readonly stream: NodeJS.WriteStream;
  /** The current width of the terminal in columns, 80 if unknown. Returns `otherwise` if the stream is not a terminal. */
  readonly columns: (otherwise: number) => number;
  /** Styles a text if the stream supports colors. */
  readonly paint: (style: Style, text: string) => string;
  readonly line: (text?: string) => void;
  /** Writes a text as it is. */
  readonly write: (text: string) => void;
}

/** The output streams of a command. */
export interface Output {
  readonly json: boolean;
  /** Whether to write for screen readers: no colors, frames, panel or movements of the cursor. True for `--plain` and for `TERM=dumb`. */
  readonly plain: boolean;
  /** The colors of both streams, where they have any. */
  theme: Theme;
  /** Results. */
  readonly out: Channel;
  /** Remarks, prompts and errors. A chat at a terminal puts its own writer here. */
  err: Channel;
  /** Prints the JSON document of a command that runs with `--json`. */
  document(value: unknown): void;
  /** Prints the result of a command: the document with `--json`, otherwise the lines. */
  result(document: unknown, lines: () => string | readonly string[]): void;
}

/** Whether to use colors: only at a terminal, and unless `NO_COLOR` has a value. */
export const isColored = (stream: NodeJS.WriteStream, { plain, environment }: OutputOptions): boolean =>
  stream.isTTY && !plain && (environment["NO_COLOR"] ?? "") === "";

interface OutputOptions {
  readonly plain: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

function channelOf(stream: NodeJS.WriteStream, options: OutputOptions, theme: () => Theme): Channel {
  const colored = isColored(stream, options);
  const write = (text: string): void => void stream.write(text);
  return {
    stream,
    columns: (otherwise) => (stream.isTTY ? stream.columns || 80 : otherwise),
    paint: (style, text) => {
      const format = colored ? themes[theme()]?.[style] : undefined;
      return format === undefined || text === "" ? text : styleText(format, text, { validateStream: false });
    },
    line: (text = "") => write(`${text}\n`),
    write,
  };
}

/** Creates the output of one command run. */
export function createOutput(
  streams: Pick<NodeJS.Process, "stdout" | "stderr">,
  given: { readonly json: boolean; readonly plain?: boolean; readonly environment: NodeJS.ProcessEnv },
): Output {
  const options = { plain: given.plain === true || given.environment["TERM"] === "dumb", environment: given.environment };
  const theme = (): Theme => output.theme;
  const out = channelOf(streams.stdout, options, theme);
  const document = (value: unknown): void => out.line(jsonText(value, 2));
  const output: Output = {
    json: given.json,
    plain: options.plain,
    theme: "dark",
    out,
    err: channelOf(streams.stderr, options, theme),
    document,
    result(value, lines) {
      if (output.json) document(value);
      else for (const line of [lines()].flat()) out.line(line);
    },
  };
  return output;
}

const exitCodes: Readonly<Partial<Record<ErrorKind, number>>> = { invalid: 2, not_found: 3, conflict: 4 };

/** The exit code of an error: 2 for wrong usage, 3 for not found, 4 for a conflict, 1 for everything else. */
export const exitCodeOf = (error: ThroughlineError): number => exitCodes[error.kind] ?? 1;

/** Formats an error for the terminal: message, hint and code. */
export function describeError(error: ThroughlineError, paint: Channel["paint"], hint: string = error.hint): string {
  return [`${paint("red", "Error:")} ${printable(error.message)}`, printable(hint), paint("dim", `(${error.code})`)].join("\n");
}

/** Formats an error as JSON. */
export function errorDocument(error: ThroughlineError, hint: string = error.hint): JsonObject {
  const { code, message, details } = error;
  return { error: { code, message, hint, details } satisfies Record<string, Json> };
}

/** Formats the stack traces of an error and its causes, for `THROUGHLINE_DEBUG=1`. */
export function stackOf(error: unknown): string {
  const own = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return error instanceof Error && error.cause !== undefined ? `${own}\ncaused by ${stackOf(error.cause)}` : own;
}
