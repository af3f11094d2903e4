/** The reply of the rules. */
import { ThroughlineError } from "throughline";
import { pick, type Seed } from "../words/pick.ts";
import { banks } from "./banks.ts";
import { partsOf, type Wording } from "./parts.ts";
import type { Prompted } from "./prompted.ts";
import { told } from "./told.ts";

/**
 * The reply to a request. It has two to four sentences, at most one question, no digit of its own and no exclamation mark; the same conversation always gets the
 * same one. A reply that the gate directs is left to the gate, whose own sentences are better than any that rules put together: then it throws `model.failed`.
 */
export function replyTo(asked: Prompted): string {
  if (asked.directed || asked.style === "crisis_response")
    throw new ThroughlineError("model.failed", "The rules write no reply to somebody in danger.", { hint: "The gate's own sentences are said." });
  if (asked.given !== undefined) return asked.given;
  const bank = banks[asked.language];
  const seed: Seed = { text: `${asked.text}|${asked.earlier.length}`, said: asked.said };
  const wording: Wording = { bank, asked, choose: (variants, purpose) => pick(variants, seed, purpose) };
  const reply = told(partsOf(wording), wording);
  const after = [...(asked.let_go ? [bank.let_go] : []), ...(asked.paused ? [bank.paused] : [])];
  return [reply, ...after].join(asked.language === "zh" ? "" : " ");
}
