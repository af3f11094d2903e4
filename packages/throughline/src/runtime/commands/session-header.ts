/** The header of a session: checks of callers' values, and changes of any number of members in one commit. */
import { invalidAt } from "../../extension/failure.ts";
import { headerOf } from "../../extension/commit.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, isStorableText, jsonEqual, type JsonObject, present } from "../../kernel/json.ts";
import { checkMembers, checkVersion } from "../../kernel/preconditions.ts";
import { type Command, titleLimit } from "../../session/decide-command.ts";
import { changeOf, type NamedChange, withNamedChange } from "../../session/session-variables.ts";
import { subagentLabel } from "../../session/session-view.ts";
import type { HeaderChange, SessionMode, SessionRow } from "../../store/port.ts";
import { type SessionInfo, toInfo } from "../reading/session-info.ts";
import { appendEnding, type Done, type Handle } from "./handle.ts";
import { idempotencyOf, type PatchOptions } from "./idempotency.ts";

/** Throws `session.invalid` for an invalid title or invalid labels. */
export function checkTitleAndLabels({ title, labels }: { readonly title?: unknown; readonly labels?: unknown }): void {
  if (title !== undefined && (typeof title !== "string" || title.length > titleLimit)) {
    const got = typeof title === "string" ? title.length : seen(title);
    throw invalidAt("session.invalid", "title", `A title has at most ${titleLimit} characters, got ${got}.`);
  }
  if (labels !== undefined) checkLabels("labels", labels);
}

/** Maximum number of labels, and of consumers, per session. */
const headerCountLimit = 100;

/** Throws `session.invalid` for more labels or consumers than a session may have. `before` is their current number, which may stay. */
function checkCount(path: string, count: number, before: number): void {
  if (count <= headerCountLimit || count <= before) return;
  throw new ThroughlineError(
    "session.invalid",
    `A session has at most ${headerCountLimit} ${path}, and would have ${count}. Remove some that are not needed.`,
    {
      details: { path, count, limit: headerCountLimit },
    },
  );
}

/** Throws `session.invalid`, which names the path, if the value is not a list of labels. */
function checkLabels(path: string, labels: unknown): void {
  const isLabel = (label: unknown): boolean => typeof label === "string" && label !== "" && label.length <= 200 && isStorableText(label);
  if (Array.isArray(labels) && labels.includes(subagentLabel))
    throw invalidAt("session.invalid", path, `The label "${subagentLabel}" is reserved for sessions of child agents.`);
  if (Array.isArray(labels) && labels.every(isLabel)) return checkCount(path, labels.length, 0);
  throw invalidAt("session.invalid", path, `Labels are a list of texts of 1 to 200 characters, got ${seen(labels)}.`);
}

/** Returns the header of a new session. */
export const newHeader = ({
  title,
  metadata,
  labels,
}: {
  readonly title?: string;
  readonly metadata?: JsonObject;
  readonly labels?: readonly string[];
}): HeaderChange => ({
  ...present({ title }),
  ...(metadata === undefined ? {} : { metadata: withNamedChange({}, { set: metadata }) }),
  ...(labels === undefined ? {} : { labels: [...new Set(labels)] }),
});

/** Returns the key by which a store finds a session. It distinguishes the sessions of one customer and agent. Throws `session.invalid` for an invalid key. */
export function openKeyOf(agent: string, customer: string | undefined, key: unknown): string {
  if (typeof key !== "string" || key === "" || key.length > 255)
    throw invalidAt("session.invalid", "key", `A session's key has 1 to 255 characters, got ${seen(key)}.`);
  return JSON.stringify([agent, customer ?? null, key]);
}

