/** What a customer reads in place of a reply: one text for each way in which a turn ends without an answer. */
import { isPlainObject } from "../kernel/json.ts";
import { seen } from "../kernel/error.ts";
import type { Outcome } from "../session/event.ts";
import { invalidAgent } from "./failure.ts";

/** The texts that a customer reads if a turn ends without an answer. */
export interface Apologies {
  /** A defect: a stage, the model or the runtime failed, also too often in a row (`attempts_limit`, `retry_limit`, `error_forbade`). */
  readonly failed: string;
  /** The budget is used up: steps, tokens, cost, time or the deadline. */
  readonly limit: string;
  /** A hook, a stage or a person stopped the turn on purpose. */
  readonly stopped: string;
}

/** The texts of an agent that declares none. */
export const defaultApologies: Apologies = Object.freeze({
  failed: "Sorry, something went wrong on my side. Your message is kept; please try again in a moment.",
  limit: "Sorry, I could not finish this in one reply. What is done so far is kept; please ask me to go on, or ask for less at once.",
  stopped: "I stopped before I finished this. Please write again if you want me to go on.",
});

const kinds = ["failed", "limit", "stopped"] as const;
const limits: ReadonlySet<string> = new Set(["steps_limit", "token_limit", "cost_limit", "time_limit", "deadline"]);
const failures: ReadonlySet<string> = new Set(["error_forbade", "attempts_limit", "retry_limit"]);

/** Returns which of the texts fits an outcome. */
export function apologyKind(outcome: Outcome): keyof Apologies {
  if (outcome.status !== "stopped" || failures.has(outcome.reason)) return "failed";
  return limits.has(outcome.reason) ? "limit" : "stopped";
}

/** Returns an agent's texts: one text for all three, or an own text for some and the default for the others. Throws `agent.invalid`. */
export function checkApologies(agent: string, given: string | Partial<Apologies> = {}): Apologies {
  const texts: unknown = typeof given === "string" ? { failed: given, limit: given, stopped: given } : given;
  if (!isPlainObject(texts))
    throw invalidAgent(`Agent "${agent}" needs an apology that is a text, or texts for ${kinds.join(", ")}, got ${seen(given)}.`);
  for (const [kind, text] of Object.entries(texts)) {
    if (!kinds.some((known) => known === kind)) throw invalidAgent(`Agent "${agent}" has an apology for "${kind}"; there are ${kinds.join(", ")}.`);
    if (typeof text !== "string" || text.trim() === "")
      throw invalidAgent(`Agent "${agent}" needs an apology that is a text for "${kind}", got ${seen(text)}.`);
  }
  return Object.freeze({ ...defaultApologies, ...texts });
}

/**
 * Returns a text in another language. An agent's own text has precedence over the translation, and the translation over the default.
 */
export function apologyIn(agent: { readonly apology: Apologies }, kind: keyof Apologies, translated: Partial<Apologies>): string {
  const own = agent.apology[kind];
  return own === defaultApologies[kind] ? (translated[kind] ?? own) : own;
}
