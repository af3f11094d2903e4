/** The lines of a bundle. The format can be read without Throughline, and Throughline imports it. */
import { createHash } from "node:crypto";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isPlainObject, isStorableText, type Json, type JsonObject } from "../../kernel/json.ts";
import { subagentLabel } from "../../session/session-view.ts";
import {
  eventKinds,
  eventSources,
  turnCauses,
  turnStatuses,
  handoverStatuses,
  type EventKind,
  type EventSource,
  type Handover,
  type SessionMode,
  type TurnCause,
  type TurnStatus,
} from "../../store/port.ts";
import { checkId, checkName } from "../commands/customers.ts";
import { checkTitleAndLabels } from "../commands/session-header.ts";

/** The format that this version writes and reads. */
export const bundleFormat = "throughline-bundle/1";

/** Prefix of the labels of unfinished imports. No bundle may have such a label. */
export const importMark = "throughline:importing:";

/** Default maximum characters of a bundle. It is held in memory until its last line has confirmed that it is complete. */
export const largestBundle = 268_435_456;

export type HeaderLine = { readonly type: "bundle"; readonly format: string; readonly exported_at: number; readonly redacted: boolean };
export type OwnerLine = {
  readonly type: "owner";
  readonly customer_id: string | null;
  readonly name: string | null;
  readonly metadata: JsonObject;
  readonly variables: JsonObject;
  readonly created_at: number | null;
};
export type EntryLine = {
  readonly type: "entry";
  readonly entry_id: string;
  readonly kind: string;
  readonly data: JsonObject | null;
  readonly created_at: number;
};
export type TurnLine = {
  readonly number: number;
  readonly cause: TurnCause;
  readonly status: TurnStatus;
  readonly trace_id: string;
  readonly created_at: number;
  readonly started_offset?: number;
  readonly ended_offset?: number;
};
export type SessionLine = {
  readonly type: "session";
  readonly session_id: string;
  readonly agent: string;
  readonly agent_version: number;
  readonly mode: SessionMode;
  /** Absent if it was never handed over. */
  readonly handover?: Handover;
  readonly title: string | null;
  readonly metadata: JsonObject;
  readonly labels: readonly string[];
  readonly consumers: Readonly<Record<string, number>>;
  /** The session's own variables. Absent if there are none. */
  readonly variables?: JsonObject;
  readonly episode: number;
  readonly created_at: number;
  readonly first_offset: number;
  readonly head: number;
  /** The state at the start of a log whose beginning was deleted. */
  readonly base?: JsonObject;
  /** The offset of the state in `base`: the offset before the first, or the first. */
  readonly base_offset?: number;
  readonly waiting: readonly { readonly offset: number; readonly turn?: number }[];
  readonly turns: readonly TurnLine[];
};
export type EventLine = {
  readonly type: "event";
  readonly offset: number;
  readonly kind: EventKind;
  readonly source: EventSource;
  readonly trace_id: string;
  readonly turn?: number;
  readonly created_at: number;
  readonly version: number;
  readonly data: JsonObject;
  readonly metadata?: JsonObject;
  readonly withdrawn?: true;
};
export type EndLine = { readonly type: "end"; readonly lines: number; readonly sessions: number; readonly events: number; readonly sha256: string };
export type BundleLine = HeaderLine | OwnerLine | EntryLine | SessionLine | EventLine;

/** A session of a complete, checked bundle. */
export interface BundleSession {
  readonly session: SessionLine;
  readonly events: readonly EventLine[];
}

/** A complete, checked bundle. */
export interface Bundle {
  readonly header: HeaderLine;
  readonly owner: OwnerLine;
  readonly entries: readonly EntryLine[];
  readonly sessions: readonly BundleSession[];
  /** Identifies the bundle. */
  readonly sha256: string;
}

/** Creates the hash of a bundle's lines. */
export const bundleHash = (): { update(text: string): unknown; digest(encoding: "hex"): string } => createHash("sha256");

function refuse(line: number, why: string): never {
  throw new ThroughlineError("bundle.invalid", `Line ${line} of the bundle ${why}.`, { details: { line } });
}

const isCount = (value: unknown, least = 0): value is number => Number.isSafeInteger(value) && Number(value) >= least;
const isText = (value: unknown): value is string => typeof value === "string";
const oneOf = (value: unknown, words: readonly string[]): boolean => isText(value) && words.includes(value);
const isTrace = (value: unknown): boolean => isText(value) && /^[0-9a-f]{32}$/.test(value);
const optional = (value: unknown, holds: (value: unknown) => boolean): boolean => value === undefined || holds(value);
const nullable = (value: unknown, holds: (value: unknown) => boolean): boolean => value === null || holds(value);

