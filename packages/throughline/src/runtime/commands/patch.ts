/** Changes of a session's header: any number in one commit. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isPlainObject, jsonEqual, type JsonObject } from "../../kernel/json.ts";
import type { Command } from "../../session/decide-command.ts";
import { changeOf, type NamedChange, withNamedChange } from "../../session/session-variables.ts";
import type { HeaderChange, SessionMode, SessionRow } from "../../store/port.ts";
import { headerOf } from "../../extension/commit.ts";
import { appendEnding, type Done, type Handle } from "./handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";
import { checkMembers, checkVersion, type VersionOptions } from "../../kernel/preconditions.ts";
import { checkCount, checkLabels } from "./session-header.ts";
import { toInfo, type SessionInfo } from "../reading/session-info.ts";

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

/** Options of {@link SessionPatch}. */
export interface PatchOptions extends IdempotencyOptions, VersionOptions {}

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
      throw new ThroughlineError("session.invalid", `A consumer's name has 1 to 200 characters, got ${seen(name)}.`, {
        details: { path: "consumers" },
      });
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
