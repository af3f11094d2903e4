/**
 * Encrypts single texts with AES-256-GCM under the key of their owner. A stored text is base64url of these bytes: version (1), the key's tag (4),
 * initialization vector (12), ciphertext, authentication tag (16).
 */
import { type KeyObject, createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { OwnerId } from "../../../kernel/id.ts";
import { systemRandom } from "../../../kernel/random.ts";
import type { PayloadCodec } from "../../port.ts";

/** Encrypts and decrypts the texts of one owner. The binding is authenticated by the tag. */
export interface Cipher {
  seal(text: string, owner: OwnerId, binding: string): string;
  open(stored: string, owner: OwnerId, binding: string): string;
  /** Like `seal`, but equal texts of one owner with one binding have equal ciphertexts, so that they can distinguish rows. */
  sealName(text: string, owner: OwnerId, binding: string): string;
  openName(stored: string, owner: OwnerId, binding: string): string;
}

/** A required key is not in memory. Its owner's keys must be read, and the work repeated. */
export class KeysMissing extends Error {
  readonly owner: OwnerId;
  /** The place that was read. */
  place: string | undefined;
  constructor(owner: OwnerId) {
    super(`A key of owner ${owner} is not loaded.`);
    this.owner = owner;
  }
}

/** A key of an owner, unencrypted. It never leaves the process. */
export interface OwnerKey {
  /** 8 random bytes as 11 characters. The first 4 bytes are in every text that the key encrypts. */
  readonly key_id: string;
  readonly tag: number;
  /** Encrypts texts. @internal */
  readonly texts: KeyObject;
  /** Derives the initialization vectors of names. @internal */
  readonly vectors: KeyObject;
}

/** The keys of one owner. */
export interface OwnerKeys {
  /** Encrypts new texts. */
  readonly current: OwnerKey;
  /** All keys, including those of the anonymous sessions that were assigned to the owner. */
  readonly all: readonly OwnerKey[];
}

const version = 1;
const sizes = { head: 5, vector: 12, tag: 16 } as const;
const algorithm = "aes-256-gcm";
export const keyBytes = 32;

export function ownerKeyOf(key_id: string, secret: Uint8Array): OwnerKey {
  // Node accepts a key object several times faster than bytes.
  const derived = (purpose: string): KeyObject =>
    createSecretKey(new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), `throughline ${purpose}`, keyBytes)));
  return { key_id, tag: Buffer.from(key_id, "base64url").readUInt32BE(), texts: derived("texts"), vectors: derived("vectors") };
}

/** Encrypts bytes. Returns vector, ciphertext and tag. @internal */
export function encrypt(key: KeyObject | Uint8Array, plain: Uint8Array, binding: Uint8Array, vector = systemRandom.bytes(sizes.vector)): Buffer {
  const cipher = createCipheriv(algorithm, key, vector, { authTagLength: sizes.tag }).setAAD(binding);
  return Buffer.concat([vector, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the output of {@link encrypt}. Throws if a bit of it, or of the binding, differs. @internal */
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

/** The tag covers the head too. */
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
  // The first bytes of two keys of one owner are equal once in four billion. The tag of the ciphertext shows which key is right.
  const [first, ...others] = keys.all.length === 1 && keys.current.tag === tag ? keys.all : keys.all.filter((key) => key.tag === tag);
  if (first === undefined) throw new KeysMissing(owner);
  const bound = bindingOf(head, binding);
  const opened = (key: OwnerKey): string => decrypt(key.texts, bytes.subarray(sizes.head), bound).toString();
  for (const key of others) {
    try {
      return opened(key);
    } catch {
      // The next key may be the right one.
    }
  }
  return opened(first);
}

/** Creates a cipher with the keys that `keysOf` finds. */
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

/** Wraps a codec as a cipher. It ignores the binding and leaves names unchanged. */
export const codecCipher = (codec: PayloadCodec): Cipher => ({
  seal: (text, owner) => codec.encode(text, owner),
  open: (stored, owner) => codec.decode(stored, owner),
  sealName: (text) => text,
  openName: (stored) => stored,
});
