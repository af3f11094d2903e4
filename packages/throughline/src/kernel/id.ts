import { createHash } from "node:crypto";
import { type Clock, systemClock } from "./clock.ts";
import { ThroughlineError, seen } from "./error.ts";
import { type Random, systemRandom } from "./random.ts";

declare const brand: unique symbol;

/** A string type that other strings cannot be assigned to. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A session id: `ses_` and 26 characters that sort by time. */
export type SessionId = Branded<"SessionId">;
/** Key of a row in `owners`. The owner is a customer, or an anonymous session. */
export type OwnerId = Branded<"OwnerId">;
/** An event id, derived from its session and its offset. */
export type EventId = Branded<"EventId">;
/** A turn id, derived from its session and its number. */
export type TurnId = Branded<"TurnId">;
/** An execution id, derived from its turn. It stays the same when the turn is resumed. */
export type ExecutionId = Branded<"ExecutionId">;
export type StepId = Branded<"StepId">;
/** A W3C trace id: 32 lowercase hexadecimal digits. */
export type TraceId = Branded<"TraceId">;

const traceparents = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Returns the trace id of a W3C `traceparent`, or undefined if it is malformed. */
export const traceOf = (traceparent: string): TraceId | undefined => traceparents.exec(traceparent)?.[1] as TraceId | undefined;

/** The prefix of each kind of generated id. */
const prefixes = { session: "ses", customer: "cus", owner: "own", commit: "cmt" } as const;

interface IdKinds {
  session: SessionId;
  /** Id of a customer for whom the integration passed no id. */
  customer: string;
  owner: OwnerId;
  commit: string;
}

/** An id generator, as a port. */
export interface Ids {
  /** Returns a new unique id such as `ses_01k9…`. Ids sort by time and increase monotonically within one generator. */
  next<Kind extends keyof IdKinds>(kind: Kind): IdKinds[Kind];
  /** Returns a new W3C trace id. */
  trace(): TraceId;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Encodes 48 bits of time and 80 bits of randomness (the layout of ULID) as 26 characters in Crockford's base 32. */
function encode(time: number, random: bigint): string {
  let value = (BigInt(time) << 80n) | random;
  let text = "";
  for (let i = 0; i < 26; i++) {
    text = alphabet.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return text;
}

/** Creates an id generator. Ids of the same millisecond count up, so they sort in order of creation. */
export function createIds(options: { readonly clock?: Clock; readonly random?: Random } = {}): Ids {
  const { clock = systemClock, random = systemRandom } = options;
  let lastTime = -1;
  let lastRandom = 0n;
  const hex = (size: number): string => Buffer.from(random.bytes(size)).toString("hex");
  return {
    next<Kind extends keyof IdKinds>(kind: Kind): IdKinds[Kind] {
      const now = Math.max(clock.now(), lastTime);
      // The top bit stays zero, so counting up cannot overflow within a millisecond.
      lastRandom = now === lastTime ? lastRandom + 1n : BigInt(`0x${hex(10)}`) >> 1n;
      lastTime = now;
      return `${prefixes[kind]}_${encode(now, lastRandom)}` as IdKinds[Kind];
    },
    trace: () => hex(16) as TraceId,
  };
}

/** Derives an id from texts. The same texts always give the same id, and other texts give another id. */
export function derivedId<Kind extends keyof IdKinds>(kind: Kind, texts: readonly string[]): IdKinds[Kind] {
  const hash = createHash("sha256")
    .update(JSON.stringify([kind, ...texts]))
    .digest();
  const letters = Array.from(hash.subarray(0, 26), (byte) => alphabet.charAt(byte & 31));
  return `${prefixes[kind]}_${letters.join("")}` as IdKinds[Kind];
}

const idBody = /^[0-9a-hjkmnp-tv-z]{26}$/;

/** Parses a session id. Throws `session.not_found` for any other value. */
export function parseSessionId(text: unknown): SessionId {
  if (typeof text !== "string" || !text.startsWith("ses_") || !idBody.test(text.slice(4))) {
    throw new ThroughlineError("session.not_found", `${seen(text)} is not a session id.`, {
      hint: "A session id starts with `ses_`; list them with `throughline sessions list`.",
    });
  }
  return text as SessionId;
}

/** Returns a new erasure id. It is entirely random, so it reveals nothing about the customer. */
export const newErasureId = (): string => `era_${Buffer.from(systemRandom.bytes(12)).toString("base64url")}`;

/** Returns the id of the event at `offset`. It is derived, so it is not stored. */
export const eventIdOf = (session: SessionId, offset: number): EventId => `evt_${session.slice(4)}_${offset}` as EventId;

/** Returns the id of a session's turn with this number, counted from 1. */
export const turnIdOf = (session: SessionId, number: number): TurnId => `trn_${session.slice(4)}_${number}` as TurnId;

/** Returns the number of a turn from its id. */
export const turnNumberOf = (turn: TurnId): number => Number(turn.slice(turn.lastIndexOf("_") + 1));

/** Returns the id of a turn's execution. A turn has one execution, even if it is resumed several times. */
export const executionIdOf = (turn: TurnId): ExecutionId => `exe_${turn.slice(4)}` as ExecutionId;

/** Returns the id of a step: unique within its execution, counted from 1. */
export const stepIdOf = (index: number): StepId => `stp_${index}` as StepId;

/** Returns the id of a call. It is built from the call's position in the session, not from the model's id. */
export const callIdOf = (turn: number, step: number, index: number): string => `call_${turn}_${step}_${index}`;
