/**
 * Builds the stored record of an assessment. The record identifies no one and expires. Its subject is a hash keyed with the person's secret. Erasing
 * the person destroys the secret.
 */
import { createHmac } from "node:crypto";
import { commitOnce } from "../../extension/commit.ts";
import { eventsOf, findRecord } from "../../extension/lists.ts";
import type { ExtensionAgent, ExtensionContext, ExtensionTurn } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import { systemRandom } from "../../kernel/random.ts";
import { setRecent } from "../../kernel/recent.ts";
import { isIncognito } from "../../session/session-view.ts";
import type { RecordChange, SessionRow } from "../../store/port.ts";
import type { Assessment, AssessmentRecord, SafetyAction } from "../assessment.ts";
import { policyVersion, type SafetySettings } from "../safety-settings.ts";
import type { Gated } from "../turn/gate-fields.ts";
import { sharedOf, type SecretCache } from "./gate-shared.ts";

/** Record kind of an assessment. */
export const assessmentKind = "assessment";

/** Takes the place of service ids if the reply showed the directories. */
const directoriesShown = "directories";

/** Milliseconds in a day. */
export const dayMs = 24 * 60 * 60 * 1_000;

/** Returns the day of a time, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the key of an assessment. Keys sort by day. All attempts of a turn share one key. */
export const assessmentKey = ({ at, audit_id }: Pick<AssessmentRecord, "at" | "audit_id">): string => `${dayOf(at)}/${audit_id}`;

/** The consequences of an assessment, as far as they are known. */
export interface Consequence {
  readonly action: SafetyAction;
  readonly resources_shown?: readonly string[];
  readonly guarded?: readonly string[];
  readonly reply_completed?: boolean;
  readonly escalation?: "queued" | "failed" | "none";
}

/** Builds the record of an assessment. `at` is the time at which the turn was queued, so every attempt has the same. */
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
    ...present({ region }),
    resources_shown,
    guarded,
    reply_completed,
    ...present({ escalation }),
    ...(isIncognito(session) ? { incognito: true as const } : {}),
  };
}

/** Returns the ids of the services that the reply showed, or `directories` if it showed only those. */
export const referredTo = ({ step }: Gated, resources: readonly string[]): readonly string[] =>
  resources.length === 0 && step.give.includes("resources") ? [directoriesShown] : resources;

/**
 * Returns the record as a store change. Retention counts from the record's time or the session's creation, and from the time of writing. A wrong
 * clock expires nothing early.
 */
export const recordChange = (
  record: AssessmentRecord,
  retentionDays: number,
  { created_at }: Pick<SessionRow, "created_at"> = { created_at: 0 },
): RecordChange => ({
  kind: assessmentKind,
  key: assessmentKey(record),
  // Codes, numbers and hashes are plain JSON by their type.
  data: record as unknown as JsonObject,
  expires_at: Math.max(record.at, created_at) + retentionDays * dayMs,
  keep_ms: retentionDays * dayMs,
});

/** Record kind of a person's secret. The key is the owner's id. The store encrypts and erases it with the owner's data. */
const secretKind = "assessment_secret";

/** Secrets cached in this process. The oldest is evicted. */
const mostSecrets = 10_000;

/** Pseudonyms of an assessment and its subject. */
export interface AssessmentRefs {
  readonly audit_id: string;
  readonly subject_ref: string;
  readonly session_ref: string;
  readonly turn_ref: string;
}

const newSecret = (): string => Buffer.from(systemRandom.bytes(32)).toString("base64url");

/**
 * Returns the owner's secret, and creates it on first use. If two processes create it concurrently, one commit is refused, and that process reads the
 * other's secret.
 */
async function secretOf(runtime: ExtensionContext, owner_id: OwnerId): Promise<string> {
  const { secrets } = sharedOf(runtime);
  const known = secrets.get(owner_id);
  if (known !== undefined) return known;
  for (let tries = 0; tries < 3; tries++) {
    const { items } = await runtime.store.list({ of: "records", kind: secretKind, key: owner_id, limit: 1 });
    const [row] = items;
    if (typeof row?.data["secret"] === "string") return remember(secrets, owner_id, row.data["secret"]);
    const secret = newSecret();
    const made = await commitOnce(runtime, { records: [{ kind: secretKind, key: owner_id, owner_id, depends: { version: 0 }, data: { secret } }] });
    if (made.outcome === "committed") return remember(secrets, owner_id, secret);
  }
  throw new ThroughlineError("session.conflict", "A person's secret for assessments kept changing.");
}

function remember(secrets: SecretCache, owner_id: OwnerId, secret: string): string {
  setRecent(secrets, owner_id, secret, mostSecrets);
  return secret;
}

const hashed = (secret: string, ...parts: readonly string[]): string =>
  createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url").slice(0, 22);

/**
 * Returns the pseudonyms for one turn's assessment. Every attempt of the turn gets the same, so the turn has one row. They are random in an incognito
 * session and if the secret cannot be read. Random ones can be counted but not linked.
 */
export async function refsFor(
  runtime: ExtensionContext,
  { session, turn_id }: { readonly session: Pick<SessionRow, "session_id" | "owner_id" | "metadata">; readonly turn_id: string },
): Promise<AssessmentRefs> {
  const secret = isIncognito(session) ? undefined : await secretOf(runtime, session.owner_id).catch(() => undefined);
  if (secret === undefined) return randomRefs(turn_id);
  return {
    audit_id: hashed(secret, "audit", turn_id),
    subject_ref: hashed(secret, "subject"),
    session_ref: hashed(secret, "session", session.session_id),
    turn_ref: hashed(secret, "turn", turn_id),
  };
}

/** Returns the pseudonyms that an earlier attempt of the turn recorded. Random ones cannot be derived again. */
export async function recordedRefs({ runtime: { store }, claim: { session_id, turn }, started }: ExtensionTurn): Promise<AssessmentRefs | undefined> {
  for await (const { turn_id, data } of eventsOf(store, { session_id, min_offset: started, kinds: ["assessment"] })) {
    const named = data["audit_id"];
    if (turn_id !== turn.turn_id || typeof named !== "string") continue;
    const row = await findRecord(store, assessmentKind, assessmentKey({ at: turn.created_at, audit_id: named }));
    if (row === undefined) return undefined;
    const { audit_id, subject_ref, session_ref, turn_ref } = row.data as unknown as AssessmentRecord;
    return { audit_id, subject_ref, session_ref, turn_ref };
  }
  return undefined;
}

/** Returns pseudonyms that no one can link: for incognito sessions, and for messages that no store accepted. */
export function randomRefs(turn: string): AssessmentRefs {
  const secret = newSecret();
  return { audit_id: hashed(secret, "audit"), subject_ref: "", session_ref: hashed(secret, "session"), turn_ref: hashed(secret, "turn", turn) };
}
