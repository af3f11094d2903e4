/** Standard Webhooks: secrets, and the signatures that a receiver checks with any of its libraries. */
import { createHmac } from "node:crypto";
import { type Random, systemRandom, ThroughlineError } from "throughline/kernel";

const secretPattern = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/;

/** Reads a secret: `whsec_` and 24 to 64 bytes in base64. Throws `input.invalid` without repeating it. */
export function secretBytes(secret: string): Buffer {
  const bytes = Buffer.from(secretPattern.exec(secret)?.[1] ?? "", "base64");
  if (bytes.byteLength >= 24 && bytes.byteLength <= 64) return bytes;
  throw new ThroughlineError("input.invalid", "A webhook secret is `whsec_` and 24 to 64 bytes in base64.");
}

/** Makes a secret. */
export const newSecret = (random: Random = systemRandom): string => `whsec_${Buffer.from(random.bytes(32)).toString("base64")}`;

/** What is signed: the id of the delivery, the time in seconds, and the body. */
export interface Signed {
  readonly id: string;
  readonly seconds: number;
  readonly body: string | Uint8Array;
}

/** One signature, as it stands in `webhook-signature`. */
export const signatureOf = (secret: string, { id, seconds, body }: Signed): string =>
  `v1,${createHmac("sha256", secretBytes(secret)).update(`${id}.${seconds}.`).update(body).digest("base64")}`;

/** The headers of a delivery. Each secret signs, so that a receiver may know the old one or the new one. */
export const signedHeaders = (secrets: readonly string[], signed: Signed): Readonly<Record<string, string>> => ({
  "webhook-id": signed.id,
  "webhook-timestamp": String(signed.seconds),
  "webhook-signature": secrets.map((secret) => signatureOf(secret, signed)).join(" "),
});
