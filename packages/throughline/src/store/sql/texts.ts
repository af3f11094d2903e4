/** Encodes texts for the database: through a cipher, as keyed hashes, or packed. */
import { createHmac, createSecretKey } from "node:crypto";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId, TraceId } from "../../kernel/id.ts";
import { type Json, present } from "../../kernel/json.ts";
import { type Cipher, KeysMissing } from "./keys/cipher.ts";

export interface Texts {
  /** Reads the data for decoding the texts of these owners. Absent if nothing is needed. */
  readonly ready?: (owners: readonly OwnerId[]) => Promise<void>;
  /** Encodes a value as JSON text through the cipher. JSON escapes NUL and unpaired surrogates, which databases reject or change. */
  encode(value: Json, owner: OwnerId, binding: Binding): string;
  encodeText(text: string, owner: OwnerId, binding: Binding): string;
  /** Encodes a text that distinguishes rows: equal names of one owner are stored alike. */
  encodeName(name: string, owner: OwnerId, binding: Binding): string;
  /** Decodes a JSON text. Throws `store.corrupt`, which names the place, if the cipher cannot read it. */
  decodeText(stored: string, owner: OwnerId, place: string, binding: Binding): string;
  decode(stored: string, owner: OwnerId, place: string, binding: Binding): Json;
  decodeName(stored: string, owner: OwnerId, place: string, binding: Binding): string;
  /** Returns a keyed hash of 128 bits for looking up a text, so that the text itself need not be readable. */
  hash(purpose: "customer" | "open" | "external" | "label" | "operator" | "erasure", text: string): string;
  /**
   * Returns a keyed hash of 64 bits, as the text of an integer, for values that are unique within one session. Among a million values, two collide
   * once in 37 million such sessions.
   */
  shortHash(purpose: "commit" | "idempotency", text: string): string;
}

/**
 * The context of a stored text. A text that was moved to another place does not decrypt. It contains only data that is known before the row is
 * written. The data must not change when a log is shared with forks or assigned to another owner. So it contains neither an event's offset nor its
 * session.
 */
export type Binding = string & { readonly __binding: never };

const bound = (...parts: readonly (string | number)[]): Binding => parts.join("\n") as Binding;

export const bindings = {
  /** `kind` as stored. `at` is the event's `created_at`. */
  event: (kind: number, at: number) => `event\n${kind}\n${at}` as Binding,
  eventMetadata: (kind: number, at: number) => bound("event metadata", kind, at),
  /** By the number of bytes in the same row. */
  checkpoint: (bytes: number) => bound("checkpoint", bytes),
  session: (column: string, session: SessionId | string) => bound("session", column, session),
  owner: (column: string, owner: OwnerId | string) => bound("owner", column, owner),
  variableName: bound("variable name"),
  variable: (name: string) => bound("variable", name),
  entryId: bound("entry id"),
  entryKind: bound("entry kind"),
  /** The binding of kinds before schema 4. */
  entryKindOf: (entry: string) => bound("entry kind", entry),
  entry: (entry: string) => bound("entry", entry),
  record: (kind: string, key: string) => bound("record", kind, key),
  /** By the hash of the idempotency key. */
  bodyHash: (key: string) => bound("body hash", key),
  draft: (session: SessionId | string, epoch: number) => bound("draft", session, epoch),
} as const;

/** Returns `store.corrupt`, which names the place. */
export function corrupt(place: string, why: string, cause?: unknown): ThroughlineError {
  return new ThroughlineError("store.corrupt", `${place} is damaged: ${why}.`, { details: { place }, cause });
}

/** Parses a text as JSON. Throws `store.corrupt`, which names the place, if it is not JSON. */
export function parseJson(text: string, place: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw corrupt(place, "it is not JSON", error);
  }
}

export function createTexts(cipher: Cipher, hashKey: Uint8Array, ready?: Texts["ready"]): Texts {
  // A key from bytes would be imported for each hash, which takes twice as long as the hash.
  const key = createSecretKey(hashKey);
  const digest = (purpose: string, text: string): Buffer => createHmac("sha256", key).update(`${purpose}\n${text}`).digest();
  const readable = (open: () => string, place: string): string => {
    try {
      return open();
    } catch (error) {
      if (error instanceof KeysMissing) {
        error.place ??= place;
        throw error;
      }
      throw corrupt(place, "it cannot be decoded", error);
    }
  };
  const decodeText: Texts["decodeText"] = (stored, owner, place, binding) => readable(() => cipher.open(stored, owner, binding), place);
  return {
    ...present({ ready }),
    encode: (value, owner, binding) => cipher.seal(JSON.stringify(value), owner, binding),
    encodeText: (text, owner, binding) => cipher.seal(text, owner, binding),
    encodeName: (name, owner, binding) => cipher.sealName(name, owner, binding),
    decodeText,
    decode: (stored, owner, place, binding) => parseJson(decodeText(stored, owner, place, binding), place),
    decodeName: (stored, owner, place, binding) => readable(() => cipher.openName(stored, owner, binding), place),
    hash: (purpose, text) => digest(purpose, text).subarray(0, 16).toString("base64url"),
    shortHash: (purpose, text) => digest(purpose, text).readBigInt64BE().toString(),
  };
}

/** Packs a trace id into 22 characters instead of 32. */
export const packTrace = (trace: TraceId | string): string => Buffer.from(trace, "hex").toString("base64url");

export function unpackTrace(packed: string, place: string): TraceId {
  const bytes = Buffer.from(packed, "base64url");
  if (bytes.length !== 16) throw corrupt(place, "its trace id is not 16 bytes");
  return bytes.toString("hex") as TraceId;
}
