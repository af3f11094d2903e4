/**
 * Step 5 of a turn whose agent has a gate: runs the gate, then the reply that follows from it. That is the model's, checked by the guard, or prepared
 * sentences that need no model. It also tells a person that this is an AI, as an event that a client shows and no model can omit.
 */
import { apologyIn, apologyKind } from "../../extension/apology.ts";
import { isOwnFailure } from "../../extension/failure.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { Answer, ExtensionTurn, OpenDraft } from "../../extension/port.ts";
import { createDeadline, type Deadline } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { setRecent } from "../../kernel/recent.ts";
import { decodeEvent } from "../../session/fold.ts";
import { newEvent } from "../../session/new-event.ts";
import { type Assessment } from "../assessment.ts";
import {
  assessmentRecord,
  type AssessmentRefs,
  type Consequence,
  recordChange,
  recordedRefs,
  referredTo,
  refsFor,
} from "../audit/assessment-record.ts";
import { keepEscalation } from "../audit/escalation-outbox.ts";
import { disclosureDue, type LastDisclosure, sharedOf } from "../audit/gate-shared.ts";
import { combine } from "../combine.ts";
import { afterReply, numberOf } from "../crisis-plan.ts";
import { allowedOf, guard, type GuardOptions, guardStream, type GuardStream } from "../guard/guard.ts";
import { bareStep, composeReply, crisisDirective } from "../reply/crisis-wording.ts";
import { missingIn, type MissingKind, missingKinds } from "../reply/reply-contents.ts";
import { phrasesFor, type SafetyPhrases } from "../reply/safety-phrases.ts";
import { emptyLookup, type Expanded, expandPlaceholders, renderEmergency, renderResources } from "../resources/resource-lookup.ts";
import { failedPaths, type SafetySettings } from "../safety-settings.ts";
import { screening } from "./accept-screened.ts";
import { type Gated, gateStage, noteAssessed, planDelta } from "./gate-fields.ts";
import { askedIn, gate, heardIn } from "./gate.ts";

/** Answers as an agent without a gate does. */
type Ordinary<Paused> = (draft: OpenDraft) => Promise<Answer | Paused>;

/**
 * Runs the gate first; nothing is shown or done before its verdict. If the gate finds a danger, the agent's own stages and tools do not run. The
 * reply then passes the guard, and there always is one.
 */
export async function answerSafely<Paused extends { readonly paused: object }>(
  turn: ExtensionTurn,
  { draft, ordinary, safety }: { readonly draft: OpenDraft; readonly ordinary: Ordinary<Paused>; readonly safety: SafetySettings },
): Promise<Answer | Paused> {
  const isLast = turn.lastAttempt;
  const gated = clarified(await gateOrLess(turn, isLast ? { ...safety, classifier: undefined } : safety));
  turn.told.assessment = gated.assessment;
  const audit = await openAudit(turn, safety, gated);
  const phrases = phrasesFor(safety.phrases, gated.plan?.language ?? gated.assessment.language);
  await disclose(turn, { safety, phrases });
  if (isOrdinary(gated)) return answerOrdinarily(turn, { draft, ordinary, needs: { gated, safety, phrases, watched: "nobody" }, audit });

  const escalation = await escalate(turn, { gated, safety });
  keepEscalation(turn, { gated, safety, escalation });
  const needs: ReplyNeeds = { gated, safety, phrases, watched: escalation === "queued" ? "queued" : "nobody" };
  turn.told.interrupted = true;
  const { level } = gated.assessment;
  if (level >= 2) turn.ask({ memory: "skip" });
  // Stages that run in every turn run now. At level 1, recall runs too.
  await turn.runAlways({ recall: level === 1 });
  const isStatic =
    gated.step.emergency !== undefined ||
    isLast ||
    safety.replyBy === "static" ||
    gated.assessment.path === "static" ||
    gated.assessment.path === "screen_error";
  // A model call takes time. The flush makes the finding durable for the audit, and for a worker that takes this turn over.
  if (!isStatic) await turn.journal.flush();
  const said = isStatic ? staticReply(needs) : await modelReply(turn, needs);
  noteReply(turn, gated, said);
  const action = gated.assessment.level === 1 ? "clarify" : said.by === "static" ? "static_reply" : "crisis_reply";
  audit({ action, resources_shown: referredTo(gated, said.resources), guarded: said.guarded, reply_completed: true, escalation });
  return { text: said.text, final: true, outcome: { status: "completed" }, steps: said.steps, tokens: said.tokens, calls: {} };
}

