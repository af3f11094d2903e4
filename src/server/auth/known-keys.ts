/** API keys as this process knows them: read again after a second, so that most requests cost no read and a revoked key ends soon. */
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import type { RecordRow, Store } from "../../store/port.ts";
import { findRecord } from "../../extension/lists.ts";
import { rereadingEach } from "./rereading.ts";
import { isActive, isSecret, keyKind, listKeys, noteUse, parseKey, readKey, type ApiKey } from "./api-keys.ts";

/** A key's use is noted this often at most. */
const noteMs = 60_000;

/** A key, as it is stored and as it is read. */
interface KnownKey extends ReturnType<typeof readKey> {
  readonly row: RecordRow;
}

/** The keys of a service. */
export interface KnownKeys {
  /** The key that this is the text of, if it is good; undefined otherwise. */
  verify(text: string): Promise<ApiKey | undefined>;
  /** The key of that id, if it is good; undefined otherwise. */
  find(id: string): Promise<ApiKey | undefined>;
  /** Whether there is any that is good. */
  any(): Promise<boolean>;
}

/** The keys of a store, read as they are needed. */
export function createKnownKeys({ store, clock, logger }: { readonly store: Store; readonly clock: Clock; readonly logger: Logger }): KnownKeys {
  const noted = new Map<string, number>();

  const lookUp = rereadingEach(clock, async (id): Promise<KnownKey | undefined> => {
    const row = await findRecord(store, keyKind, id);
    return row === undefined ? undefined : { row, ...readKey(row) };
  });

  const note = (row: RecordRow, { id, last_used_at = 0 }: ApiKey): void => {
    const now = clock.now();
    if (now - Math.max(last_used_at, noted.get(id) ?? 0) < noteMs) return;
    noted.set(id, now);
    noteUse(store, row, clock).catch((error: unknown) => {
      if (!ThroughlineError.is(error, "store.closed"))
        logger.warn("the use of a key was not noted", { key: id, code: ThroughlineError.from(error).code });
    });
  };

  return {
    async verify(text) {
      const parts = parseKey(text);
      const found = parts === undefined ? undefined : await lookUp(parts.id);
      if (parts === undefined || found === undefined) return undefined;
      const { key, hash, row } = found;
      if (!isSecret(parts.secret, hash) || !isActive(key, clock.now())) return undefined;
      note(row, key);
      return key;
    },
    async find(id) {
      const key = (await lookUp(id))?.key;
      return key !== undefined && isActive(key, clock.now()) ? key : undefined;
    },
    any: async () => (await listKeys(store)).some((key) => isActive(key, clock.now())),
  };
}
