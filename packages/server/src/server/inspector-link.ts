/** A one-time link to the inspector. Its token is exchanged once for a key of this process, which no database holds. */
import { createHash, timingSafeEqual } from "node:crypto";
import { type Clock, type Random, systemRandom } from "throughline/kernel";
import type { ApiKey, KnownKeys } from "./auth/api-keys.ts";

/** Milliseconds for which a link can be used. */
const validMs = 10 * 60_000;

/** A one-time link, and the key that it is exchanged for. */
export interface InspectorLink {
  /** The address of the inspector with the token, for a service at `url`. */
  addressAt(url: string): string;
  /** Returns the key for the token; undefined if the token is wrong, was used or has expired. */
  exchange(token: string): string | undefined;
  /** The keys of a service with the one of this link. With it, the service always requires a key. */
  admit(keys: KnownKeys): KnownKeys;
}

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Creates a link. It can be used for ten minutes. */
export function createInspectorLink({ clock, random = systemRandom }: { readonly clock: Clock; readonly random?: Random }): InspectorLink {
  const secret = (): string => Buffer.from(random.bytes(32)).toString("base64url");
  const token = secret();
  const created_at = clock.now();
  const id = Array.from(random.bytes(16), (byte) => "0123456789abcdefghjkmnpqrstvwxyz".charAt(byte & 31)).join("");
  const key = `tl_live_${id}_${secret()}`;
  const info: ApiKey = { id, name: "inspector link", scopes: ["admin"], created_at };
  const [tokenHash, keyHash] = [hashOf(token), hashOf(key)];
  let used = false;
  return {
    addressAt: (url) => `${url}/inspector/#token=${token}`,
    exchange(given) {
      // The comparison takes the same time for every token of any length.
      const isToken = timingSafeEqual(hashOf(given), tokenHash);
      if (!isToken || used || clock.now() - created_at >= validMs) return undefined;
      used = true;
      return key;
    },
    admit: (keys) => ({
      verify: async (text) => (used && timingSafeEqual(hashOf(text), keyHash) ? info : keys.verify(text)),
      find: async (wanted) => (used && wanted === id ? info : keys.find(wanted)),
      any: async () => true,
    }),
  };
}
