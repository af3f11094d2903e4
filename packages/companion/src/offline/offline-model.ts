/** The companion's offline model: rules behind the model port, for every call of the companion. */
import { type Clock, type Json, type Model, type RuleInput, rules, ThroughlineError } from "throughline";
import {
  type StructuredCall,
  readCall,
  exerciseReply,
  exerciseSelection,
  lookupAnswer,
  lookupPreflight,
  safetyVerdict,
  dispatch,
} from "./calls/offline-calls.ts";
import { replyTo } from "./say/offline-reply.ts";
import { prompted } from "./say/prompted.ts";

/** Options of {@link offlineModel}. */
export interface OfflineModelOptions {
  /** Milliseconds between words, to make streaming visible; default 0. */
  readonly pace?: number;
  readonly clock?: Clock;
}

/** Structured calls, by the title of their schema. */
const calls: Readonly<Record<string, (call: StructuredCall) => Json>> = {
  dispatch,
  exercise_selection: exerciseSelection,
  exercise_reply: exerciseReply,
  lookup_preflight: lookupPreflight,
  lookup_answer: lookupAnswer,
  safety_verdict: safetyVerdict,
};

const titleOf = (format: Json): string => {
  const title = typeof format === "object" && format !== null && "title" in format ? format["title"] : undefined;
  return typeof title === "string" ? title : "";
};

function structured(input: RuleInput): string | undefined {
  const { response_format } = input.request;
  if (response_format === undefined) return undefined;
  const title = titleOf(response_format);
  const call = Object.hasOwn(calls, title) ? calls[title] : undefined;
  if (call === undefined)
    throw new ThroughlineError("model.failed", `The offline rules have no answer to the structured call "${title}".`, {
      hint: `They answer ${Object.keys(calls).join(", ")}; give another model for anything else.`,
    });
  return JSON.stringify(call(readCall(input)));
}

/** Display name, which states that it is not a language model. */
export const offlineModelName = "companion rules (offline, no language model)";

/**
 * Creates a rules engine for every structured call and every reply of the companion. It reads only the request that a language model would receive.
 * The same request always gets the same answer, word by word, with usage counted in words. Throws `model.failed` for an unknown structured call, and
 * for a reply that the gate directs. The gate then sends its own sentences.
 * @example createCompanion({ models: { control: offlineModel(), response: offlineModel({ pace: 25 }) } })
 */
export const offlineModel = ({ pace = 0, clock }: OfflineModelOptions = {}): Model =>
  rules([structured, (input) => replyTo(prompted(input, clock))], { name: offlineModelName, pace, ...(clock === undefined ? {} : { clock }) });
