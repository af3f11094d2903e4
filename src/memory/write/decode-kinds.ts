/** One reader a kind of entry, each of which takes today's shape and those before it. */
import type { SessionId } from "../../kernel/id.ts";
import type { EntryRow } from "../../store/port.ts";
import {
  type Arc,
  authorities,
  type Authority,
  type Bar,
  confidences,
  type Entity,
  type Fact,
  type Mask,
  type Profile,
  type RememberedTurn,
  type Rule,
  sensitivities,
  type Source,
  type Standing,
  type Vector,
} from "../entry.ts";
import type { Buffer } from "./buffer.ts";
import type { Candidate } from "./extraction.ts";
import {
  defined,
  list,
  member,
  number,
  numbersByName,
  oneOf,
  optionalNumber,
  optionalText,
  optionalTextsByName,
  optionalTime,
  type Shape,
  shapeOf,
  text,
  texts,
} from "./shape.ts";

const timings = ["immediate", "episode_end", "promotion"] as const;

/** A session, as an entry names it: it may be one that is gone, or of another system. */
const session = (shape: Shape, ...names: readonly [string, ...string[]]): SessionId => text(shape, ...names) as SessionId;

const flag = (shape: Shape, name: string): true | undefined => (member(shape, name).value === true ? true : undefined);

function standingOf(shape: Shape, row: EntryRow): Standing {
  const recorded_at = optionalTime(shape, "recorded_at", "created_at") ?? row.created_at;
  // Before entries had two kinds of time, one that was no longer in force was dormant, or hidden.
  const hidden = member(shape, "user_visible").value === false ? recorded_at : undefined;
  return defined({
    recorded_at,
    retracted_at: optionalTime(shape, "retracted_at", "dormant_at") ?? hidden,
    superseded_by: optionalText(shape, "superseded_by"),
    pinned: flag(shape, "pinned"),
    never_recall: flag(shape, "never_recall"),
    sensitivity: oneOf(shape, "sensitivity", sensitivities, "ordinary"),
  });
}

function entityOf(value: unknown, path: string): Entity {
  const shape = shapeOf(value, path);
  return { type: text(shape, "type"), id: text(shape, "id", "identifier") };
}

function sourceOf(value: unknown, path: string): Source {
  const shape = shapeOf(value, path);
  return { session_id: session(shape, "session_id"), offset: number(shape, "offset"), at: number(shape, "at") };
}

/** Where a fact comes from; older ones have one source, and its time is when they were written. */
function sourcesOf(shape: Shape, recorded_at: number): readonly [Source, ...Source[]] {
  const [first, ...more] = list(shape, ["sources"], sourceOf);
  if (first !== undefined) return [first, ...more];
  return [{ session_id: session(shape, "source_session_id"), offset: number(shape, "source_turn_index"), at: recorded_at }];
}

/** When in the life of a conversation it was written; the end of an episode was the end of a session. */
function timingOf(shape: Shape): Fact["written"] {
  const { value } = member(shape, "written", "write_timing");
  return value === "session_end" ? "episode_end" : (timings.find((timing) => timing === value) ?? "episode_end");
}

/** A fact. */
export function readFact(data: unknown, row: EntryRow): Fact {
  const shape = shapeOf(data, "");
  const standing = standingOf(shape, row);
  return defined({
    type: "fact" as const,
    category: text(shape, "category"),
    subject: entityOf(member(shape, "subject").value, "/subject"),
    predicate: text(shape, "predicate"),
    object: entityOf(member(shape, "object").value, "/object"),
    quote: text(shape, "quote", "evidence_quote"),
    confidence: oneOf(shape, "confidence", confidences, "medium"),
    authority: oneOf(shape, "authority", authorities, "extraction"),
    sources: sourcesOf(shape, standing.recorded_at),
    valid_from: optionalTime(shape, "valid_from"),
    valid_to: optionalTime(shape, "valid_to"),
    written: timingOf(shape),
    reason: optionalText(shape, "reason", "write_reason") ?? "",
    policy: optionalText(shape, "policy", "policy_version") ?? "",
    ...standing,
  });
}

/** A remembered turn. */
export function readTurn(data: unknown, row: EntryRow): RememberedTurn {
  const shape = shapeOf(data, "");
  return defined({
    type: "turn" as const,
    text: text(shape, "text"),
    source: sourceOf(member(shape, "source").value, "/source"),
    episode: number(shape, "episode"),
    speaker: optionalText(shape, "speaker"),
    role: member(shape, "role").value === "assistant" ? ("assistant" as const) : undefined,
    legacy: flag(shape, "legacy"),
    ...standingOf(shape, row),
  });
}

/**
 * What was kept before entries had a shape: a text alone, or in `{ text }`. It is given on as it stands, and where it was said is not known, so that
 * it belongs to no conversation: its session has a name that no session has, and it is nobody's neighbour. Undefined for anything else.
 */
export function readLegacy(data: unknown, row: EntryRow): RememberedTurn | undefined {
  const only = typeof data === "string" ? { text: data } : data;
  if (typeof only !== "object" || only === null || "source" in only || "category" in only || "summary" in only) return undefined;
  if (!("text" in only) || typeof only.text !== "string") return undefined;
  const standing = standingOf(shapeOf(only, ""), row);
  const source: Source = { session_id: `legacy:${row.entry_id}` as SessionId, offset: 0, at: standing.recorded_at };
  return { type: "turn", text: only.text, source, episode: 0, legacy: true, ...standing };
}