const isTime = (value: unknown): boolean => isCount(value) && value < 2 ** 43;
/** Whether a store can hold it as a version or an episode. */
const isSmall = (value: unknown, least = 0): boolean => isCount(value, least) && value < 2 ** 31 - 1;
/** Returns whether a value passes a check that throws. */
const passes =
  (check: (value: unknown) => unknown) =>
  (value: unknown): boolean => {
    try {
      check(value);
      return true;
    } catch {
      return false;
    }
  };
const isTitle = (value: unknown): boolean => isText(value) && isStorableText(value) && passes((title) => checkTitleAndLabels({ title }))(value);
/** Returns whether these are labels that a session can have. Those of a child agent's session are marked by the runtime. */
const areLabels = (value: unknown): boolean =>
  Array.isArray(value) &&
  passes((labels) => checkTitleAndLabels({ labels }))(value.filter((label) => label !== subagentLabel)) &&
  !value.some((label) => isText(label) && label.startsWith(importMark));

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

const turnFields: Fields = {
  number: (value) => isCount(value, 1),
  cause: (value) => oneOf(value, turnCauses),
  status: (value) => oneOf(value, turnStatuses),
  trace_id: isTrace,
  created_at: isTime,
  started_offset: (value) => optional(value, isCount),
  ended_offset: (value) => optional(value, isCount),
};
const isWaiting = (value: unknown): boolean =>
  isPlainObject(value) && isCount(value["offset"]) && optional(value["turn"], (turn) => isCount(turn, 1));
const holdsAll = (value: unknown, fields: Fields): boolean =>
  isPlainObject(value) && Object.entries(fields).every(([name, holds]) => holds(value[name]));

const handoverFields: Fields = {
  status: (value) => oneOf(value, handoverStatuses),
  since: isTime,
  operator: (value) => optional(value, (text) => isText(text) && text !== "" && text.length <= 200),
  reason: (value) => optional(value, (text) => isText(text) && text.length <= 500),
  alert: (value) => optional(value, (level) => isCount(level, 1) && level <= 1_000),
};

const shapes: Readonly<Record<string, Fields>> = {
  bundle: { format: isText, exported_at: isTime, redacted: (value) => typeof value === "boolean" },
  owner: {
    customer_id: (value) => nullable(value, passes(checkId)),
    name: passes(checkName),
    metadata: isPlainObject,
    variables: isPlainObject,
    created_at: (value) => nullable(value, isTime),
  },
  entry: { entry_id: isText, kind: isText, data: (value) => nullable(value, isPlainObject), created_at: isTime },
  session: {
    session_id: isText,
    agent: (value) => isText(value) && value !== "" && isStorableText(value),
    agent_version: isSmall,
    mode: (value) => oneOf(value, ["auto", "manual"]),
    title: (value) => nullable(value, isTitle),
    metadata: isPlainObject,
    labels: areLabels,
    consumers: (value) => isPlainObject(value) && Object.values(value).every((offset) => isCount(offset)),
    handover: (value) => optional(value, (handover) => holdsAll(handover, handoverFields)),
    variables: (value) => optional(value, isPlainObject),
    episode: (value) => isSmall(value, 1),
    created_at: isTime,
    first_offset: isCount,
    head: isCount,
    base: (value) => optional(value, isPlainObject),
    base_offset: (value) => optional(value, isCount),
    waiting: (value) => Array.isArray(value) && value.every(isWaiting),
    turns: (value) => Array.isArray(value) && value.every((turn) => holdsAll(turn, turnFields)),
  },
  event: {
    offset: isCount,
    kind: (value) => oneOf(value, eventKinds),
    source: (value) => oneOf(value, eventSources),
    trace_id: isTrace,
    turn: (value) => optional(value, (turn) => isCount(turn, 1)),
    created_at: isTime,
    version: (value) => isCount(value, 1),
    data: isPlainObject,
    metadata: (value) => optional(value, isPlainObject),
    withdrawn: (value) => optional(value, (flag) => flag === true),
  },
  end: { lines: isCount, sessions: isCount, events: isCount, sha256: isText },
};

