/** Verifies the signatures of requests from other services, over the bytes of their bodies. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isPlainObject } from "throughline/kernel";
import { secretBytes } from "./webhook-signature.ts";

/** How a sender signs: [Standard Webhooks](https://www.standardwebhooks.com), or the scheme of GitHub, Stripe or Slack. */
export type WebhookScheme = "standard" | "github" | "stripe" | "slack";

export const webhookSchemes = ["standard", "github", "stripe", "slack"] as const satisfies readonly WebhookScheme[];

/** Seconds by which the time of a request may differ from that of the service. */
const toleranceSeconds = 300;

/** A request whose signature is checked. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** Current time in milliseconds. */
  readonly now: number;
}

/** Where a scheme has its parts. */
interface Scheme {
  /** The signatures of a request without their prefixes, and what they sign before the body. `time` is in seconds. */
  readonly read: (headers: Headers) => { readonly given: readonly string[]; readonly before: string; readonly time?: string } | undefined;
  readonly key: (secret: string) => string | Buffer;
  readonly encoding: "hex" | "base64";
  /** The id of the delivery: the same in each attempt. */
  readonly id: (headers: Headers, body: unknown) => unknown;
  /** Whether only the body is signed, without id and time, so that anyone who has seen a delivery can send it again under another id. */
  readonly signsBodyOnly?: true;
}

const member = (body: unknown, name: string): unknown => (isPlainObject(body) ? body[name] : undefined);
const plain = (secret: string): string => secret;

/** Returns the texts that follow a prefix in a list. */
const after = (prefix: string, list: readonly string[]): readonly string[] =>
  list.map((one) => one.trim()).flatMap((one) => (one.startsWith(prefix) ? [one.slice(prefix.length)] : []));

const schemes: Readonly<Record<WebhookScheme, Scheme>> = {
  standard: {
    read(headers) {
      const [id, time] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
      if (id === null || id === "" || time === null) return undefined;
      return { given: after("v1,", (headers.get("webhook-signature") ?? "").split(" ")), before: `${id}.${time}.`, time };
    },
    key: secretBytes,
    encoding: "base64",
    id: (headers) => headers.get("webhook-id"),
  },
  github: {
    read: (headers) => ({ given: after("sha256=", [headers.get("x-hub-signature-256") ?? ""]), before: "" }),
    key: plain,
    encoding: "hex",
    id: (headers) => headers.get("x-github-delivery"),
    signsBodyOnly: true,
  },
  stripe: {
    read(headers) {
      const parts = (headers.get("stripe-signature") ?? "").split(",");
      const [time] = after("t=", parts);
      return time === undefined ? undefined : { given: after("v1=", parts), before: `${time}.`, time };
    },
    key: plain,
    encoding: "hex",
    id: (_headers, body) => member(body, "id"),
  },
  slack: {
    read(headers) {
      const time = headers.get("x-slack-request-timestamp");
      return time === null ? undefined : { given: after("v0=", [headers.get("x-slack-signature") ?? ""]), before: `v0:${time}:`, time };
    },
    key: plain,
    encoding: "hex",
    id: (_headers, body) => member(body, "event_id"),
  },
};

/** Throws `input.invalid` for a secret that the scheme cannot have, without repeating it. */
export const checkSecret = (scheme: WebhookScheme, secret: string): void => void schemes[scheme].key(secret);

/**
 * Returns the signature of a request by the first of the secrets that signed it. Undefined if none did, or too long ago. Takes as long for a wrong
 * signature as for a right one.
 */
export function signatureOf(scheme: WebhookScheme, secrets: readonly string[], { headers, bytes, now }: SignedRequest): string | undefined {
  const { read, key, encoding } = schemes[scheme];
  const parts = read(headers);
  if (parts === undefined || !isRecent(parts.time, now)) return undefined;
  const expected = secrets.map((secret) => createHmac("sha256", key(secret)).update(parts.before).update(bytes).digest(encoding));
  // Every pair is compared, so that the time does not tell which one was equal.
  const found = expected.map((one) => parts.given.map((given) => isEqual(given, one)).includes(true));
  return expected[found.indexOf(true)];
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}

function isRecent(time: string | undefined, now: number): boolean {
  if (time === undefined) return true;
  return /^\d{1,12}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= toleranceSeconds;
}

/**
 * Returns the id of a delivery, and what identifies it: its id, or its signature if it has none or the id is not signed. Only an exact repetition is the
 * same delivery then. The signature is keyed by a secret that the database does not have, so what is kept of it does not tell a short body.
 */
export function deliveryIdOf(
  scheme: WebhookScheme,
  { headers, body, signature }: { headers: Headers; body: unknown; signature: string },
): { readonly id: string; readonly known: string } {
  const { id: idIn, signsBodyOnly = false } = schemes[scheme];
  const given = idIn(headers, body);
  const signed = createHash("sha256").update(signature).digest("hex");
  const id = typeof given === "string" && given !== "" ? given : signed;
  return { id, known: signsBodyOnly ? signed : id };
}
