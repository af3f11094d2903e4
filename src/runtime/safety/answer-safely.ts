/** Step 5 of a turn whose agent has a gate: the gate, then what it leads to. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { Assessment } from "../../safety/assessment.ts";
import { combine } from "../../safety/combine.ts";
import { afterReply } from "../../safety/crisis/after-reply.ts";
import { guard } from "../../safety/guard/guard.ts";
import { bareStep } from "../../safety/reply/compose.ts";
import { phrasesFor } from "../../safety/reply/phrases-for.ts";
import type { SafetyPhrases } from "../../safety/reply/phrases.ts";
import { emptyLookup } from "../../safety/resources/lookup.ts";
import type { SafetySettings } from "../../safety/settings.ts";
import type { Answer, Paused } from "../answer.ts";
import type { Turn } from "../begin.ts";
import type { OpenDraft } from "../drafts.ts";
import { isOwnFailure } from "../failure.ts";
import { poisonedAt } from "../lease.ts";
import { ask, recalling, runStage } from "../stages.ts";
import { modelReply, staticReply, writtenAnew, type ReplyNeeds, type SafeReply } from "./crisis-reply.ts";
import { disclose } from "./disclosure.ts";
import { escalate } from "./escalate.ts";
import { gateStage, noteAssessed, planDelta } from "./fields.ts";
import { gate, heardIn } from "./gate.ts";
import type { Gated } from "./gated.ts";
import { guardedDraft } from "./guarded-draft.ts";
import { keepEscalation } from "./outbox.ts";
import { assessmentRecord, recordChange, referredTo, type Consequence } from "./record.ts";
import { recordedRefs, refsFor, type AssessmentRefs } from "./refs.ts";
import { screening } from "./screening.ts";

/** Answers as an agent without a gate does. */
type Ordinary = (draft: OpenDraft) => Promise<Answer | Paused>;

/**
 * The gate first; nothing is shown and nothing done before its verdict. Where it has found something, the agent's own stages and tools do not run, and the
 * reply is one that is held to what may be said: there is always one.
 */
export async function answerSafely(
  turn: Turn,
  { draft, ordinary, safety }: { readonly draft: OpenDraft; readonly ordinary: Ordinary; readonly safety: SafetySettings },
): Promise<Answer | Paused> {
  const isLast = turn.claim.turn.attempts >= poisonedAt;
  const gated = clarified(await gateOrLess(turn, isLast ? { ...safety, classifier: undefined } : safety));
  turn.safety.gated = gated;
  const audit = await openAudit(turn, safety, gated);
  const phrases = phrasesFor(safety.phrases, gated.plan?.language ?? gated.assessment.language);
  await disclose(turn, { safety, phrases });
  if (isOrdinary(gated)) return answerOrdinarily(turn, { draft, ordinary, needs: { gated, safety, phrases, watched: "nobody" }, audit });

  const escalation = await escalate(turn, { gated, safety });
  keepEscalation(turn, { gated, safety, escalation });
  const needs: ReplyNeeds = { gated, safety, phrases, watched: escalation === "queued" ? "queued" : "nobody" };
  turn.safety.interrupted = true;
  await beside(turn, gated.assessment);
  const isStatic = isLast || safety.replyBy === "static" || gated.assessment.path === "static" || gated.assessment.path === "screen_error";
  // A model takes its time: whoever takes this turn over is to be given what was found, and the audit has it by then.
  if (!isStatic) await turn.journal.flush();
  const said = isStatic ? staticReply(needs) : await modelReply(turn, needs);
  // A state that does not take what was asked and given takes no reply away.
  await tolerant(turn, "the plan", async () => noteReply(turn, gated, said));
  const action = gated.assessment.level === 1 ? "clarify" : said.by === "static" ? "static_reply" : "crisis_reply";
  audit({ action, resources_shown: referredTo(gated, said.resources), guarded: said.guarded, reply_completed: true, escalation });
  return { text: said.text, final: true, outcome: { status: "completed" }, steps: said.steps, tokens: said.tokens, calls: {} };
}

/**
 * Whether a turn goes on as usual: nothing was found, or there is nothing to ask and to give: before a crisis because no words were found, later because only a floor
 * holds the turn up, what there was has been asked and given, and what was asked is not answered just now.
 */
const isOrdinary = ({ assessment: { level, override, path }, plan, step }: Gated): boolean => {
  if (level === 0) return true;
  if (path === "screen_error" || plan === undefined || step.ask !== undefined || step.give.length > 0) return false;
  if (override === "none") return level === 1 && plan.highest < 2;
  return (override === "sticky" || override === "floor") && plan.heard === undefined;
};

/** What no screen has read is asked about directly, whatever was asked before; in a crisis its plan goes on. */
const clarified = (gated: Gated): Gated => {
  const { assessment, step, plan } = gated;
  const goesOn = (plan?.highest ?? 0) >= 2 && (step.ask !== undefined || step.give.length > 0);
  return assessment.path === "screen_error" && !goesOn ? { ...gated, step: bareStep(assessment.level) } : gated;
};

/** The gate; where it breaks itself, what it had found by then, or what the screen says by itself, and at least that it is unclear. */
async function gateOrLess(turn: Turn, safety: SafetySettings): Promise<Gated> {
  let found: Assessment | undefined;
  try {
    return await gate(turn, safety, (assessment) => {
      found = assessment;
    });
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!isOwnFailure(error)) throw error;
    turn.runtime.logger.error("gate failed", { turn_id: turn.claim.turn.turn_id, code: ThroughlineError.from(error).code });
    return brokenGate(turn, safety, found);
  }
}

