/** What is kept of an assessment: a record of nobody, which goes by itself when its time has come. */
import type { ExtensionAgent } from "../../extension/port.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Assessment, AssessmentRecord, SafetyAction } from "../assessment.ts";
import { policyVersion, type SafetySettings } from "../safety-settings.ts";
import type { RecordChange, SessionRow } from "../../store/port.ts";
import { isIncognito } from "../../session/session-marks.ts";
import type { Gated } from "../turn/gate-fields.ts";
import type { AssessmentRefs } from "./refs.ts";

/** The kind of such records. */
export const assessmentKind = "assessment";

/** In place of services. */
const directoriesShown = "directories";

/** Milliseconds of a day. */
export const dayMs = 24 * 60 * 60 * 1_000;

/** The day of a time, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Keys are in the order of days; one turn has one key, however often it is assessed. */
export const assessmentKey = ({ at, audit_id }: Pick<AssessmentRecord, "at" | "audit_id">): string => `${dayOf(at)}/${audit_id}`;

/** What came of an assessment, as far as that is known. */
export interface Consequence {
  readonly action: SafetyAction;
  readonly resources_shown?: readonly string[];
  readonly guarded?: readonly string[];
  readonly reply_completed?: boolean;
  readonly escalation?: "queued" | "failed" | "none";
}

/** The record of an assessment. `at` is when its turn was queued, the same for every attempt. */
export function assessmentRecord(
  given: {
    readonly assessment: Assessment;
    readonly refs: AssessmentRefs;
    readonly agent: Pick<ExtensionAgent, "name">;
    readonly safety: SafetySettings;
    readonly at: number;
    readonly session: Pick<SessionRow, "metadata">;
    readonly gated?: Gated;
  } & Consequence,
): AssessmentRecord {
  const { assessment, refs, agent, safety, at, session, gated, action } = given;
  const { needs_crisis_response: _crisis, needs_clarification: _clarification, ...kept } = assessment;
  const { classifier } = safety;
  const { resources_shown = [], guarded = [], reply_completed = false, escalation } = given;
  const [region] = gated?.lookup.regions ?? [];
  return {
    ...kept,
    ...refs,
    at,
    agent: agent.name,
    policy_version: policyVersion,
    pack_versions: safety.screen.versions,
    ...(classifier === undefined ? {} : { classifier: classifier.name, prompt_version: classifier.prompt_version }),
    gate_ms: gated?.ms.gate ?? 0,
    deterministic_ms: gated?.ms.screen ?? 0,
    ...(gated?.ms.llm === undefined ? {} : { llm_ms: gated.ms.llm }),
    action,
    ...(gated === undefined ? {} : { lookup_status: gated.lookup.status, resources_version: gated.lookup.table_version }),
    ...(region === undefined ? {} : { region }),
    resources_shown,
    guarded,
    reply_completed,
    ...(escalation === undefined ? {} : { escalation }),
    ...(isIncognito(session) ? { incognito: true as const } : {}),
  };
}

/** What a reply has shown of where help is: services, or the directories where it had none of them to show. */
export const referredTo = ({ step }: Gated, resources: readonly string[]): readonly string[] =>
  resources.length === 0 && step.give.includes("resources") ? [directoriesShown] : resources;

/** The record as a store takes it: kept from its time on, or from when its session was made, and from when it is written. A clock that is wrong makes nothing expire. */
export const recordChange = (
  record: AssessmentRecord,
  retentionDays: number,
  { created_at }: Pick<SessionRow, "created_at"> = { created_at: 0 },
): RecordChange => ({
  kind: assessmentKind,
  key: assessmentKey(record),
  // Codes, numbers and hashes: plain data by its type.
  data: record as unknown as JsonObject,
  expires_at: Math.max(record.at, created_at) + retentionDays * dayMs,
  keep_ms: retentionDays * dayMs,
});
