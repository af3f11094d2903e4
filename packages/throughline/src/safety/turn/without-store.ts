/** Replies if no store can be read or written, or the turn cannot start. Keeps the assessment until a store accepts it. */
import { apologyIn } from "../../extension/apology.ts";
import type { Extension, ExtensionAgent, InsteadOfApology, Unstored } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { newEvent } from "../../session/new-event.ts";
import type { LoadedSession } from "../../store/port.ts";
import type { Assessment, SafetyLevel } from "../assessment.ts";
import { assessmentRecord, randomRefs, recordChange, refsFor } from "../audit/assessment-record.ts";
import { sharedOf } from "../audit/gate-shared.ts";
import { combine } from "../combine.ts";
import { advancePlan, afterReply, contextFrom, type CrisisPlan, nextStep, numberOf } from "../crisis-plan.ts";
import { bareStep, composeReply } from "../reply/crisis-wording.ts";
import { phrasesFor, saysOf } from "../reply/safety-phrases.ts";
import { emptyLookup } from "../resources/resource-lookup.ts";
import type { SafetySettings } from "../safety-settings.ts";
import { screening } from "./accept-screened.ts";
import { helpNear, statedIn } from "./gate.ts";

/**
 * Returns the fallback reply, which needs no model, store or state. Returns undefined if the screen found nothing and the message is stored: the
 * apology then suffices. A failed screen counts as unclear. `atLeast`: an earlier finding, such as a classifier's.
 */
function lastWords(
  safety: SafetySettings,
  text: string,
  { saved, now, atLeast = 0 }: { readonly saved: boolean; readonly now: number; readonly atLeast?: SafetyLevel },
): string | undefined {
  const { screened } = screening(safety, text);
  const seen = screened?.level ?? 1;
  const level = seen > atLeast ? seen : atLeast;
  if (level === 0 && saved) return undefined;
  const phrases = phrasesFor(safety.phrases, screened?.language);
  const grounds = screened === undefined ? (["screen_failed"] as const) : [];
  const assessment = { level, subject: screened?.subject ?? ("self" as const), grounds, risk_types: screened?.risk_types ?? [] };
  const lookup =
    level >= 2
      ? helpNear(safety, { ...statedIn(text, undefined), now, riskTypes: screened?.risk_types ?? [], language: screened?.language })
      : emptyLookup(safety.resources, "not_attempted");
  return composeReply({ plan: undefined, step: bareStep(assessment), assessment, lookup, phrases, watched: "nobody", saved });
}

/** Returns the text of a failed turn in the language of the message. */
const failedText = (safety: SafetySettings, { apology }: ExtensionAgent, text: string): string =>
  apologyIn({ apology }, "failed", phrasesFor(safety.phrases, screening(safety, text).screened?.language));

/** A message that no store accepted. */
interface UnsavedMessage {
  readonly text: string;
  /** The crisis plan, as far as this process knows it. */
  readonly plan: CrisisPlan | undefined;
  /** Whether the message itself is stored. */
  readonly saved: boolean;
  readonly now: number;
}

/** The reply to it, and the plan afterwards. */
interface UnsavedWords {
  readonly reply: string | undefined;
  readonly assessment: Assessment;
  readonly plan: CrisisPlan | undefined;
}

/**
 * Returns the reply while no store can be read. A person in a known crisis gets its next step, so that "yes" and "in Spain" start no new
 * conversation. Everyone else gets a reply to the message alone.
 */
