/**
 * Encryption of single texts: AES-256-GCM under the key of their owner. A stored text is base64url of one byte of version, four bytes that
 * name the key, twelve of initialisation vector, the ciphertext, and sixteen of tag.
 */
import { type KeyObject, createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { OwnerId } from "../../../kernel/id.ts";
import { systemRandom } from "../../../kernel/random.ts";
import type { PayloadCodec } from "../../port.ts";

/** How texts of one owner are made unreadable, and readable again. The binding goes into the tag. */
export interface Cipher {
  seal(text: string, owner: OwnerId, binding: string): string;
  open(stored: string, owner: OwnerId, binding: string): string;
  /** As `seal`, but equal texts of one owner with one binding are stored alike, so that rows can be told apart by them. */
  sealName(text: string, owner: OwnerId, binding: string): string;
  openName(stored: string, owner: OwnerId, binding: string): string;
}

/** A key that a text needs is not in memory: its owner's keys must be read, and the work repeated. */
export class KeysMissing extends Error {
  readonly owner: OwnerId;
  /** What was read. */
  place: string | undefined;
  constructor(owner: OwnerId) {
    super(`A key of owner ${owner} is not loaded.`);
    this.owner = owner;
  }
}

/** A key of an owner, in the clear: it never leaves the process. */
export interface OwnerKey {
  /** 11 characters that stand for 8 random bytes; the first 4 bytes are in every text that the key encrypts. */
  readonly key_id: string;
  readonly tag: number;
  readonly texts: KeyObject;
  /** What the initialisation vectors of names are made with. */
  readonly vectors: KeyObject;
}

/** The keys of one owner. */
export interface OwnerKeys {
  /** What is written is written with this one. */
  readonly current: OwnerKey;
  /** All of them: an owner has those of the anonymous sessions, too, that were given to it. */
  readonly all: readonly OwnerKey[];
}

const version = 1;
const sizes = { head: 5, vector: 12, tag: 16 } as const;
const algorithm = "aes-256-gcm";
export const keyBytes = 32;

export function ownerKeyOf(key_id: string, secret: Uint8Array): OwnerKey {
  // Node takes a key object several times faster than bytes.
  const derived = (purpose: string): KeyObject =>
    createSecretKey(new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), `throughline ${purpose}`, keyBytes)));
  return { key_id, tag: Buffer.from(key_id, "base64url").readUInt32BE(), texts: derived("texts"), vectors: derived("vectors") };
}

/** Encrypts bytes: vector, ciphertext, tag. */
export function encrypt(key: KeyObject | Uint8Array, plain: Uint8Array, binding: Uint8Array, vector = systemRandom.bytes(sizes.vector)): Buffer {
  const cipher = createCipheriv(algorithm, key, vector, { authTagLength: sizes.tag }).setAAD(binding);
  return Buffer.concat([vector, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** What {@link encrypt} made; throws if a bit of it, or of the binding, is another. */
export function decrypt(key: KeyObject | Uint8Array, sealed: Uint8Array, binding: Uint8Array): Buffer {
  if (sealed.length < sizes.vector + sizes.tag) throw new Error("The ciphertext is too short.");
  const end = sealed.length - sizes.tag;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, sizes.vector), { authTagLength: sizes.tag });
  decipher.setAAD(binding).setAuthTag(sealed.subarray(end));
  return Buffer.concat([decipher.update(sealed.subarray(sizes.vector, end)), decipher.final()]);
}

function headOf(key: OwnerKey): Buffer {
  const head = Buffer.alloc(sizes.head);
  head.writeUInt8(version, 0);
  head.writeUInt32BE(key.tag, 1);
  return head;
}

/** The head is part of what the tag covers. */
const bindingOf = (head: Uint8Array, binding: string): Buffer => Buffer.concat([head, Buffer.from(binding)]);

function sealText(key: OwnerKey, text: string, binding: string, vector?: Uint8Array): string {
  const head = headOf(key);
  return Buffer.concat([head, encrypt(key.texts, Buffer.from(text), bindingOf(head, binding), vector)]).toString("base64url");
}

function openText(keys: OwnerKeys, owner: OwnerId, stored: string, binding: string): string {
  const bytes = Buffer.from(stored, "base64url");
  if (bytes.length < sizes.head || bytes[0] !== version || bytes.toString("base64url") !== stored)
    throw new Error("It is not a text that this version has encrypted.");
  const head = bytes.subarray(0, sizes.head);
  const tag = head.readUInt32BE(1);
  // Two keys of one owner may begin alike, once in four billion; the tag of the ciphertext tells which is right.
  const [first, ...others] = keys.all.length === 1 && keys.current.tag === tag ? keys.all : keys.all.filter((key) => key.tag === tag);
  if (first === undefined) throw new KeysMissing(owner);
  const bound = bindingOf(head, binding);
  const opened = (key: OwnerKey): string => decrypt(key.texts, bytes.subarray(sizes.head), bound).toString();
  for (const key of others) {
    try {
      return opened(key);
    } catch {
      // The next one may be it.
    }
  }
  return opened(first);
}

/** A cipher over the keys that `keysOf` finds. */
export function cipherOf(keysOf: (owner: OwnerId) => OwnerKeys | undefined): Cipher {
  const keys = (owner: OwnerId): OwnerKeys => {
    const found = keysOf(owner);
    if (found === undefined) throw new KeysMissing(owner);
    return found;
  };
  const open: Cipher["open"] = (stored, owner, binding) => openText(keys(owner), owner, stored, binding);
  return {
    seal: (text, owner, binding) => sealText(keys(owner).current, text, binding),
    open,
    sealName: (text, owner, binding) => {
      const { current } = keys(owner);
      const vector = createHmac("sha256", current.vectors).update(`${binding}\n${text}`).digest().subarray(0, sizes.vector);
      return sealText(current, text, binding, vector);
    },
    openName: open,
  };
}

/** A codec as a cipher: it takes no binding, and leaves names as they are. */
export const codecCipher = (codec: PayloadCodec): Cipher => ({
  seal: (text, owner) => codec.encode(text, owner),
  open: (stored, owner) => codec.decode(stored, owner),
  sealName: (text) => text,
  openName: (stored) => stored,
});
