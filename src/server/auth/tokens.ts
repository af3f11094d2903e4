/** Tokens for a customer's browser and for the address of a stream, and the keys that sign them. Tokens are not stored, and signed with HS256 only. */
import { createHash } from "node:crypto";
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { findRecord } from "../../extension/lists.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createIds, type Ids, type SessionId } from "../../kernel/id.ts";
import { type Random, systemRandom } from "../../kernel/random.ts";
import type { RecordRow, Store } from "../../store/port.ts";
import type { Principal } from "../principal.ts";
import { changeRecord, toAuditRecord } from "../records.ts";
import type { IssuedToken, Tokens } from "../service.ts";
import { rereading } from "./rereading.ts";

const issuer = "throughline";
/** Whom a token is for: one of a customer opens nothing as one of a stream, nor the other way round. */
const audiences = { customer: "throughline:customer", stream: "throughline:stream" } as const;

/** No token is good for longer, whoever has signed it. */
const longestTokenSeconds = 86_400;

const session = z.custom<SessionId>((text) => typeof text === "string" && /^ses_[0-9a-hjkmnp-tv-z]{26}$/.test(text));
const seconds = { iat: z.int(), exp: z.int() };
/** What of a customer's token decides whether it still holds: the customer's version, and who issued it. */
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

/** What a token for a customer says. */
type CustomerClaims = z.output<typeof customerClaims>;
/** What a token for a stream says. */
export type StreamClaims = z.output<typeof streamClaims>;

const invalid = (cause?: unknown): ThroughlineError => new ThroughlineError("auth.invalid", undefined, cause === undefined ? {} : { cause });

/** Tokens of a service. */
export interface TokenReader {
  /** `auth.invalid` for anything but a token for a customer that is good now. */
  readCustomer(token: string): Promise<CustomerClaims>;
  /** `auth.invalid` for anything but a token for a stream that is good now, or, for `reconnecting`, that was issued in the last 24 hours. */
  readStream(token: string, options: { readonly reconnecting: boolean }): Promise<StreamClaims>;
}

/** The part of a principal that a stream token carries. A key's scopes are looked up when it is used: it may have been revoked. */
const carried = (principal: Principal): z.input<typeof behalf> => {
  if (principal.type === "stream") throw new ThroughlineError("auth.forbidden", "A stream token gives out no tokens.");
  if (principal.type === "key") return { type: "key", id: principal.id };
  if (principal.type === "local") return { type: "local" };
  const { type, customer, version, issuer, session: only, expires_at } = principal;
  return { type, customer, version, expires_at, ...(issuer === undefined ? {} : { issuer }), ...(only === undefined ? {} : { session: only }) };
};

/** Signs tokens, and reads them. */
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
      sign(audiences.customer, { sub: customer, ver: version, by: issuer, ...(only === undefined ? {} : { session: only }) }, ttlMs),
    forStream: async ({ sessions, behalf: principal, ttlMs }) => sign(audiences.stream, { sessions, behalf: carried(principal) }, ttlMs),
    readCustomer: (token) => check(token, audiences.customer, customerClaims),
    readStream: (token, { reconnecting }) => check(token, audiences.stream, streamClaims, { expired: reconnecting }),
  };
}

/** The claims of a token that one of the keys has signed: the key that it names, or any if it names none. `expired`: its `exp` may have passed. */
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
      // The signature and all other claims were checked before this one.
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

/** A key that tokens are signed with. */
interface SigningKey {
  /** Names it in a token's header. */
  readonly id: string;
  readonly secret: Uint8Array;
}

/** The keys that tokens are signed with. */
interface SigningKeys {
  /** All that a token may have been signed with; the first one signs. */
  all(): Promise<readonly SigningKey[]>;
}

const place = { kind: "signing_key", key: "tokens" } as const;
/** A new key signs nothing before every process has read it. */
const settleMs = 5_000;
/** A key that was replaced is good as long as the longest token. */
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

/** Keys from the texts of the settings: the first signs, the others are still taken. */
export function configuredKeys(secrets: readonly string[]): SigningKeys {
  const keys = secrets.map((secret) => ({
    id: createHash("sha256").update(`token key ${secret}`).digest("base64url").slice(0, 12),
    secret: Buffer.from(secret),
  }));
  const short = secrets.find((secret) => secret.length < 32);
  if (short !== undefined) throw new ThroughlineError("input.invalid", `A secret for tokens has at least 32 characters, got ${short.length}.`);
  return { all: async () => keys };
}

/** Keys in the database: the first process that needs one makes it. */
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

/**
 * Replaces the key that the database holds for tokens. Tokens that were given out stay good until they run out; with `atOnce`, none of them is taken
 * from then on.
 */
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