/**
 * Tells whether the turn continues as usual: the gate found nothing, or there is no question to ask and no help to give. Before a crisis, that means
 * no matches. Later it means that only a floor holds the level, and that the message does not answer the last question.
 */
const isOrdinary = ({ assessment: { level, override, path, grounds }, plan, step }: Gated): boolean => {
  if (level === 0) return step.emergency === undefined;
  if (path === "screen_error" || plan === undefined || step.ask !== undefined || step.give.length > 0 || step.emergency !== undefined) return false;
  // A person who evades the last question is asked no other one.
  if (override === "none") return level === 1 && (plan.highest < 2 || (plan.heard === undefined && grounds.every((ground) => ground === "answer")));
  return (override === "sticky" || override === "floor") && plan.heard === undefined;
};

/** If the screen failed, the reply does at least what its level needs. An open crisis continues with its plan. */
const clarified = (gated: Gated): Gated => {
  const { assessment, step } = gated;
  const goesOn = step.ask !== undefined || step.give.length > 0 || step.emergency !== undefined;
  return assessment.path === "screen_error" && !goesOn ? { ...gated, step: bareStep(assessment) } : gated;
};

/** Runs the gate. If the gate itself fails, it uses the assessment so far or the screen's finding, and at least level 1. */
async function gateOrLess(turn: ExtensionTurn, safety: SafetySettings): Promise<Gated> {
  let found: Assessment | undefined;
  try {
    const run = (): Promise<Gated> =>
      gate(turn, safety, (assessment) => {
        found = assessment;
      });
    return await turn.observed({ kind: "guardrail", name: gateStage }, run, ({ assessment }) => ({ level: assessment.level }));
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!isOwnFailure(error)) throw error;
    turn.runtime.logger.error("gate failed", { turn_id: turn.claim.turn.turn_id, code: ThroughlineError.from(error).code }, error);
    return brokenGate(turn, safety, found);
  }
}

function brokenGate(turn: ExtensionTurn, safety: SafetySettings, found: Assessment | undefined): Gated {
  const known = found ?? screenedAlone(turn, safety);
  const level = known.level === 0 ? 1 : known.level;
  const flags = { needs_crisis_response: level >= 2, needs_clarification: level === 1 };
  const override = level > known.level ? "floor" : known.override;
  const grounds = [...new Set([...known.grounds, "screen_failed" as const])];
  const assessment: Assessment = { ...known, level, override, grounds, path: "screen_error", quality: "degraded", ...flags };
  return { assessment, plan: undefined, step: { give: [] }, lookup: emptyLookup(safety.resources, "lookup_error"), ms: { gate: 0, screen: 0 } };
}

function screenedAlone(turn: ExtensionTurn, safety: SafetySettings): Assessment {
  const { screened } = screening(
    safety,
    heardIn(turn)
      .map(({ text }) => text)
      .join("\n"),
  );
  return combine({ screened, path: "deterministic_only", profile: safety.profile, now: turn.began_at });
}

/** Records the question and the help of the reply in the plan. If the state rejects them, the reply is still sent. */
function noteReply({ journal, runtime, claim }: ExtensionTurn, { plan, step, lookup }: Gated, { resources }: SafeReply): void {
  if (plan === undefined) return;
  try {
    const delta = planDelta(afterReply(plan, { step, resources, number: numberOf(lookup) }));
    journal.apply({ type: "stage", name: gateStage }, delta, { writes: Object.keys(delta) });
  } catch (error) {
    if (!isOwnFailure(error)) throw error;
    const { turn_id } = claim.turn;
    runtime.logger.error("the plan failed in a turn that the gate has stopped", { turn_id, code: ThroughlineError.from(error).code }, error);
  }
}

type Audit = (consequence: Consequence) => void;

