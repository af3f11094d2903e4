/**
 * The point `store`: every text and number of a commit passes the extensions that have this point. The store is wrapped once, when a runtime starts,
 * so no code path can bypass it. Without such an extension, nothing is wrapped.
 */
import { createHmac } from "node:crypto";
import { type ObjectShape, optionOf, type Shape } from "../kernel/descriptor.ts";
import { isOutcomeUnknown, ThroughlineError } from "../kernel/error.ts";
import type { Ids, SessionId } from "../kernel/id.ts";
import { isPlainObject, type Json, type JsonObject, parsePointer, present } from "../kernel/json.ts";
import { systemRandom } from "../kernel/random.ts";
import { setRecent } from "../kernel/recent.ts";
import { eventDeclarations } from "../session/event.ts";
import {
  type Commit,
  type CommitResult,
  forwarding,
  type NewEvent,
  type OwnerChange,
  type RecordChange,
  type SessionChange,
  type Store,
} from "../store/port.ts";
import { findRecord } from "./lists.ts";
import type { Extension, StoredPlace } from "./port.ts";

/** Rewrites values before they are stored. Members, lists and types stay. */
export interface Rewrite {
  /** Rewrites all texts and numbers of a value. */
  value<Value extends Json>(value: Value, place: StoredPlace): Value;
  text(text: string, place: StoredPlace): string;
}

/** Returns a rewrite that applies the extensions in sequence, guards last. Returns undefined if none has the point. */
export function rewriteBy(extensions: readonly Extension[]): Rewrite | undefined {
  const points = extensions
    .filter((extension) => extension.store !== undefined)
    .toSorted((one, other) => Number(one.guards === true) - Number(other.guards === true));
  if (points.length === 0) return undefined;
  const leaf = (value: string | number, place: StoredPlace): string | number =>
    points.reduce<string | number>((current, extension) => {
      const next = stored(extension, current, place);
      if (typeof next === typeof current && (typeof next === "string" || Number.isFinite(next))) return next;
      throw failed(extension, new TypeError(`It made a ${typeof next} of a ${typeof current}.`));
    }, value);
  const walk = (value: Json, place: StoredPlace): Json => {
    if (typeof value === "string" || typeof value === "number") return leaf(value, place);
    if (Array.isArray(value)) return (value as readonly Json[]).map((item) => walk(item, place));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, place)]));
  };
  return Object.freeze({
    // Leaves keep their types, so the whole value does too.
    value: <Value extends Json>(value: Value, place: StoredPlace) => walk(value, place) as Value,
    text: (text: string, place: StoredPlace) => String(leaf(text, place)),
  });
}

function stored(extension: Extension, value: string | number, place: StoredPlace): string | number {
  try {
    return extension.store?.(value, place) ?? value;
  } catch (error) {
    throw failed(extension, error);
  }
}

/** A value that cannot be rewritten is not stored. */
const failed = ({ name }: Extension, cause: unknown): ThroughlineError =>
  new ThroughlineError("extension.failed", `Extension "${name}" failed at the point "store"; nothing was stored.`, {
    cause,
    details: { extension: name, point: "store" },
  });

/** Rewrites event data that may contain text of a user, a model or a tool. Ids, kinds and places stay. */
function rewriteEvent(rewrite: Rewrite, kind: NewEvent["kind"], data: JsonObject): JsonObject {
  const place: StoredPlace = { of: "event", name: kind };
  const members = ({ members: declared }: ObjectShape, value: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const node = Object.hasOwn(declared, name) ? declared[name] : undefined;
        return [name, node === undefined ? rewrite.value(member, place) : walk(node, member)];
      }),
    );
  const walk = (node: Shape, value: Json): Json => {
    if (value === null || value === undefined) return value;
    if (node.state === "document") return rewriteDocument(rewrite, value);
    if (node.state === "patch") return rewritePatch(rewrite, value);
    switch (node.type) {
      case "text":
        return node.plain === true || node.identity === true || typeof value !== "string" ? value : rewrite.text(value, place);
      case "json":
        return node.plain === true ? value : rewrite.value(value, place);
      case "nullable":
        return walk(node.of, value);
      case "list":
        return Array.isArray(value) ? (value as readonly Json[]).map((item) => walk(node.of, item)) : value;
      case "record":
        return isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(node.of, member)])) : value;
      case "union": {
        const option = isPlainObject(value) ? optionOf(node, value) : undefined;
        return option === undefined ? rewrite.value(value, place) : members(option, value as JsonObject);
      }
      case "object":
        return isPlainObject(value) ? members(node, value) : value;
      default:
        return value;
    }
  };
  return walk(eventDeclarations[kind].data.node, data) as JsonObject;
}

/** Rewrites the members of an object, each under its name. */
const rewriteMembers = (rewrite: Rewrite, value: JsonObject, of: StoredPlace["of"]): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite.value(member, { of, name })]));

