/** The reply of a turn in which the gate has found something: a model's, held to what may be said, or sentences that need no model. */
import type { ExtensionTurn } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createDeadline } from "../../kernel/deadline.ts";
import { allowedOf, guard, type GuardOptions } from "../guard/guard.ts";
import { composeReply, crisisDirective } from "../reply/crisis-wording.ts";
import type { SafetyPhrases } from "../reply/safety-phrases.ts";
import { expandPlaceholders, renderEmergency, renderResources } from "../resources/render-resources.ts";
import type { SafetySettings } from "../safety-settings.ts";
import type { Gated } from "./gate-fields.ts";

/** Asked once, and once more if what came must not be said. */
const mostTries = 2;

/** What a person is sent, and what is to be said of it in the audit. */
export interface SafeReply {
  readonly text: string;
  readonly by: "model" | "static";
  /** Ids of the services that it shows. */
  readonly resources: readonly string[];
  /** Kinds of what was taken out, or refused. */
  readonly guarded: readonly string[];
  readonly steps: number;
  readonly tokens: number;
}

/** What a reply is made for. */
export interface ReplyNeeds {
  readonly gated: Gated;
  readonly safety: SafetySettings;
  readonly phrases: SafetyPhrases;
  readonly watched: "nobody" | "queued";
}

/** A reply of sentences alone: it cannot fail where its data is whole. */
export function staticReply({ gated, phrases, watched }: ReplyNeeds, { guarded = [], steps = 0, tokens = 0 }: Partial<SafeReply> = {}): SafeReply {
  const { plan, step, assessment, lookup } = gated;
  const text = composeReply({ plan, step, assessment, lookup, phrases, watched, saved: true });
  const shown = step.give.includes("resources") || assessment.level === 3 ? lookup.resources.map(({ id }) => id) : [];
  return { text, by: "static", resources: shown, guarded, steps, tokens };
}

/**
 * The model's own reply, without tools and whole before anybody sees it; the static one when it does not come in time, must not be said twice, or cannot be
 * asked for. Throws only when the turn is not this worker's any more.
 */
export async function modelReply(turn: ExtensionTurn, needs: ReplyNeeds): Promise<SafeReply> {
  const { signal, runtime } = turn;
  const late = new AbortController();
  const limit = runtime.clock.sleep(needs.safety.replyMs, late.signal).then(
    () => late.abort(new ThroughlineError("model.failed", "The model did not answer in time.")),
    () => {},
  );
  const guarded: string[] = [];
  const spent = { steps: 0, tokens: 0 };
  try {
    for (let tries = 1; tries <= mostTries; tries++) {
      const written = await askFor(turn, needs, { step: tries, refused: guarded, signal: AbortSignal.any([signal, late.signal]) });
      spent.steps += 1;
      spent.tokens += written.tokens;
      const said = guard(written.text, guardOptions(needs));
      guarded.push(...said.removed, ...said.blocked);
      if (said.blocked.length === 0 && said.text.trim() !== "") return { ...completed(said.text, needs), by: "model", guarded, ...spent };
    }
  } catch (error) {
    signal.throwIfAborted();
    runtime.logger.warn("crisis reply without the model", { turn_id: turn.claim.turn.turn_id, code: ThroughlineError.from(error).code });
  } finally {
    late.abort();
    await limit;
  }
  return staticReply(needs, { guarded, ...spent });
}

const guardOptions = ({ gated: { assessment, lookup, plan }, safety }: ReplyNeeds): GuardOptions => ({
  level: assessment.level,
  allow: allowedOf(lookup),
  profile: safety.profile,
  crisisOpen: (plan?.highest ?? 0) >= 2,
});

/** Puts in what the table has, and what the step gives and the model has left out. */
function completed(text: string, { gated: { step, lookup }, phrases }: ReplyNeeds): Pick<SafeReply, "text" | "resources"> {
  const expanded = expandPlaceholders(text, lookup, phrases);
  const shows = expanded.resources.length > 0 || expanded.directory;
  const needsResources = step.give.includes("resources") && !shows;
  const needsEmergency = step.give.includes("emergency") && !expanded.emergency;
  const emergency = phrases.call_now.replace("{emergency}", renderEmergency(lookup, phrases));
  const parts = [...(needsEmergency ? [emergency] : []), expanded.text, ...(needsResources ? [renderResources(lookup, phrases)] : [])];
  const added = needsResources ? lookup.resources.map(({ id }) => id) : [];
  return { text: parts.join("\n\n"), resources: [...new Set([...expanded.resources, ...added])] };
}

/** One request without tools: the agent's prompt for the style that the gate has set, and what to do. */
function askFor(
  turn: ExtensionTurn,
  { gated }: ReplyNeeds,
  { step, refused, signal }: { readonly step: number; readonly refused: readonly string[]; readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly tokens: number }> {
  const text = [crisisDirective(gated), ...again(refused)].filter((part) => part !== "").join("\n\n");
  return turn.askModel({ name: "safety", text }, { step, signal });
}

const again = (refused: readonly string[]): readonly string[] =>
  refused.length === 0 ? [] : [`What you wrote before could not be sent (${[...new Set(refused)].join(", ")}). Write it anew without that.`];

/** A reply that must not be said, written anew by the model without tools; undefined if that must not be said either. */
export async function writtenAnew(turn: ExtensionTurn, needs: ReplyNeeds, refused: readonly string[]): Promise<string | undefined> {
  const late = createDeadline(turn.runtime.clock);
  late.within(needs.safety.replyMs, () => new ThroughlineError("model.failed", "The model did not answer in time."));
  try {
    const { text } = await askFor(turn, needs, { step: mostTries, refused, signal: AbortSignal.any([turn.signal, late.signal]) });
    const said = guard(text, { level: 0, profile: needs.safety.profile });
    return said.blocked.length > 0 || said.text.trim() === "" ? undefined : said.text;
  } catch {
    turn.signal.throwIfAborted();
    return undefined;
  } finally {
    late.end();
  }
}