/** Records the assessment in the commit of its findings. The returned function replaces it with the consequences in the commit of the reply. */
async function openAudit(turn: ExtensionTurn, safety: SafetySettings, gated: Gated): Promise<Audit> {
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

/** Produces the agent's own answer, checked before it is shown. */
async function answerOrdinarily<Paused extends { readonly paused: object }>(
  turn: ExtensionTurn,
  {
    draft,
    ordinary,
    needs,
    audit,
  }: { readonly draft: OpenDraft; readonly ordinary: Ordinary<Paused>; readonly needs: ReplyNeeds; readonly audit: Audit },
): Promise<Answer | Paused> {
  const { gated, safety, phrases } = needs;
  const streams = gated.assessment.level === 0;
  const answered = await ordinary(guardedDraft(draft, { profile: safety.profile, streams }));
  if ("paused" in answered) return answered;
  const isOwn = turn.asked.control.reply !== undefined || !answered.final || answered.text.trim() === "";
  const said = isOwn ? { text: answered.text, removed: [], blocked: [] } : guard(answered.text, { level: 0, profile: safety.profile });
  const guarded = [...said.removed, ...said.blocked];
  const isRefused = said.blocked.length > 0 || (!isOwn && said.text.trim() === "");
  const kind = apologyKind(answered.outcome);
  const standsIn = !answered.final && answered.text === turn.agent.apology[kind];
  const ordinaryText = standsIn ? apologyIn(turn.agent, kind, phrases) : said.text;
  const text = isRefused ? ((await writtenAnew(turn, needs, guarded)) ?? phrases.apology) : ordinaryText;
  audit({ action: "none", guarded, reply_completed: answered.final });
  return { ...answered, text: isOwn ? text : withNote(turn, needs, text) };
}

/** Appends, once per conversation, that safety checks are limited if no classifier answered. */
function withNote({ messages }: ExtensionTurn, { gated, phrases, safety }: ReplyNeeds, text: string): string {
  if (!failedPaths.has(gated.assessment.path)) return text;
  const note = limitedNote(phrases, safety);
  const isTold = messages.some(({ role, text: before }) => role === "assistant" && before.includes(note));
  return isTold ? text : `${text}\n\n${note}`;
}

const limitedNote = ({ limited }: SafetyPhrases, { resources: { directories } }: SafetySettings): string =>
  limited.replace("{directory}", directories[0]?.website ?? "").trim();

/** Wraps a draft so that the guard checks each sentence before it is shown. If `streams` is false, the draft shows no text. */
function guardedDraft(draft: OpenDraft, { profile, streams }: { readonly profile: "adult" | "minor"; readonly streams: boolean }): OpenDraft {
  let stream: GuardStream = guardStream({ level: 0, profile });
  const rest = (): void => {
    stream = guardStream({ level: 0, profile });
  };
  return {
    write: (text, after) => {
      if (streams) draft.write(stream.push(text), after);
    },
    started: (call, after) => draft.started(call, after),
    next: (reason) => {
      rest();
      draft.next(reason);
    },
    end: (reason) => draft.end(reason),
  };
}

/** Milliseconds that a reply waits for the sink to accept an alert. */
const alertWait = 500;

/** Alerts the sink, if there is one and the level is high enough. A slow or failing sink does not delay the reply, and the reply then claims no alert. */
async function escalate(
  turn: ExtensionTurn,
  { gated, safety }: { readonly gated: Gated; readonly safety: SafetySettings },
): Promise<"queued" | "failed" | "none"> {
  const { sink, sinkFrom } = safety;
  const { level, risk_types, subject } = gated.assessment;
  if (sink === undefined || level < sinkFrom) return "none";
  const { claim, runtime, signal, began_at } = turn;
  const late = new AbortController();
  const limit = AbortSignal.any([signal, late.signal]);
  const event = { key: claim.turn.turn_id, level, risk_types, subject, at: began_at, session_id: claim.session_id };
  const waited = runtime.clock.sleep(alertWait, limit).then(
    () => "failed" as const,
    () => "failed" as const,
  );
  try {
    return await Promise.race([sink.notify(event, { signal: limit }), waited]);
  } catch (error) {
    signal.throwIfAborted();
    runtime.logger.error("nobody was told of a person in danger", { turn_id: claim.turn.turn_id, code: ThroughlineError.from(error).code }, error);
    return "failed";
  } finally {
    late.abort();
  }
}

/** The model is asked once, and once more if the guard rejects its text. */
const mostTries = 2;

/** The reply to the person, and its data for the audit. */
interface SafeReply {
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
interface ReplyNeeds {
  readonly gated: Gated;
  readonly safety: SafetySettings;
  readonly phrases: SafetyPhrases;
  readonly watched: "nobody" | "queued";
}

/** Builds a reply from sentences alone. It cannot fail if its data is complete. */
function staticReply({ gated, phrases, watched }: ReplyNeeds, { guarded = [], steps = 0, tokens = 0 }: Partial<SafeReply> = {}): SafeReply {
  const { plan, step, assessment, lookup } = gated;
  const text = composeReply({ plan, step, assessment, lookup, phrases, watched, saved: true });
  const isListed = step.emergency === undefined ? assessment.level === 3 : step.emergency === "abuse";
  const shown = step.give.includes("resources") || isListed ? lookup.resources.map(({ id }) => id) : [];
  return { text, by: "static", resources: shown, guarded, steps, tokens };
}

/**
 * Returns the model's reply, without tools, and complete before anyone sees it. Returns the static one if the model is late or fails, or if its second
 * text is rejected too: by the guard, or because it lacks a response, the question of the plan, or help. Throws only if this worker lost the turn.
 */
async function modelReply(turn: ExtensionTurn, needs: ReplyNeeds): Promise<SafeReply> {
  const { signal, runtime } = turn;
  const late = replyDeadline(turn, needs);
  const guarded: string[] = [];
  const spent = { steps: 0, tokens: 0 };
  try {
    for (let tries = 1; tries <= mostTries; tries++) {
      const written = await askFor(turn, needs, { step: tries, refused: guarded, signal: AbortSignal.any([signal, late.signal]) });
      spent.steps += 1;
      spent.tokens += written.tokens;
      const said = guard(written.text, guardOptions(needs));
      const expanded = expandPlaceholders(said.text, needs.gated.lookup, needs.phrases);
      const missing = missingOf(turn, needs, { text: said.text, expanded });
      guarded.push(...said.removed, ...said.blocked, ...missing);
      // Help is added from the table. What only the model can say is not.
      if (said.blocked.length === 0 && missing.every((kind) => kind === "missing_help"))
        return { ...completed(expanded, needs), by: "model", guarded, ...spent };
    }
  } catch (error) {
    signal.throwIfAborted();
    runtime.logger.warn("crisis reply without the model", { turn_id: turn.claim.turn.turn_id, code: ThroughlineError.from(error).code }, error);
  } finally {
    late.end();
  }
  return staticReply(needs, { guarded, ...spent });
}

/** Starts the time that a model has for a reply. */
function replyDeadline({ runtime }: ExtensionTurn, { safety: { replyMs } }: ReplyNeeds): Deadline {
  const late = createDeadline(runtime.clock);
  late.within(replyMs, () => new ThroughlineError("model.failed", "The model did not answer in time."));
  return late;
}

const guardOptions = ({ gated: { assessment, lookup, plan }, safety }: ReplyNeeds): GuardOptions => ({
  level: assessment.level,
  allow: allowedOf(lookup),
  profile: safety.profile,
  crisisOpen: (plan?.highest ?? 0) >= 2,
});

/** Adds the help of the step that the model left out. */
function completed(expanded: Expanded, { gated: { step, lookup }, phrases }: ReplyNeeds): Pick<SafeReply, "text" | "resources"> {
  const needsResources = step.give.includes("resources") && expanded.resources.length === 0 && !expanded.directory;
  const call = step.give.includes("emergency")
    ? phrases.call_now
    : step.give.includes("emergency_if") || step.give.includes("pause")
      ? phrases.emergency_if
      : undefined;
  const emergency = call === undefined || expanded.emergency ? [] : [call.replace("{emergency}", () => renderEmergency(lookup, phrases))];
  const resources = needsResources ? lookup.resources.map(({ id }) => id) : [];
  // A number comes first where it is to be called now. The question stays the last sentence.
  const question = expanded.text.search(/[^.!?？؟。！।\n]+[?？؟]\s*$/u);
  const [said, asked] = question < 0 ? [expanded.text, ""] : [expanded.text.slice(0, question), expanded.text.slice(question)];
  const services = needsResources ? [renderResources(lookup, phrases)] : [];
  const parts = step.give.includes("emergency") ? [...emergency, said, ...services, asked] : [said, ...emergency, ...services, asked];
  const text = parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
  return { text: emergency.length === 0 && services.length === 0 ? expanded.text : text, resources: [...expanded.resources, ...resources] };
}

/** Returns what a model's reply lacks. Text that cannot be read lacks nothing. */
function missingOf(
  turn: ExtensionTurn,
  { gated: { step }, safety: { screen, phrases } }: ReplyNeeds,
  { text, expanded }: { readonly text: string; readonly expanded: Expanded },
): readonly MissingKind[] {
  const message = heardIn(turn)
    .map((one) => one.text)
    .join("\n");
  try {
    return missingIn({ text, expanded, asks: askedIn(screen, text, { inDanger: true }), step, message, phrases });
  } catch {
    return [];
  }
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
  refused.length === 0
    ? []
    : [
        `What you wrote before could not be sent (${[...new Set(refused)].join(", ")}). Write it anew${refused.some((kind) => missingKinds.some((missing) => missing === kind)) ? ", with what is missing" : ""}${
          refused.every((kind) => missingKinds.some((missing) => missing === kind)) ? "" : ", and without what was removed"
        }.`,
      ];

/** Asks the model to rewrite a rejected reply, without tools. Returns undefined if the guard rejects that one too, or the call fails. */
async function writtenAnew(turn: ExtensionTurn, needs: ReplyNeeds, refused: readonly string[]): Promise<string | undefined> {
  const late = replyDeadline(turn, needs);
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

/** Milliseconds that a reply waits for the time of the last disclosure. A repeated disclosure does no harm. */
const disclosureWait = 250;

/** Sessions to remember in this process. The oldest is evicted. */
const mostKnown = 10_000;

/** Returns the last recorded disclosure. Withdrawn events do not count, although they were shown: the conversation starts over without them. */
async function readLast({ runtime, claim }: ExtensionTurn): Promise<LastDisclosure | undefined> {
  let last: LastDisclosure | undefined;
  let episode = 1;
  for await (const stored of eventsOf(runtime.store, { session_id: claim.session_id, kinds: ["session"] })) {
    const event = decodeEvent(stored);
    if (event.kind !== "session") continue;
    if (event.data.type === "episode") episode = event.data.opened;
    if (event.data.type === "disclosure") last = { at: event.created_at, episode };
  }
  return last;
}

async function lastOf(turn: ExtensionTurn): Promise<LastDisclosure | undefined> {
  const { claim, runtime } = turn;
  const { disclosures } = sharedOf(runtime);
  const told = disclosures.get(claim.session_id);
  if (told !== undefined && told.turn === undefined) return told.last;
  // Before the first turn there is no disclosure.
  if (claim.turn.number === 1 && claim.turn.attempts <= 1) return undefined;
  const last = await readLast(turn);
  if (last !== undefined) setRecent(disclosures, claim.session_id, { last }, mostKnown);
  return last;
}

async function lastInTime(turn: ExtensionTurn): Promise<LastDisclosure | undefined> {
  const { clock, logger } = turn.runtime;
  const done = new AbortController();
  const waited = clock.sleep(disclosureWait, AbortSignal.any([turn.signal, done.signal])).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([lastOf(turn), waited]);
  } catch (error) {
    logger.warn("it is not known when a person was told last that this is an AI", { code: ThroughlineError.from(error).code }, error);
    return undefined;
  } finally {
    done.abort();
  }
}

/** Adds a disclosure to the turn's commit if one is due, in the language of the reply. */
async function disclose(
  turn: ExtensionTurn,
  { safety: { disclosureMs, profile }, phrases }: { readonly safety: SafetySettings; readonly phrases: SafetyPhrases },
): Promise<void> {
  const { claim, loaded, runtime, began_at: now } = turn;
  const { episode } = loaded.session;
  const last = await lastInTime(turn);
  const reason = disclosureDue(last, { now, episode, everyMs: disclosureMs });
  if (reason === undefined) return;
  const breaks = profile === "minor" && reason === "interval" ? { suggests_break: true as const } : {};
  const { number } = claim.turn;
  turn.journal.add(newEvent("session", "system", { type: "disclosure", reason, text: phrases.disclosure, ...breaks }, { turn: number }));
  setRecent(sharedOf(runtime).disclosures, claim.session_id, { last: { at: now, episode }, turn: number }, mostKnown);
}