/** Rewrites a state, each field under its name, as in a patch. */
const rewriteDocument = <Document extends Json>(rewrite: Rewrite, document: Document): Document =>
  isPlainObject(document)
    ? // Members keep their types.
      (rewriteMembers(rewrite, document, "state") as Document)
    : rewrite.value(document, { of: "state", name: "" });

/** Rewrites the values of a JSON Patch. Its paths stay, so that it still applies. */
const rewritePatch = (rewrite: Rewrite, patch: Json): Json =>
  Array.isArray(patch)
    ? (patch as readonly JsonObject[]).map((operation) => {
        const { value, path } = operation;
        if (value === undefined) return operation;
        const [name] = typeof path === "string" ? parsePointer(path) : [];
        return { ...operation, value: name === undefined ? rewriteDocument(rewrite, value) : rewrite.value(value, { of: "state", name }) };
      })
    : patch;

/** Rewrites the integration's metadata except `external_id`, by which sessions are found. */
function rewriteMetadata(rewrite: Rewrite, metadata: JsonObject): JsonObject {
  const { external_id, ...others } = metadata;
  return { ...present({ external_id }), ...rewriteMembers(rewrite, others, "metadata") };
}

/** Rewrites a record. A text may itself be JSON, such as a stored response of the service. */
const rewriteRecord = (rewrite: Rewrite, { kind, data, ...change }: RecordChange): RecordChange => {
  const place: StoredPlace = { of: "record", name: kind };
  const walk = (value: Json): Json => {
    if (typeof value === "string") return rewriteJson(value) ?? rewrite.text(value, place);
    if (Array.isArray(value)) return (value as readonly Json[]).map(walk);
    if (isPlainObject(value)) return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
    return rewrite.value(value, place);
  };
  const rewriteJson = (text: string): string | undefined => {
    if (!/^\s*[[{]/.test(text)) return undefined;
    try {
      const read = JSON.parse(text) as Json;
      const rewritten = JSON.stringify(walk(read));
      return rewritten === JSON.stringify(read) ? text : rewritten;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  };
  return { ...change, kind, data: data === null ? null : (walk(data) as JsonObject) };
};

function rewriteOwner(rewrite: Rewrite, owner: OwnerChange): OwnerChange {
  const { name, metadata, variables, entries } = owner;
  return {
    ...owner,
    ...(typeof name === "string" ? { name: rewrite.text(name, { of: "customer", name: "name" }) } : {}),
    ...(metadata === undefined ? {} : { metadata: rewriteMetadata(rewrite, metadata) }),
    ...(variables === undefined
      ? {}
      : {
          variables: variables.map((variable) => ({
            ...variable,
            value: variable.value === undefined ? undefined : rewrite.value(variable.value, { of: "variable", name: variable.name }),
          })),
        }),
    ...(entries === undefined
      ? {}
      : {
          entries: entries.map(({ data, ...entry }) => ({
            ...entry,
            data: data === null ? null : rewrite.value(data, { of: "memory", name: entry.kind }),
          })),
        }),
  };
}

function rewriteSession(rewrite: Rewrite, session: SessionChange): SessionChange {
  const { events, redact, header, checkpoint, cut } = session;
  return {
    ...session,
    ...(events === undefined
      ? {}
      : {
          events: events.map((event) => ({
            ...event,
            data: rewriteEvent(rewrite, event.kind, event.data),
            ...(event.metadata === undefined ? {} : { metadata: rewriteMetadata(rewrite, event.metadata) }),
          })),
        }),
    ...(redact === undefined ? {} : { redact: redact.map(({ offset, data }) => ({ offset, data: rewriteEvent(rewrite, "message", data) })) }),
    ...(checkpoint === undefined ? {} : { checkpoint: rewriteDocument(rewrite, checkpoint) }),
    ...(cut === undefined ? {} : { cut: { ...cut, state: rewriteDocument(rewrite, cut.state) } }),
    ...(header === undefined ? {} : { header: rewriteHeader(rewrite, header) }),
  };
}

function rewriteHeader(rewrite: Rewrite, header: NonNullable<SessionChange["header"]>): NonNullable<SessionChange["header"]> {
  const { title, metadata, handover } = header;
  const text = (value: string, name: string): string => rewrite.text(value, { of: "header", name });
  return {
    ...header,
    ...(typeof title === "string" ? { title: text(title, "title") } : {}),
    ...(metadata === undefined ? {} : { metadata: rewriteMetadata(rewrite, metadata) }),
    ...(handover?.reason === undefined ? {} : { handover: { ...handover, reason: text(handover.reason, "reason") } }),
  };
}

/** Kind of the record with a session's secret. Its key is the session id, and it is encrypted and erased with the session. */
const secretKind = "store_secret";
/** Maximum number of secrets that a process caches. */
const mostSecrets = 10_000;
/** Ending of the body hash of a command that changed nothing. */
const nothingDone = /~?$/u;

/** Stores made by `storeThrough`. */
const wrapped = new WeakSet<Store>();

/** Returns a store whose commits all pass `rewrite`. If `store` is such a store, it has keyed hashes already, and this one adds no key. */
export function storeThrough(store: Store, rewrite: Rewrite, { ids }: { readonly ids: Ids }): Store {
  /** Rewritten commits. A retried commit must be the same. */
  const commits = new WeakMap<Commit, Promise<Commit>>();
  /** Secrets of sessions. They are cached while erasures are watched, since a session that was erased and imported again has another secret. */
  const secrets = new Map<SessionId, string>();
  const watching = new Set<() => void>();
  let erasures = 0;
  const forget = (): void => {
    erasures += 1;
    secrets.clear();
  };
  const isKeyed = wrapped.has(store);

  const secretOf = async (session_id: SessionId, at: number): Promise<string | undefined> => {
    const known = secrets.get(session_id);
    if (known !== undefined) return known;
    const before = erasures;
    for (let tries = 0; tries < 3; tries++) {
      const found = (await findRecord(store, secretKind, session_id))?.data["secret"];
      const secret = typeof found === "string" ? found : newSecret();
      const made =
        found === undefined
          ? await store.commit({ commit_id: ids.next("commit"), at, records: [secretRecord(session_id, secret)] })
          : { outcome: "committed" as const };
      if (made.outcome === "committed") {
        if (watching.size > 0 && erasures === before) setRecent(secrets, session_id, secret, mostSecrets);
        return secret;
      }
      // Without the session, the store refuses the commit that needs the secret.
      if (made.reason === "session_missing") return undefined;
    }
    return undefined;
  };

  const rewritten = async (commit: Commit): Promise<Commit> => {
    const session = commit.session && rewriteSession(rewrite, commit.session);
    const records = (commit.records ?? []).map((record) => rewriteRecord(rewrite, record));
    const parts: Commit = {
      ...commit,
      ...(commit.owner === undefined ? {} : { owner: rewriteOwner(rewrite, commit.owner) }),
      ...present({ session }),
      ...(records.length === 0 ? {} : { records }),
    };
    if (session?.idempotency === undefined || isKeyed) return parts;
    const creates = session.create !== undefined;
    const secret = creates ? newSecret() : await secretOf(session.session_id, commit.at).catch(notTried);
    if (secret === undefined) return parts;
    const { key, body_hash } = session.idempotency;
    return {
      ...parts,
      session: { ...session, idempotency: { key, body_hash: keyed(secret, body_hash) } },
      ...(creates ? { records: [...records, secretRecord(session.session_id, secret)] } : {}),
    };
  };

  const through = Object.freeze<Store>({
    ...forwarding(store),
    watchErasures: async (listen) => {
      const stop = await store.watchErasures(() => {
        forget();
        listen();
      });
      const end = (): void => {
        watching.delete(end);
        forget();
        stop();
      };
      watching.add(end);
      return end;
    },
    commit: async (commit: Commit): Promise<CommitResult> => {
      const rewriting = commits.get(commit) ?? rewritten(commit);
      commits.set(commit, rewriting);
      const sent = await rewriting.catch((error: unknown) => {
        // Nothing was sent, so the next try begins anew.
        commits.delete(commit);
        throw error;
      });
      const result = await committed(store, sent);
      const requested = commit.session?.idempotency?.body_hash;
      const ours = sent.session?.idempotency?.body_hash;
      if (result.outcome !== "refused" || result.reason !== "key_used" || requested === undefined || ours === undefined) return result;
      // The caller compares its own, unkeyed hash.
      const isSame = result.body_hash.replace(nothingDone, "") === ours.replace(nothingDone, "");
      return isSame ? { ...result, body_hash: `${requested.replace(nothingDone, "")}${nothingDone.exec(result.body_hash)?.[0] ?? ""}` } : result;
    },
  });
  wrapped.add(through);
  return through;
}

/** Throws the error of reading or storing a secret. The caller's commit was not tried, so its outcome is known. */
function notTried(error: unknown): never {
  if (!isOutcomeUnknown(error)) throw error;
  const { code, message, hint, details } = error;
  const { outcome: _outcome, ...others } = details;
  throw new ThroughlineError(code, message, { cause: error, hint, details: others });
}

/** Commits and removes `left` from the result. The stored data differs from the caller's, so the caller must read it. */
async function committed(store: Store, commit: Commit): Promise<CommitResult> {
  const result = await store.commit(commit);
  if (result.outcome === "refused") return result;
  const { left: _left, ...rest } = result;
  return rest;
}

const newSecret = (): string => Buffer.from(systemRandom.bytes(32)).toString("base64url");

const secretRecord = (session_id: SessionId, secret: string): RecordChange => ({
  kind: secretKind,
  key: session_id,
  session_id,
  depends: { version: 0 },
  data: { secret },
});

/** Returns a keyed hash of a body. Without the secret, the body cannot be guessed. */
const keyed = (secret: string, body_hash: string): string => {
  const mark = nothingDone.exec(body_hash)?.[0] ?? "";
  return `${createHmac("sha256", secret).update(body_hash.replace(nothingDone, "")).digest("base64url").slice(0, 22)}${mark}`;
};
