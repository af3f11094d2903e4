/** A customer's consent as an event of the session. It is listed, exported and erased with the session. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { append, type Done, type Handle } from "./handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";

/** A consent, or its revocation. */
export interface ConsentOptions extends IdempotencyOptions {
  /** Whether the customer consents from now on. */
  readonly given: boolean;
  /** Version of the text that the customer was shown: 1 to 100 characters. */
  readonly textVersion: string;
  /** Purpose of the consent: 1 to 100 characters, `service` by default. Each purpose has its own consent. */
  readonly purpose?: string;
}

function checkName(path: string, value: unknown): void {
  if (typeof value === "string" && value.trim() !== "" && value.length <= 100) return;
  throw new ThroughlineError("input.invalid", `A consent's ${path} has 1 to 100 characters, got ${seen(value)}.`, { details: { path } });
}

/** Records the consent. Throws `input.invalid`, which names the invalid option. */
export async function giveConsent(handle: Handle, options: ConsentOptions): Promise<Done> {
  const { given, textVersion: text_version, purpose = "service" } = options;
  if (typeof given !== "boolean")
    throw new ThroughlineError("input.invalid", `A consent is given: true or false, got ${seen(given)}.`, { details: { path: "given" } });
  checkName("textVersion", text_version);
  checkName("purpose", purpose);
  const consent = { given, text_version, purpose };
  const command = { type: "consent", ...consent, trace_id: handle.runtime.ids.trace() } as const;
  return append(handle, command, idempotencyOf(options, "consent", consent));
}
