import { createHash } from "node:crypto";
import { type Clock, systemClock } from "./clock.ts";
import { ThroughlineError, seen } from "./error.ts";
import { type Random, systemRandom } from "./random.ts";

declare const brand: unique symbol;

/** A string that cannot be mistaken for another kind of string. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A session: `ses_` and 26 characters that sort by time. */
export type SessionId = Branded<"SessionId">;
/** Key of a row of `owners`: a customer, or the session of an anonymous one. */
export type OwnerId = Branded<"OwnerId">;
/** An event: its session and its offset. */
export type EventId = Branded<"EventId">;
/** A turn: its session and its number. */
export type TurnId = Branded<"TurnId">;
/** The work on a turn: the same however often the turn is resumed. */
export type ExecutionId = Branded<"ExecutionId">;
export type StepId = Branded<"StepId">;
/** 32 lowercase hexadecimal digits, a W3C trace id. */
export type TraceId = Branded<"TraceId">;

/** The prefix of each kind of generated id. */
const prefixes = { session: "ses", customer: "cus", owner: "own", commit: "cmt" } as const;

interface IdKinds {
  session: SessionId;
  /** An id for a customer whose integration gave none. */
  customer: string;
  owner: OwnerId;
  commit: string;
}

/** A source of ids, as a port. */
export interface Ids {
  /** A new id such as `ses_01k9…`: ordered by time, unique, monotonic within one source. */
  next<Kind extends keyof IdKinds>(kind: Kind): IdKinds[Kind];
  /** A new W3C trace id. */
  trace(): TraceId;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** 26 characters of Crockford's base 32: 48 bits of time, 80 bits of randomness (the layout of ULID). */
function encode(time: number, random: bigint): string {
  let value = (BigInt(time) << 80n) | random;
  let text = "";
  for (let i = 0; i < 26; i++) {
    text = alphabet.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return text;
}

/** Ids from a clock and a source of randomness. Ids made in the same millisecond count up, so they sort as they were made. */
export function createIds(options: { readonly clock?: Clock; readonly random?: Random } = {}): Ids {
  const { clock = systemClock, random = systemRandom } = options;
  let lastTime = -1;
  let lastRandom = 0n;
  const hex = (size: number): string => Buffer.from(random.bytes(size)).toString("hex");
  return {
    next<Kind extends keyof IdKinds>(kind: Kind): IdKinds[Kind] {
      const now = Math.max(clock.now(), lastTime);
      // The top bit stays free, so counting up cannot overflow within a millisecond.
      lastRandom = now === lastTime ? lastRandom + 1n : BigInt(`0x${hex(10)}`) >> 1n;
      lastTime = now;
      return `${prefixes[kind]}_${encode(now, lastRandom)}` as IdKinds[Kind];
    },
    trace: () => hex(16) as TraceId,
  };
}

/** An id that is made of texts: the same for the same ones, and for no others. */
export function derivedId<Kind extends keyof IdKinds>(kind: Kind, texts: readonly string[]): IdKinds[Kind] {
  const hash = createHash("sha256")
    .update(JSON.stringify([kind, ...texts]))
    .digest();
  const letters = Array.from(hash.subarray(0, 26), (byte) => alphabet.charAt(byte & 31));
  return `${prefixes[kind]}_${letters.join("")}` as IdKinds[Kind];
}

const idBody = /^[0-9a-hjkmnp-tv-z]{26}$/;

/** Reads a session id; anything else is refused. */
export function parseSessionId(text: unknown): SessionId {
  if (typeof text !== "string" || !text.startsWith("ses_") || !idBody.test(text.slice(4))) {
    throw new ThroughlineError("session.not_found", `${seen(text)} is not a session id.`, {
      hint: "A session id starts with `ses_`; list them with `throughline sessions list`.",
    });
  }
  return text as SessionId;
}

/** The id of an erasure: all of it chance, so that it tells nothing of whom it was for. */
export const newErasureId = (): string => `era_${Buffer.from(systemRandom.bytes(12)).toString("base64url")}`;

/** The id of the event at `offset`: derived, so that it is stored nowhere. */
export const eventIdOf = (session: SessionId, offset: number): EventId => `evt_${session.slice(4)}_${offset}` as EventId;

/** The id of the `number`-th turn of a session, counted from 1. */
export const turnIdOf = (session: SessionId, number: number): TurnId => `trn_${session.slice(4)}_${number}` as TurnId;

/** The number of a turn, from its id. */
export const turnNumberOf = (turn: TurnId): number => Number(turn.slice(turn.lastIndexOf("_") + 1));

/** The id of the execution that works on a turn: one a turn, however often it is resumed. */
export const executionIdOf = (turn: TurnId): ExecutionId => `exe_${turn.slice(4)}` as ExecutionId;

/** The id of a step: unique within its execution, counted from 1. */
export const stepIdOf = (index: number): StepId => `stp_${index}` as StepId;
