/** How texts are written into the database: through a cipher, as keyed hashes, or packed. */
import { createHmac } from "node:crypto";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId, TraceId } from "../../kernel/id.ts";
import type { Json } from "../../kernel/json.ts";
import { type Cipher, KeysMissing } from "./keys/cipher.ts";

export interface Texts {
  /** Reads what decoding the texts of these owners needs; absent where it needs nothing. */
  readonly ready?: (owners: readonly OwnerId[]) => Promise<void>;
  /** A value as JSON text, through the cipher. JSON escapes NUL and half surrogates, which databases refuse or change. */
  encode(value: Json, owner: OwnerId, binding: Binding): string;
  encodeText(text: string, owner: OwnerId, binding: Binding): string;
  /** For what rows are told apart by: equal names of one owner are stored alike. */
  encodeName(name: string, owner: OwnerId, binding: Binding): string;
  /** The JSON text that was encoded; `store.corrupt`, naming the place, if the cipher cannot read it. */
  decodeText(stored: string, owner: OwnerId, place: string, binding: Binding): string;
  decode(stored: string, owner: OwnerId, place: string, binding: Binding): Json;
  decodeName(stored: string, owner: OwnerId, place: string, binding: Binding): string;
  /** A keyed hash to look a text up by, so that the text itself need not be readable: 128 bits. */
  hash(purpose: "customer" | "open" | "external" | "label" | "operator" | "erasure", text: string): string;
  /**
   * A keyed hash of 64 bits, as the text of an integer, for what is unique within one session: of a million, two are alike once in 37 million such
   * sessions.
   */
  shortHash(purpose: "commit" | "idempotency", text: string): string;
}

/**
 * What a stored text belongs to: a text that was put in another one's place does not decrypt. It holds what is known before the row is
 * written, and stays when a log is shared with forks or given to another owner: so neither an event's offset nor its session.
 */
export type Binding = string & { readonly __binding: never };

const bound = (...parts: readonly (string | number)[]): Binding => parts.join("\n") as Binding;

export const bindings = {
  /** `kind` as it is stored; `at` is the event's `created_at`. */
  event: (kind: number, at: number) => `event\n${kind}\n${at}` as Binding,
  eventMetadata: (kind: number, at: number) => bound("event metadata", kind, at),
  /** By the number of bytes that stands beside it. */
  checkpoint: (bytes: number) => bound("checkpoint", bytes),
  session: (column: string, session: SessionId | string) => bound("session", column, session),
  owner: (column: string, owner: OwnerId | string) => bound("owner", column, owner),
  variableName: bound("variable name"),
  variable: (name: string) => bound("variable", name),
  entryId: bound("entry id"),
  entryKind: bound("entry kind"),
  /** How kinds were bound before schema 4. */
  entryKindOf: (entry: string) => bound("entry kind", entry),
  entry: (entry: string) => bound("entry", entry),
  record: (kind: string, key: string) => bound("record", kind, key),
  /** By the hash of the idempotency key. */
  bodyHash: (key: string) => bound("body hash", key),
  draft: (session: SessionId | string, epoch: number) => bound("draft", session, epoch),
} as const;

/** `store.corrupt`, naming the place. */
export function corrupt(place: string, why: string, cause?: unknown): ThroughlineError {
  return new ThroughlineError("store.corrupt", `${place} is damaged: ${why}.`, { details: { place }, cause });
}

/** A text as JSON; `store.corrupt`, naming the place, if it is none. */
export function parseJson(text: string, place: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw corrupt(place, "it is not JSON", error);
  }
}

export function createTexts(cipher: Cipher, hashKey: Uint8Array, ready?: Texts["ready"]): Texts {
  const digest = (purpose: string, text: string): Buffer => createHmac("sha256", hashKey).update(`${purpose}\n${text}`).digest();
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
    ...(ready === undefined ? {} : { ready }),
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

/** A trace id in 22 characters instead of 32. */
export const packTrace = (trace: TraceId | string): string => Buffer.from(trace, "hex").toString("base64url");

export function unpackTrace(packed: string, place: string): TraceId {
  const bytes = Buffer.from(packed, "base64url");
  if (bytes.length !== 16) throw corrupt(place, "its trace id is not 16 bytes");
  return bytes.toString("hex") as TraceId;
}
