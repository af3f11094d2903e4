/** The log of a process that runs until it is told to end: one line a remark, with ids, codes and numbers, and nothing that somebody wrote. */
import type { Clock } from "../kernel/clock.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Logger } from "../kernel/log.ts";
import { cut, jsonText, printable } from "./text.ts";

/** Remarks by their weight. */
const levels = ["debug", "info", "warn", "error"] as const;

export interface LogOptions {
  /** The least that is told. */
  readonly level: (typeof levels)[number] | "silent";
  /** One JSON document a line, or a line for a person. */
  readonly format: "json" | "text";
  readonly clock: Pick<Clock, "now">;
  /** Takes out of a text what must not be told, such as the password of the database. */
  readonly hide?: (text: string) => string;
}

/** Fields that hold what lets somebody in, by their names: numbers of tokens are none. */
const secretive = /password|secret|authorization|cookie|token$|key$/iu;

/** Longer texts are no ids, and no codes. */
const longest = 500;

/** A log that writes lines. */
export function logLines(write: (line: string) => void, { level, format, clock, hide = (text) => text }: LogOptions): Logger {
  const clean = (value: Json, name: string): Json => {
    if (typeof value === "string") return secretive.test(name) ? "***" : cut(hide(value), longest);
    if (Array.isArray(value)) return value.map((item: Json) => clean(item, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([inner, part]) => [inner, clean(part, inner)]));
  };
  const line =
    (weight: (typeof levels)[number]): Logger["info"] =>
    (message, fields = {}) => {
      if (level === "silent" || levels.indexOf(weight) < levels.indexOf(level)) return;
      const told = Object.entries(fields).map(([name, value]) => [name, clean(value, name)] as const);
      write(format === "json" ? asJson(clock.now(), weight, hide(message), told) : asText(weight, hide(message), told));
    };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}

type Told = readonly (readonly [name: string, value: Json])[];

function asJson(now: number, level: string, message: string, told: Told): string {
  const head: JsonObject = { time: new Date(now).toISOString(), level, message };
  return jsonText({ ...head, ...Object.fromEntries(told.filter(([name]) => !(name in head))) });
}

function asText(level: string, message: string, told: Told): string {
  const rest = told.map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return printable(`${level === "warn" ? "warning" : level}: ${message}${rest.join("")}`).replaceAll("\n", " ");
}