function unsavedWords(safety: SafetySettings, message: UnsavedMessage): UnsavedWords {
  const { text, plan: before, saved, now } = message;
  const { screened } = screening(safety, text, contextFrom(before));
  const path = screened?.level === 3 ? "static" : "deterministic_only";
  const assessment = combine({ text, screened, path, plan: before, profile: safety.profile, now });
  const stated = statedIn(text, before);
  const says = saysOf(safety.phrases, text, [assessment.language, before?.language]);
  const plan = advancePlan(before, { assessment, screened, ...stated, says, now });
  const lookup =
    plan === undefined || plan.highest < 2
      ? emptyLookup(safety.resources, "not_attempted")
      : helpNear(safety, {
          regions: plan.regions,
          refused: plan.location_refused,
          now,
          riskTypes: assessment.risk_types,
          language: plan.language ?? assessment.language,
        });
  const { level } = assessment;
  const step =
    before === undefined || plan === undefined
      ? bareStep(assessment)
      : nextStep(plan, { assessment, lookup, asksForServices: says.asks_help === true });
  const after =
    plan === undefined || level === 0
      ? plan
      : afterReply(plan, {
          step,
          resources: step.give.includes("resources") ? lookup.resources.map(({ id }) => id) : [],
          number: numberOf(lookup),
        });
  if (before === undefined || level === 0) return { reply: lastWords(safety, text, { saved, now }), assessment, plan: after };
  const phrases = phrasesFor(safety.phrases, plan?.language ?? screened?.language);
  return { reply: composeReply({ plan, step, assessment, lookup, phrases, watched: "nobody", saved }), assessment, plan: after };
}

/** Replies to a message that the store did not accept, and appends the assessment to the fallback log. */
export async function replyWithoutStore(safety: SafetySettings, { context, agent, text, session_id, customer, saved }: Unstored): Promise<string> {
  const now = context.clock.now();
  const { plans } = sharedOf(context);
  const known = plans.get(session_id);
  const isTheirs = customer === undefined || known?.customer === customer;
  const {
    assessment,
    plan,
    reply = failedText(safety, agent, text),
  } = unsavedWords(safety, { text, plan: isTheirs ? known?.plan : undefined, saved, now });
  // The turn of a stored message judges it again.
  if (plan !== undefined && !saved && isTheirs) plans.set(session_id, { ...known, plan, saved: false });
  await spool(context, { safety, agent, assessment, now });
  return reply;
}

/** Appends the assessment to the fallback log. A failure is logged and does not delay the reply. */
async function spool(
  context: Unstored["context"],
  {
    safety,
    agent,
    assessment,
    now,
  }: Pick<Unstored, "agent"> & { readonly safety: SafetySettings; readonly assessment: Assessment; readonly now: number },
): Promise<void> {
  try {
    const refs = randomRefs(context.ids.trace());
    const session = { metadata: {} };
    await sharedOf(context).spool.append(
      assessmentRecord({ assessment, refs, agent, safety, at: now, session, action: "static_reply", reply_completed: true }),
    );
  } catch (error) {
    context.logger.error("an assessment is lost", { code: ThroughlineError.from(error).code }, error);
  }
}

/**
 * Returns the reply in place of an answer, and the assessment, for the commit that ends a turn that could not start. The assessment of an earlier
 * attempt is not repeated.
 */
export async function unbegunSafely(
  safety: SafetySettings,
  { context: runtime, claim, loaded, agent, text }: Parameters<NonNullable<Extension["insteadOfApology"]>>[0],
): Promise<InsteadOfApology> {
  const assessed = assessedIn(loaded);
  const said = lastWords(safety, text, { saved: true, now: runtime.clock.now(), atLeast: assessed?.level ?? 0 });
  const reply = said ?? failedText(safety, agent, text);
  if (assessed !== undefined || text === "") return { text: reply, events: [], records: [] };
  const { turn_id, number, created_at: at } = claim.turn;
  const { session } = loaded;
  const { screened } = screening(safety, text);
  const path = screened?.level === 3 ? "static" : "deterministic_only";
  const assessment = combine({ text, screened, path, profile: safety.profile, now: at });
  const refs = await refsFor(runtime, { session, turn_id });
  const action = said === undefined ? "none" : assessment.level === 1 ? "clarify" : "static_reply";
  const record = assessmentRecord({ assessment, refs, agent, safety, at, session, action, reply_completed: said !== undefined });
  const { audit_id, level } = record;
  return {
    text: reply,
    events: [newEvent("assessment", "system", { audit_id, level }, { turn: number })],
    records: [recordChange(record, safety.retentionDays, session)],
  };
}

/** Returns the finding of an earlier attempt. */
function assessedIn({ journal }: LoadedSession): Assessment | undefined {
  const entry = journal.find(({ kind, data }) => kind === "turn" && data["assessment"] !== undefined);
  return entry?.data["assessment"] as unknown as Assessment | undefined;
}