function parseLine(text: string, number: number): BundleLine | EndLine {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return refuse(number, "is not JSON");
  }
  const type = isPlainObject(value) ? value["type"] : undefined;
  const fields = isText(type) ? shapes[type] : undefined;
  if (fields === undefined || !isPlainObject(value)) return refuse(number, `has the type ${seen(type)}, which this version does not know`);
  for (const [name, holds] of Object.entries(fields)) if (!holds(value[name])) refuse(number, `has ${seen(value[name])} as ${name}`);
  // Every field was checked against the shape of its type.
  return value as unknown as BundleLine | EndLine;
}

interface Reading {
  header?: HeaderLine;
  owner?: OwnerLine;
  readonly entries: EntryLine[];
  readonly sessions: { readonly session: SessionLine; readonly events: EventLine[] }[];
}

function take(reading: Reading, line: BundleLine, number: number): void {
  const current = reading.sessions.at(-1);
  if (line.type === "bundle") {
    if (number !== 1) refuse(number, "begins a second bundle");
    if (line.format !== bundleFormat) refuse(number, `is of the format ${seen(line.format)}; this version reads ${bundleFormat}`);
    reading.header = line;
  } else if (reading.header === undefined) refuse(number, "comes before the line that begins a bundle");
  else if (line.type === "owner") {
    if (reading.owner !== undefined) refuse(number, "names a second owner");
    reading.owner = line;
  } else if (reading.owner === undefined) refuse(number, "comes before the owner");
  else if (line.type === "entry") reading.entries.push(line);
  else if (line.type === "session") {
    checkEnd(current, number);
    if (line.head < line.first_offset) refuse(number, `has ${line.head} as head, before the first offset ${line.first_offset}`);
    if (line.first_offset > 0 && line.base === undefined) refuse(number, "has no state to begin with");
    reading.sessions.push({ session: line, events: [] });
  } else {
    const next = current === undefined ? -1 : current.session.first_offset + current.events.length;
    if (current === undefined || line.offset !== next) refuse(number, `has the offset ${line.offset}, where ${next} was to follow`);
    // A fork shares a message but not its turn if the turn had not started at the fork. The turns of the fork come after it.
    const { turn } = line;
    if (turn !== undefined && !current.session.turns.some(({ number: known }) => known >= turn))
      refuse(number, `belongs to turn ${line.turn}, which the session does not have`);
    current.events.push(line);
  }
}

function checkEnd(current: Reading["sessions"][number] | undefined, number: number): void {
  if (current === undefined) return;
  const { first_offset, head } = current.session;
  if (current.events.length !== head + 1 - first_offset)
    refuse(number, `comes after ${current.events.length} events of a session that has ${head + 1 - first_offset}`);
}

/** Returns the error for a bundle that exceeds the limit. */
export const tooLarge = (maxCharacters: number): ThroughlineError =>
  new ThroughlineError("bundle.too_large", `The bundle has more than ${maxCharacters} characters.`, { details: { max_characters: maxCharacters } });

/** Reads a bundle to its end and checks every line. Throws `bundle.invalid`, which names the first invalid line. */
export async function readBundle(lines: AsyncIterable<string> | Iterable<string>, maxCharacters: number): Promise<Bundle> {
  const reading: Reading = { entries: [], sessions: [] };
  const hash = bundleHash();
  let number = 0;
  let characters = 0;
  let end: EndLine | undefined;
  for await (const text of lines) {
    characters += text.length + 1;
    if (characters > maxCharacters) throw tooLarge(maxCharacters);
    if (text.trim() === "") continue;
    number += 1;
    if (end !== undefined) refuse(number, "comes after the end");
    const line = parseLine(text, number);
    if (line.type === "end") end = line;
    else {
      take(reading, line, number);
      hash.update(`${text}\n`);
    }
  }
  const { header, owner, entries, sessions } = reading;
  checkEnd(sessions.at(-1), number);
  if (number === 0) throw new ThroughlineError("bundle.invalid", "The bundle is empty.");
  if (header === undefined || owner === undefined || end === undefined)
    return refuse(number, "is the last, but the bundle has no end: it was cut off");
  const events = sessions.reduce((sum, session) => sum + session.events.length, 0);
  const counted = { lines: number - 1, sessions: sessions.length, events, sha256: hash.digest("hex") };
  for (const [name, value] of Object.entries(counted))
    if (end[name as keyof typeof counted] !== value)
      refuse(number, `says ${name} ${end[name as keyof typeof counted]}, but it is ${value}: the bundle was changed`);
  return { header, owner, entries, sessions, sha256: counted.sha256 };
}
