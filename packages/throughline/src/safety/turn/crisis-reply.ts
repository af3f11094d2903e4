/** The reply of a turn with a finding: the model's, checked by the guard, or prepared sentences that need no model. */
import type { ExtensionTurn } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createDeadline } from "../../kernel/deadline.ts";
import { allowedOf, guard, type GuardOptions } from "../guard/guard.ts";
import { composeReply, crisisDirective } from "../reply/crisis-wording.ts";
import type { SafetyPhrases } from "../reply/safety-phrases.ts";
import { expandPlaceholders, renderEmergency, renderResources } from "../resources/render-resources.ts";
import type { SafetySettings } from "../safety-settings.ts";
import type { Gated } from "./gate-fields.ts";

/** The model is asked once, and once more if the guard rejects its text. */
const mostTries = 2;

/** The reply to the person, and its data for the audit. */
export interface SafeReply {
  readonly text: string;
  readonly by: "model" | "static";
  /** Ids of the services that it shows. */
  readonly resources: readonly string[];
  /** Kinds of content that the guard removed or rejected. */
  readonly guarded: readonly string[];
  readonly steps: number;
  readonly tokens: number;
}

/** Input of a reply. */
export interface ReplyNeeds {
  readonly gated: Gated;
  readonly safety: SafetySettings;
  readonly phrases: SafetyPhrases;
  readonly watched: "nobody" | "queued";
}

/** Builds a reply from sentences alone. It cannot fail if its data is complete. */
export function staticReply({ gated, phrases, watched }: ReplyNeeds, { guarded = [], steps = 0, tokens = 0 }: Partial<SafeReply> = {}): SafeReply {
  const { plan, step, assessment, lookup } = gated;
  const text = composeReply({ plan, step, assessment, lookup, phrases, watched, saved: true });
  const shown = step.give.includes("resources") || assessment.level === 3 ? lookup.resources.map(({ id }) => id) : [];
  return { text, by: "static", resources: shown, guarded, steps, tokens };
}

/**
 * Returns the model's reply, without tools, and complete before anyone sees it. Returns the static one if the model is late or fails, or if the guard
 * rejects its second text. Throws only if this worker lost the turn.
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

/** Expands the placeholders from the table, and adds help of the step that the model left out. */
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

/** Sends one request without tools: the agent's prompt for the gate's style, and the directive. */
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

/** Asks the model to rewrite a rejected reply, without tools. Returns undefined if the guard rejects that one too, or the call fails. */
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
