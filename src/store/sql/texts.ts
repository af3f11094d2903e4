/** How texts are written into the database: through the payload codec, as keyed hashes, or packed. */
import { createHmac } from "node:crypto";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, TraceId } from "../../kernel/id.ts";
import type { Json } from "../../kernel/json.ts";
import type { PayloadCodec } from "../port.ts";

export interface Texts {
  /** A value as JSON text, through the codec. JSON escapes NUL and half surrogates, which databases refuse or change. */
  encode(value: Json, owner: OwnerId): string;
  encodeText(text: string, owner: OwnerId): string;
  /** The JSON text that was encoded; `store.corrupt`, naming the place, if the codec cannot read it. */
  decodeText(stored: string, owner: OwnerId, place: string): string;
  decode(stored: string, owner: OwnerId, place: string): Json;
  /** A keyed hash to look a text up by, so that the text itself need not be readable: 128 bits. */
  hash(purpose: "customer" | "open" | "external" | "label", text: string): string;
  /** A keyed hash of 64 bits, as the text of an integer, for what is unique within one session: of a million, two are alike once in 37 million such sessions. */
  shortHash(purpose: "commit" | "idempotency", text: string): string;
}

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

export function createTexts(codec: PayloadCodec, hashKey: string): Texts {
  const key = Buffer.from(hashKey, "base64url");
  const digest = (purpose: string, text: string): Buffer => createHmac("sha256", key).update(`${purpose}\n${text}`).digest();
  const decodeText = (stored: string, owner: OwnerId, place: string): string => {
    try {
      return codec.decode(stored, owner);
    } catch (error) {
      throw corrupt(place, "the payload codec cannot read it", error);
    }
  };
  return {
    encode: (value, owner) => codec.encode(JSON.stringify(value), owner),
    encodeText: (text, owner) => codec.encode(text, owner),
    decodeText,
    decode: (stored, owner, place) => parseJson(decodeText(stored, owner, place), place),
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
