/** Inputs for encoding a commit: its owner, that owner's cipher, and the keys of a new owner. */
import { present } from "../../../kernel/json.ts";
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import { type Commit, type PayloadCodec, plainCodec } from "../../port.ts";
import type { OperatorKeys } from "../../store-options.ts";
import { type OwnerKeys, cipherOf, codecCipher } from "./cipher.ts";
import { Keyring, type NewKeys, openHashKey, type WrappedKey } from "./keyring.ts";
import type { SqlDriver } from "../sql-driver.ts";
import { ownerOfSession } from "../queries.ts";
import { type Texts, createTexts } from "../texts.ts";

export interface Sealing {
  /** The owner of the commit's session. */
  readonly owner: OwnerId;
  readonly texts: Texts;
  /** The key of the owner that the commit creates, if the database is encrypted. */
  readonly key?: WrappedKey;
  /** The keys that must exist when the commit is written. */
  readonly sealed_with?: readonly string[];
  /** The owners for whom the commit's records are encoded. Undefined for a record without an owner. */
  readonly records?: readonly (OwnerId | undefined)[];
  /** Called when the commit was written for the first time. */
  readonly written?: () => void;
}

/** Prepares commits for the database. */
export interface Sealer {
  /** Returns the inputs for encoding a commit. Undefined if its session does not exist. */
  of(commit: Commit): Promise<Sealing | undefined>;
  /** Returns a session's owner and caches its keys, so that its texts can be encoded. Undefined if there is no such session. */
  ownerOf(session: SessionId): Promise<OwnerId | undefined>;
  /** Whether there are keys for encoding a text of this owner. Caches them. An owner that does not exist has none. */
  canEncode(owner: OwnerId): Promise<boolean>;
  /** Drops cached data, because owners, sessions or keys may have been deleted. */
  forget(): void;
  /** Runs work that decodes. If a key is missing, reads it and repeats the work. */
  retrying<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when no such work is running. */
  settled(): Promise<void>;
}

/** Maximum number of sessions whose owners are cached. */
const remembered = 10_000;

/** Returns the owner for whom each record of a commit is encoded: the record's own, else the session's. */
async function recordOwners(
  { records, session }: Commit,
  ownerOf: (session: SessionId) => Promise<OwnerId | undefined>,
): Promise<readonly (OwnerId | undefined)[] | undefined> {
  const owners: (OwnerId | undefined)[] = [];
  for (const { owner_id, session_id } of records ?? []) {
    const made = session?.create !== undefined && session.session_id === session_id ? session.create.owner_id : undefined;
    owners.push(owner_id ?? made ?? (session_id === undefined ? undefined : ((await ownerOf(session_id)) ?? ("" as OwnerId))));
  }
  return records && owners;
}

/** For an external codec or none. Only a codec uses the owner. */
function plainSealer(driver: SqlDriver, texts: Texts, codec: PayloadCodec): Sealer {
  const owners = new Map<SessionId, OwnerId>();
  const ownerOf = async (session: SessionId): Promise<OwnerId | undefined> => {
    const known = owners.get(session);
    if (known !== undefined) return known;
    const [row] = (await driver.read(ownerOfSession, [session])).session;
    if (row === undefined) return undefined;
    const owner = String(row["owner_id"]) as OwnerId;
    if (owners.size >= remembered) owners.clear();
    owners.set(session, owner);
    return owner;
  };
  const nobody = "" as OwnerId;
  return {
    async of(commit) {
      const { session } = commit;
      const owner = session === undefined || codec === plainCodec ? nobody : (session.create?.owner_id ?? (await ownerOf(session.session_id)));
      if (owner === undefined) return undefined;
      const records = codec === plainCodec ? undefined : await recordOwners(commit, ownerOf);
      return {
        ...{ owner, texts },
        ...present({ records }),
        ...(session?.owner_id === undefined ? {} : { written: () => owners.clear() }),
      };
    },
    ownerOf,
    canEncode: async () => true,
    forget: () => owners.clear(),
    retrying: (work) => work(),
    settled: async () => {},
  };
}

/** For an encrypted database. */
function keyedSealer(keyring: Keyring, hashKey: Uint8Array): Sealer {
  const underWay = new Set<Promise<unknown>>();
  return {
    of: (commit) => sealCommit(keyring, hashKey, commit),
    ownerOf: async (session) => (await keyring.ofSession(session))?.owner,
    canEncode: async (owner) => (await keyring.of(owner)) !== undefined,
    forget: () => keyring.forget(),
    async retrying(work) {
      const running = keyring.retrying(work);
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    settled: async () => void (await Promise.allSettled(underWay)),
  };
}

async function sealCommit(keyring: Keyring, hashKey: Uint8Array, commit: Commit): Promise<Sealing> {
  const { owner: ownerChange, session: change } = commit;
  const made = ownerChange?.create === undefined ? undefined : keyring.make();
  const used = new Map<OwnerId, OwnerKeys>();
  const required: string[] = [];
  /** A commit that is encoded with unknown keys is rejected: after all other checks, the database looks for the keys. */
  const use = (owner: OwnerId, keys: OwnerKeys | undefined): void => {
    const found = keys ?? keyring.make().keys;
    used.set(owner, found);
    required.push(found.current.key_id);
  };
  if (ownerChange !== undefined) {
    if (made === undefined) use(ownerChange.owner_id, await keyring.of(ownerChange.owner_id));
    else used.set(ownerChange.owner_id, made.keys);
  }
  let owner = change?.create?.owner_id ?? ("" as OwnerId);
  if (change !== undefined && change.create === undefined) {
    const session = await keyring.ofSession(change.session_id);
    owner = session?.owner ?? owner;
    if (!used.has(owner)) use(owner, session?.keys);
  } else if (change !== undefined && !used.has(owner)) use(owner, await keyring.of(owner));
  const records = await recordOwners(commit, async (session) => (await keyring.ofSession(session))?.owner);
  for (const one of records ?? []) if (one !== undefined && !used.has(one)) use(one, await keyring.of(one));
  return {
    owner,
    ...present({ records }),
    texts: createTexts(
      cipherOf((one) => used.get(one)),
      hashKey,
    ),
    ...(made === undefined ? {} : { key: made.row }),
    sealed_with: required,
    written: () => afterwards(keyring, commit, owner, made),
  };
}

function afterwards(keyring: Keyring, { owner: ownerChange, session: change }: Commit, owner: OwnerId, made: NewKeys | undefined): void {
  if (ownerChange !== undefined && made !== undefined) keyring.keep(ownerChange.owner_id, made.keys);
  if (change?.owner_id === undefined) return;
  // The session has moved to another owner, together with its keys.
  keyring.forget(owner);
  keyring.forget(change.owner_id);
}

/** Creates the encoding of a database's texts from the options of the store and its stored hash key. */
export function createSealing(
  driver: SqlDriver,
  codec: PayloadCodec = plainCodec,
  encryption: OperatorKeys | undefined,
  storedHashKey: string,
): { readonly texts: Texts; readonly sealer: Sealer; readonly encrypted: boolean } {
  const hashKey = openHashKey(storedHashKey, encryption);
  if (encryption === undefined) {
    const texts = createTexts(codecCipher(codec), hashKey);
    return { texts, sealer: plainSealer(driver, texts, codec), encrypted: false };
  }
  const keyring = new Keyring(driver, encryption);
  const texts = createTexts(keyring.cipher, hashKey, (owners) => keyring.ready(owners));
  return { texts, sealer: keyedSealer(keyring, hashKey), encrypted: true };
}
