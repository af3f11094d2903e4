/** Tokens for a customer's browser and for stream URLs, and the keys that sign them. Tokens are not stored. HS256 is the only accepted algorithm. */
import { createHash } from "node:crypto";
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Store } from "throughline";
import { findRecord, present } from "throughline/internal";
import { type Clock, createIds, type Ids, type Random, type SessionId, systemClock, systemRandom, ThroughlineError } from "throughline/kernel";
import type { RecordRow } from "throughline/store";
import { z } from "zod";
import type { Principal } from "../principal.ts";
import { changeRecord, toAuditRecord } from "../service-records.ts";
import type { IssuedToken, Tokens } from "../service.ts";
import { rereading } from "./rereading.ts";

const issuer = "throughline";
/** JWT audiences. A customer token is not accepted as a stream token, nor the reverse. */
const audiences = { customer: "throughline:customer", stream: "throughline:stream" } as const;

/** Maximum lifetime of a token in seconds, also for tokens that the integration signs. */
const longestTokenSeconds = 86_400;

const session = z.custom<SessionId>((text) => typeof text === "string" && /^ses_[0-9a-hjkmnp-tv-z]{26}$/.test(text));
const seconds = { iat: z.int(), exp: z.int() };
/** The claims that later checks need: the customer's version and the token's issuer. */
const holding = { version: z.string().min(1).max(100), issuer: z.string().min(1).max(100).optional() };
const customerClaims = z.object({
  ...seconds,
  sub: z.string().min(1).max(200),
  ver: holding.version,
  by: holding.issuer,
  session: session.optional(),
});
const behalf = z.discriminatedUnion("type", [
  z.object({ type: z.literal("local") }),
  z.object({ type: z.literal("key"), id: z.string() }),
  z.object({ type: z.literal("customer"), customer: z.string(), ...holding, session: session.optional(), expires_at: z.number() }),
]);
const streamClaims = z.object({ ...seconds, sessions: z.array(session).min(1), behalf });

/** The claims of a customer token. */
type CustomerClaims = z.output<typeof customerClaims>;
/** The claims of a stream token. */
export type StreamClaims = z.output<typeof streamClaims>;

const invalid = (cause?: unknown): ThroughlineError => new ThroughlineError("auth.invalid", undefined, cause === undefined ? {} : { cause });

/** Verifies tokens. */
export interface TokenReader {
  /** Verifies a customer token. Throws `auth.invalid` if it is not valid now. */
  readCustomer(token: string): Promise<CustomerClaims>;
  /** Verifies a stream token. Throws `auth.invalid` if it is not valid now. With `reconnecting`, it is valid for 24 hours after it was issued. */
  readStream(token: string, options: { readonly reconnecting: boolean }): Promise<StreamClaims>;
}

/** The part of a principal that a stream token carries. A key's scopes are looked up on use, because the key may have been revoked. */
const carried = (principal: Principal): z.input<typeof behalf> => {
  if (principal.type === "stream") throw new ThroughlineError("auth.forbidden", "A stream token cannot create tokens.");
  if (principal.type === "key") return { type: "key", id: principal.id };
  if (principal.type === "local") return { type: "local" };
  const { type, customer, version, issuer, session: only, expires_at } = principal;
  return { type, customer, version, expires_at, ...present({ issuer, session: only }) };
};

/** Signs and verifies tokens. */
export function createTokens({ keys, clock, ids }: { readonly keys: SigningKeys; readonly clock: Clock; readonly ids: Ids }): Tokens & TokenReader {
  const sign = async (audience: string, claims: JWTPayload, ttlMs: number): Promise<IssuedToken> => {
    const [key] = await keys.all();
    if (key === undefined) throw new ThroughlineError("internal", "There is no key to sign a token with.");
    const iat = Math.floor(clock.now() / 1000);
    const exp = iat + Math.floor(ttlMs / 1000);
    const token = await new SignJWT({ ...claims, iat, exp, iss: issuer, aud: audience, jti: ids.trace() })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: key.id })
      .sign(key.secret);
    return { token, expires_at: exp * 1000 };
  };
  const check = async <Claims extends z.ZodType<{ readonly iat: number; readonly exp: number }>>(
    token: string,
    audience: string,
    claims: Claims,
    { expired = false }: { readonly expired?: boolean } = {},
  ): Promise<z.output<Claims>> => {
    const now = clock.now();
    const payload = await verified(token, await keys.all(), { audience, now, expired });
    const { success, data } = claims.safeParse(payload);
    if (!success || data.exp - data.iat > longestTokenSeconds || now >= (data.iat + longestTokenSeconds) * 1000) throw invalid();
    return data;
  };
  return {
    forCustomer: ({ customer, version, issuer, session: only, ttlMs }) =>
      sign(audiences.customer, { sub: customer, ver: version, by: issuer, ...present({ session: only }) }, ttlMs),
    forStream: async ({ sessions, behalf: principal, ttlMs }) => sign(audiences.stream, { sessions, behalf: carried(principal) }, ttlMs),
    readCustomer: (token) => check(token, audiences.customer, customerClaims),
    readStream: (token, { reconnecting }) => check(token, audiences.stream, streamClaims, { expired: reconnecting }),
  };
}

