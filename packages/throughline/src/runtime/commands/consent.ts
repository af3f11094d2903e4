/** What a person has agreed to, as an event of their session: listed with it, exported with it, erased with it. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { append, type Done, type Handle } from "./handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";

/** What a person agrees to, or no longer does. */
export interface ConsentOptions extends IdempotencyOptions {
  /** Whether they agree from now on. */
  readonly given: boolean;
  /** Names the text that they were shown: 1 to 100 characters. */
  readonly textVersion: string;
  /** What it is for: 1 to 100 characters, `service` by default. Each purpose is agreed to by itself. */
  readonly purpose?: string;
}

function checkName(path: string, value: unknown): void {
  if (typeof value === "string" && value.trim() !== "" && value.length <= 100) return;
  throw new ThroughlineError("input.invalid", `A consent's ${path} has 1 to 100 characters, got ${seen(value)}.`, { details: { path } });
}

/** Puts it on record. `input.invalid` names what is wrong with it. */
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