function moodOf(shape: Shape): Arc["mood"] {
  const { path, value } = member(shape, "mood", "mood_arc");
  if (value === undefined) return undefined;
  const inner = shapeOf(value, path);
  return { opened: text(inner, "opened"), closed: text(inner, "closed") };
}

/** An arc. */
export function readArc(data: unknown, row: EntryRow): Arc {
  const shape = shapeOf(data, "");
  const standing = standingOf(shape, row);
  const ended_at = optionalTime(shape, "ended_at") ?? standing.recorded_at;
  const turn_count = optionalNumber(shape, "turn_count") ?? 0;
  return defined({
    type: "arc" as const,
    session_id: session(shape, "session_id"),
    episode: optionalNumber(shape, "episode") ?? 0,
    started_at: optionalTime(shape, "started_at") ?? ended_at,
    ended_at,
    from: optionalNumber(shape, "from") ?? 0,
    upto: optionalNumber(shape, "upto") ?? 0,
    turn_count,
    summary: text(shape, "summary"),
    themes: texts(shape, "themes", "primary_themes"),
    mood: moodOf(shape),
    open_loops: texts(shape, "open_loops"),
    resolved: texts(shape, "resolved", "resolved_threads"),
    goal: optionalText(shape, "goal"),
    approach: optionalText(shape, "approach", "approach_used"),
    approach_context: optionalTextsByName(shape, "approach_context"),
    level: optionalNumber(shape, "level", "crisis_level_max"),
    policy: optionalText(shape, "policy", "policy_version") ?? "",
    ...standing,
  });
}

/** Who wrote a rule; older ones say where it came from. */
const ruleAuthority = (shape: Shape): Authority => {
  const { value } = member(shape, "source");
  const former: Authority = value === "explicit_user" ? "person" : value === "manual" ? "program" : "extraction";
  return oneOf(shape, "authority", authorities, former);
};

function ruleOf(value: unknown, path: string): Rule {
  const shape = shapeOf(value, path);
  return defined({
    id: text(shape, "id"),
    text: text(shape, "text", "rule"),
    evidence: texts(shape, "evidence"),
    sources: list(shape, ["sources"], sourceOf),
    confidence: oneOf(shape, "confidence", confidences, "medium"),
    authority: ruleAuthority(shape),
    added_at: optionalTime(shape, "added_at") ?? 0,
    archived_at: optionalTime(shape, "archived_at", "dormant_at"),
    superseded_by: optionalText(shape, "superseded_by"),
    pinned: flag(shape, "pinned"),
  });
}

/** A profile. */
export function readProfile(data: unknown): Profile {
  const shape = shapeOf(data, "");
  return {
    type: "profile",
    recall_enabled: member(shape, "recall_enabled", "proactive_recall_enabled").value === true,
    rules: list(shape, ["rules"], ruleOf),
    archived: list(shape, ["archived", "archived_rules"], ruleOf),
  };
}

function candidateOf(value: unknown, path: string): Candidate {
  const shape = shapeOf(value, path);
  const common = { quote: text(shape, "quote"), offset: number(shape, "offset"), reason: optionalText(shape, "reason") ?? "" };
  if (oneOf(shape, "type", ["fact", "rule"]) === "rule") return { type: "rule", text: text(shape, "text"), ...common };
  return defined({
    type: "fact" as const,
    category: text(shape, "category"),
    subject: entityOf(member(shape, "subject").value, `${path}/subject`),
    predicate: text(shape, "predicate"),
    object: entityOf(member(shape, "object").value, `${path}/object`),
    confidence: oneOf(shape, "confidence", confidences, "medium"),
    sensitivity: member(shape, "sensitivity").value === undefined ? undefined : oneOf(shape, "sensitivity", sensitivities),
    valid_from: optionalTime(shape, "valid_from"),
    valid_to: optionalTime(shape, "valid_to"),
    ...common,
  });
}

/** A buffer. */
export function readBuffer(data: unknown): Buffer {
  const shape = shapeOf(data, "");
  return {
    type: "buffer",
    session_id: session(shape, "session_id"),
    episode: number(shape, "episode"),
    held: list(shape, ["held"], candidateOf),
    approach_counts: numbersByName(shape, "approach_counts"),
    ...(shape.members["private"] === true ? { private: true as const } : {}),
  };
}

/** A vector. */
export function readVector(data: unknown): Vector {
  const shape = shapeOf(data, "");
  return {
    type: "vector",
    of: text(shape, "of"),
    provider: text(shape, "provider"),
    dimensions: number(shape, "dimensions"),
    data: text(shape, "data"),
    digest: text(shape, "digest"),
  };
}

/** A mask. */
export function readMask(data: unknown): Mask {
  const shape = shapeOf(data, "");
  return {
    type: "mask",
    session_id: session(shape, "session_id"),
    offsets: list(shape, ["offsets"], (value, path) => number(shapeOf({ offset: value }, path), "offset")),
    recorded_at: number(shape, "recorded_at"),
  };
}

/** A bar. */
export function readBar(data: unknown): Bar {
  const shape = shapeOf(data, "");
  const owner_id = optionalText(shape, "owner_id");
  return {
    type: "bar",
    hash: text(shape, "hash"),
    salt: text(shape, "salt"),
    ...(owner_id === undefined ? {} : { owner_id }),
    recorded_at: number(shape, "recorded_at"),
  };
}