/** Verifies a token and returns its claims. Tries the key that the token names, or all keys if it names none. `expired` accepts a past `exp`. */
async function verified(
  token: string,
  keys: readonly SigningKey[],
  { audience, now, expired }: { readonly audience: string; readonly now: number; readonly expired: boolean },
): Promise<JWTPayload> {
  let failure: unknown;
  for (const { secret } of keysFor(token, keys))
    try {
      const { payload } = await jwtVerify(token, secret, { algorithms: ["HS256"], issuer, audience, currentDate: new Date(now) });
      return payload;
    } catch (error) {
      // `exp` is checked last, so the signature and all other claims are valid.
      if (expired && error instanceof errors.JWTExpired) return error.payload;
      failure = error;
    }
  throw invalid(failure);
}

function keysFor(token: string, keys: readonly SigningKey[]): readonly SigningKey[] {
  try {
    const { kid } = decodeProtectedHeader(token);
    return kid === undefined ? keys : keys.filter((key) => key.id === kid);
  } catch (error) {
    throw invalid(error);
  }
}

/** A key that signs tokens. */
interface SigningKey {
  /** The `kid` in a token's header. */
  readonly id: string;
  readonly secret: Uint8Array;
}

/** The keys that sign tokens. */
interface SigningKeys {
  /** All keys that may verify a token. The first one signs. */
  all(): Promise<readonly SigningKey[]>;
}

const place = { kind: "signing_key", key: "tokens" } as const;
/** Delay in milliseconds before a new key signs, so that every process has read it. */
const settleMs = 5_000;
/** Milliseconds for which a replaced key remains valid: the maximum lifetime of a token. */
const keepMs = 86_400_000;

const stored = z.object({
  keys: z.array(z.object({ id: z.string(), secret: z.string(), created_at: z.number(), until: z.number().exactOptional() })).min(1),
});
type StoredKeys = z.output<typeof stored>["keys"];

const storedKeys = (row: RecordRow | undefined): StoredKeys => (row === undefined ? [] : stored.parse(row.data).keys);

const newKey = (random: Random, now: number): StoredKeys[number] => ({
  id: Buffer.from(random.bytes(9)).toString("base64url"),
  secret: Buffer.from(random.bytes(32)).toString("base64url"),
  created_at: now,
});

/** Creates keys from configured secrets. The first one signs; all of them verify. Throws `input.invalid` for a secret of fewer than 32 characters. */
export function configuredKeys(secrets: readonly string[]): SigningKeys {
  const keys = secrets.map((secret) => ({
    id: createHash("sha256").update(`token key ${secret}`).digest("base64url").slice(0, 12),
    secret: Buffer.from(secret),
  }));
  const short = secrets.find((secret) => secret.length < 32);
  if (short !== undefined) throw new ThroughlineError("input.invalid", `A token secret has at least 32 characters, got ${short.length}.`);
  return { all: async () => keys };
}

/** Keys in the database. The first process that needs a key creates it. */
export function storedSigningKeys({ store, clock, random = systemRandom }: { store: Store; clock: Clock; random?: Random }): SigningKeys {
  const load = async (): Promise<StoredKeys> => {
    const found = await findRecord(store, place.kind, place.key);
    if (found !== undefined) return storedKeys(found);
    return storedKeys(
      await changeRecord({ store, clock }, place, (current) =>
        current === undefined ? { data: { keys: [newKey(random, clock.now())] } } : undefined,
      ),
    );
  };
  const read = rereading(clock, load);
  return {
    async all() {
      const keys = await read();
      const now = clock.now();
      const good = keys.filter(({ until }) => until === undefined || now < until);
      const settled = good.findIndex(({ created_at }) => created_at + settleMs <= now);
      const first = good.splice(Math.max(0, settled), 1);
      return [...first, ...good].map(({ id, secret }) => ({ id, secret: Buffer.from(secret, "base64url") }));
    },
  };
}

/** Replaces the token signing key in the database. Issued tokens stay valid until they expire; with `atOnce`, they become invalid immediately. */
export async function rotateTokenKeys(
  store: Store,
  {
    atOnce = false,
    clock = systemClock,
    random = systemRandom,
  }: { readonly atOnce?: boolean; readonly clock?: Clock; readonly random?: Random } = {},
): Promise<void> {
  const now = clock.now();
  const key = newKey(random, now);
  await changeRecord({ store, clock }, place, (current) => {
    const kept = atOnce ? [] : storedKeys(current).filter(({ until }) => until === undefined || now < until);
    const entry = { actor: "operator", operation: "rotateTokenKeys", status: 200, objects: { at_once: String(atOnce) } };
    const also = [toAuditRecord({ ids: createIds({ clock }), at: now }, entry)];
    return { also, data: { keys: [key, ...kept.map((former) => ({ ...former, until: former.until ?? now + keepMs }))] } };
  });
}