/** A change of labels. */
export interface LabelChange {
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** A change of a session. Absent members stay unchanged. */
export interface SessionPatch {
  /** At most 200 characters. `null` removes it. */
  readonly title?: string | null;
  /** `manual` hands the session over and `auto` hands it back. The current mode changes nothing. */
  readonly mode?: SessionMode;
  /** A merge patch (RFC 7396): `null` removes a value. */
  readonly metadata?: JsonObject;
  readonly labels?: LabelChange;
  /** Offsets up to which named consumers have read. `null` removes a consumer. */
  readonly consumers?: Readonly<Record<string, number | null>>;
}

type Header = Pick<HeaderChange, "metadata" | "labels" | "consumers">;

/** Changes a session in one commit. Returns the changed session. */
export async function patchSession(handle: Handle, patch: SessionPatch, options: PatchOptions): Promise<SessionInfo> {
  checkMembers(patch, ["title", "mode", "metadata", "labels", "consumers"], "patch");
  const { metadata, labels, consumers, ...rest } = patch;
  const header = (row: SessionRow): Header => ({
    ...(metadata === undefined ? {} : { metadata: withNamedChange(row.metadata, changeOf(row.metadata, metadata, "metadata")) }),
    ...(labels === undefined ? {} : { labels: withLabels(row.labels, labels) }),
    ...(consumers === undefined ? {} : { consumers: withConsumers(row.consumers, consumers) }),
  });
  await changeHeader(handle, { ...rest, header }, options, patch);
  return toInfo(await headerOf(handle.runtime, handle.id));
}

/** Sets and unsets metadata. */
export const setMetadata = (handle: Handle, change: NamedChange): Promise<Done> =>
  changeHeader(handle, { header: (row) => ({ metadata: withNamedChange(row.metadata, change) }) });

/** Adds and removes labels. */
export const setLabels = (handle: Handle, change: LabelChange): Promise<Done> =>
  changeHeader(handle, { header: (row) => ({ labels: withLabels(row.labels, change) }) });

/** Records the offset up to which a named consumer has read. */
export const setConsumer = (handle: Handle, name: string, offset: number): Promise<Done> =>
  changeHeader(handle, { header: (row) => ({ consumers: withConsumers(row.consumers, { [name]: offset }) }) });

interface Change {
  readonly header: (row: SessionRow) => Header;
  readonly title?: string | null;
  readonly mode?: SessionMode;
}

/** `body` is the request that an idempotency key stands for. */
async function changeHeader(handle: Handle, { header, ...rest }: Change, options: PatchOptions = {}, body: SessionPatch = {}): Promise<Done> {
  const { runtime } = handle;
  const command = ({ session }: { readonly session: SessionRow }): Command => {
    checkVersion(options, session.version);
    const at = runtime.clock.now();
    return { type: "patch", ...rest, header: changesOf(session, header(session)), at, trace_id: runtime.ids.trace() };
  };
  const idempotency = idempotencyOf(options, "patch", { ...body });
  return appendEnding(handle, command, { idempotency, reason: new ThroughlineError("session.manual") });
}

/** Returns only the actual changes. */
function changesOf(row: SessionRow, header: Header): Header {
  const before: JsonObject = { metadata: row.metadata, labels: row.labels, consumers: row.consumers };
  return Object.fromEntries(Object.entries(header).filter(([name, value]) => !jsonEqual(value, before[name] ?? null)));
}

function withLabels(before: readonly string[], change: LabelChange): readonly string[] {
  if (!isPlainObject(change)) throw new ThroughlineError("session.invalid", `A change of labels is { add, remove }, got ${seen(change)}.`);
  checkMembers(change, ["add", "remove"], "A change of labels");
  const { add = [], remove = [] } = change as LabelChange;
  for (const [path, labels] of Object.entries({ add, remove })) checkLabels(path, labels);
  const next = [...new Set([...before, ...add])].filter((label) => !remove.includes(label));
  checkCount("labels", next.length, before.length);
  return next;
}

function withConsumers(before: Readonly<Record<string, number>>, change: Readonly<Record<string, number | null>>): Readonly<Record<string, number>> {
  if (!isPlainObject(change)) throw new ThroughlineError("session.invalid", `Consumers are offsets by name, got ${seen(change)}.`);
  const next = new Map(Object.entries(before));
  for (const [name, offset] of Object.entries(change)) {
    if (name === "" || name.length > 200)
      throw invalidAt("session.invalid", "consumers", `A consumer's name has 1 to 200 characters, got ${seen(name)}.`);
    if (offset === null) next.delete(name);
    else next.set(name, checkedOffset(name, offset));
  }
  checkCount("consumers", next.size, Object.keys(before).length);
  return Object.fromEntries(next);
}

function checkedOffset(consumer: string, offset: unknown): number {
  if (typeof offset === "number" && Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new ThroughlineError("session.invalid", `A consumer's offset is a whole number from 0, got ${seen(offset)}.`, { details: { consumer } });
}
