/** Metadata keys that have a meaning in Throughline. They are the same on customers, sessions and events. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isStorableText, type Json } from "../kernel/json.ts";
import { isLoopback } from "../kernel/loopback.ts";

const urlLimit = 2_048;

/** The valid values of each key that an integration may write. */
const wellKnown: Readonly<Record<string, { readonly what: string; readonly holds: (value: Json) => boolean }>> = {
  session_key: { what: "a text of 1 to 200 characters", holds: isShortText },
  external_id: { what: "a text of 1 to 200 characters", holds: isShortText },
  event_webhook_url: {
    what: `an https URL of at most ${urlLimit} characters, without a user name (http to this machine alone)`,
    holds: isWebhookUrl,
  },
};

/** Keys that only Throughline writes. */
const reserved: ReadonlySet<string> = new Set(["step_outputs", "incognito"]);

/**
 * Checks a change of one metadata key; an undefined `value` removes the key. Throws `metadata.reserved` for a key that only Throughline writes.
 * Throws `variables.invalid` for a value that a well-known key cannot have.
 */
export function checkWellKnown(name: string, value: Json | undefined): void {
  if (reserved.has(name))
    throw new ThroughlineError("metadata.reserved", `Metadata "${name}" is written by Throughline alone.`, { details: { name } });
  const key = Object.hasOwn(wellKnown, name) ? wellKnown[name] : undefined;
  if (key === undefined || value === undefined || key.holds(value)) return;
  throw new ThroughlineError("variables.invalid", `Metadata "${name}" is ${key.what}, got ${seen(value)}.`, { details: { name } });
}

function isShortText(value: Json): boolean {
  return typeof value === "string" && value.trim() !== "" && value.length <= 200 && isStorableText(value);
}

/** Webhooks carry conversation content, so the connection must be encrypted, except to this machine. */
function isWebhookUrl(value: Json): boolean {
  const url = typeof value === "string" && value.length <= urlLimit ? URL.parse(value) : null;
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
