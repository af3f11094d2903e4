/** What tokens are signed with: a secret of the settings, or one that is made once and that all processes read from the database. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { systemClock, type Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createIds } from "../../kernel/id.ts";
import { systemRandom, type Random } from "../../kernel/random.ts";
import type { RecordRow, Store } from "../../store/port.ts";
import { toAuditRecord } from "../audit-entry.ts";
import { findRecord } from "../../extension/lists.ts";
import { rereading } from "./rereading.ts";
import { changeRecord } from "../records.ts";

/** A key that tokens are signed with. */
export interface SigningKey {
  /** Names it in a token's header. */
  readonly id: string;
  readonly secret: Uint8Array;
}

/** The keys that tokens are signed with. */
export interface SigningKeys {
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