function brokenGate(turn: Turn, safety: SafetySettings, found: Assessment | undefined): Gated {
  const known = found ?? screenedAlone(turn, safety);
  const level = known.level === 0 ? 1 : known.level;
  const flags = { needs_crisis_response: level >= 2, needs_clarification: level === 1 };
  const override = level > known.level ? "floor" : known.override;
  const assessment: Assessment = { ...known, level, override, path: "screen_error", quality: "degraded", ...flags };
  return { assessment, plan: undefined, step: { give: [] }, lookup: emptyLookup(safety.resources, "lookup_error"), ms: { gate: 0, screen: 0 } };
}

function screenedAlone(turn: Turn, safety: SafetySettings): Assessment {
  const { screened } = screening(
    safety,
    heardIn(turn)
      .map(({ text }) => text)
      .join("\n"),
  );
  return combine({ screened, path: "deterministic_only", profile: safety.profile, now: turn.began_at });
}

/** What runs in every turn runs now, and recall where it is only asked about; neither can hold a reply up. */
async function beside(turn: Turn, { level }: Assessment): Promise<void> {
  if (level >= 2) ask(turn, { memory: "skip" });
  const { stages, memory } = turn.agent;
  for (const stage of stages.filter(({ name, runs }) => runs === "always" && !turn.journaled.has(name)))
    await tolerant(turn, `stage ${stage.name}`, async () => {
      const { reply: _reply, ...control } = await runStage(turn, stage);
      ask(turn, control);
    });
  if (level === 1 && memory !== undefined) await tolerant(turn, "recall", () => recalling(turn, memory));
}

async function tolerant(turn: Turn, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!isOwnFailure(error)) throw error;
    turn.runtime.logger.error(`${what} failed in a turn that the gate has stopped`, {
      turn_id: turn.claim.turn.turn_id,
      code: ThroughlineError.from(error).code,
    });
  }
}

/** What was asked and given is known from now on. */
function noteReply(turn: Turn, { plan, step, lookup }: Gated, { resources }: SafeReply): void {
  if (plan === undefined) return;
  const delta = planDelta(afterReply(plan, { step, resources, numbered: lookup.emergency.length > 0 }));
  turn.journal.apply({ type: "stage", name: "safety" }, delta, { writes: Object.keys(delta) });
}

type Audit = (consequence: Consequence) => void;

/** Puts the assessment on record, in the commit that holds what it was found in; what comes of it replaces that in the commit of the reply. */
async function openAudit(turn: Turn, safety: SafetySettings, gated: Gated): Promise<Audit> {
  const { runtime, claim, loaded, agent, journal } = turn;
  const refs: AssessmentRefs =
    (turn.journaled.has(gateStage) ? await recordedRefs(turn) : undefined) ??
    (await refsFor(runtime, { session: loaded.session, turn_id: claim.turn.turn_id }));
  const given = { assessment: gated.assessment, refs, agent, safety, at: claim.turn.created_at, session: loaded.session, gated };
  const audit: Audit = (consequence) =>
    journal.keep(recordChange(assessmentRecord({ ...given, ...consequence }), safety.retentionDays, loaded.session));
  if (!turn.journaled.has(gateStage)) noteAssessed(turn, { audit_id: refs.audit_id, level: gated.assessment.level });
  audit({ action: "none" });
  return audit;
}

/** The agent's own answer, read before it is shown. */
async function answerOrdinarily(
  turn: Turn,
  { draft, ordinary, needs, audit }: { readonly draft: OpenDraft; readonly ordinary: Ordinary; readonly needs: ReplyNeeds; readonly audit: Audit },
): Promise<Answer | Paused> {
  const { gated, safety, phrases } = needs;
  const streams = gated.assessment.level === 0;
  const answered = await ordinary(guardedDraft(draft, { profile: safety.profile, streams }));
  if ("paused" in answered) return answered;
  const isOwn = turn.asked.control.reply !== undefined || !answered.final || answered.text.trim() === "";
  const said = isOwn ? { text: answered.text, removed: [], blocked: [] } : guard(answered.text, { level: 0, profile: safety.profile });
  const guarded = [...said.removed, ...said.blocked];
  const isRefused = said.blocked.length > 0 || (!isOwn && said.text.trim() === "");
  const text = isRefused ? ((await writtenAnew(turn, needs, guarded)) ?? phrases.apology) : said.text;
  audit({ action: "none", guarded, reply_completed: answered.final });
  return { ...answered, text: isOwn ? text : withNote(turn, needs, text) };
}

const failedPaths: ReadonlySet<string> = new Set(["llm_timeout", "llm_error", "llm_invalid", "breaker_open"]);

/** Says once in a conversation that safety checks are limited, when no classifier could be asked. */
function withNote({ messages }: Turn, { gated, phrases, safety }: ReplyNeeds, text: string): string {
  if (!failedPaths.has(gated.assessment.path)) return text;
  const note = limitedNote(phrases, safety);
  const isTold = messages.some(({ role, text: before }) => role === "assistant" && before.includes(note));
  return isTold ? text : `${text}\n\n${note}`;
}

const limitedNote = ({ limited }: SafetyPhrases, { resources: { directories } }: SafetySettings): string =>
  limited.replace("{directory}", directories[0]?.website ?? "").trim();
