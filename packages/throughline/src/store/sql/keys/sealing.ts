/** What a commit is encoded with: whose it is, that owner's cipher, and the keys of an owner whom it creates. */
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import { type Commit, type PayloadCodec, plainCodec } from "../../port.ts";
import type { OperatorKeys } from "../../encryption.ts";
import { type OwnerKeys, cipherOf, codecCipher } from "./cipher.ts";
import { openHashKey } from "./hash-key.ts";
import { Keyring, type NewKeys, type WrappedKey } from "./keyring.ts";
import type { SqlDriver } from "../driver.ts";
import { ownerOfSession } from "../queries.ts";
import { type Texts, createTexts } from "../texts.ts";

export interface Sealing {
  /** The owner of the commit's session. */
  readonly owner: OwnerId;
  readonly texts: Texts;
  /** The key of the owner that the commit creates, when the database is encrypted. */
  readonly key?: WrappedKey;
  /** The keys that must be there for the commit to be written. */
  readonly sealed_with?: readonly string[];
  /** For whom the commit's records are encoded; undefined for one of nobody. */
  readonly records?: readonly (OwnerId | undefined)[];
  /** Tells that the commit was written, for the first time. */
  readonly written?: () => void;
}

/** Prepares commits for the database. */
export interface Sealer {
  /** What to encode a commit with; undefined if its session is not there. */
  of(commit: Commit): Promise<Sealing | undefined>;
  /** Whose a session is, with its keys in memory, so that its texts can be encoded; undefined if there is no such session. */
  ownerOf(session: SessionId): Promise<OwnerId | undefined>;
  /** Whether there are keys to encode a text of this owner with, in memory from then on: there are none of an owner that is not there. */
  canEncode(owner: OwnerId): Promise<boolean>;
  /** Owners, sessions or keys may have gone: what is remembered of them is forgotten. */
  forget(): void;
  /** Runs what decodes; when a key is missing, reads it and runs it again. */
  retrying<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when nothing of that is under way. */
  settled(): Promise<void>;
}

/** So many sessions' owners are remembered. */
const remembered = 10_000;

/** For whom each record of a commit is encoded: its owner, else the owner of its session. */
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

/** For a codec that is not ours, or none: the owner matters only to a codec. */
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
        ...(records === undefined ? {} : { records }),
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
  /** Keys that are nowhere encode a commit that is refused: when all else holds, the database looks for them. */
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
    ...(records === undefined ? {} : { records }),
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
  // The session has gone over to another owner, and its keys with it.
  keyring.forget(owner);
  keyring.forget(change.owner_id);
}

/** How the texts of a database are encoded and decoded, from the options that it is opened with and its hash key as it is stored. */
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
