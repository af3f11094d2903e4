/** Schemas of memory. */
import { z } from "zod";
import { confidences, entries, ruleEntry, sensitivities } from "throughline/internal";
import { schemaOf } from "./declared.ts";
import { json, time } from "./wire-value.ts";

const yes = z.literal(true).optional();
const texts = z.array(z.string());

const fact = schemaOf(entries.fact);
const turn = schemaOf(entries.turn);
const arc = schemaOf(entries.arc);
/** A rule for conversations with the customer. */
export const rule = schemaOf(ruleEntry);

/** The kinds of listed entries. */
export const memoryKind = z.enum(["fact", "turn", "arc", "rule"]);

/** A memory entry. */
export const memoryEntry = z
  .object({
    index: z.int().optional().describe("Counted from 1 within its kind; only what is in force is counted."),
    entry_id: z.string(),
    version: z.int().describe("Raised by every change; the `ETag`."),
    kind: memoryKind,
    text: z.string().describe("In one line, with its date."),
    in_force: z.boolean(),
    entry: z.union([fact, turn, arc, rule]),
  })
  .meta({ id: "MemoryEntry" });

const kept = <Entry extends z.ZodType>(entry: Entry) => z.object({ entry_id: z.string(), version: z.int(), entry });

/** A fact with its id. */
export const keptFact = kept(fact).meta({ id: "KeptFact" });

/** The size of a memory. */
export const memoryStatus = z
  .object({
    facts: z.int(),
    turns: z.int(),
    arcs: z.int(),
    rules: z.int(),
    held: z.int().describe("What is held of conversations that have not ended."),
    never_recalled: z.int(),
    recall_enabled: z.boolean().describe("Whether the agent may bring up by itself what it remembers."),
    version: z.int().describe("Of the newest entry; the `ETag`."),
    incognito: yes.describe("Asked from a session of which nothing is remembered: it reads as empty, whatever there is."),
  })
  .meta({ id: "MemoryStatus" });

/** Marks that a customer sets on an entry. */
export const memoryMarks = z
  .strictObject({ pinned: z.boolean().optional(), never_recall: z.boolean().optional().describe("Not for rules: those are forgotten.") })
  .meta({ id: "MemoryMarks" });

const text = (most: number): z.ZodString => z.string().min(1).max(most);
const anEntity = z.strictObject({ type: text(64), id: text(200) });

/** A correction of a fact. */
export const correction = z
  .strictObject({
    object: z.union([text(200), anEntity]).optional(),
    predicate: text(64).optional(),
    category: text(64).optional(),
    quote: text(280).optional().describe("The person's own words for it."),
    valid_from: time.optional(),
    valid_to: time.optional(),
    reason: text(240).optional(),
  })
  .meta({ id: "Correction" });

/** A new fact. */
export const newFact = z
  .strictObject({
    quote: text(280).describe("What the person said, word for word."),
    category: text(64).optional().describe("`context` if left out."),
    subject: anEntity.optional().describe("The person if left out."),
    predicate: text(64).optional().describe("`MENTIONED` if left out."),
    object: z
      .union([text(200), anEntity])
      .optional()
      .describe("The quote if left out."),
    confidence: z.enum(confidences).optional(),
    sensitivity: z.enum(sensitivities).optional(),
    authority: z.enum(["person", "program"]).optional().describe("`person` if left out: it outranks what is extracted."),
    valid_from: time.optional(),
    valid_to: time.optional(),
    reason: text(240).optional(),
  })
  .meta({ id: "NewFact" });

const places = z.array(z.object({ session_id: z.string(), offsets: z.array(z.int()) }));

/** The number of forgotten items by place. */
export const forgetReport = z
  .object({
    facts: z.int(),
    turns: z.int(),
    arcs: z.int(),
    arcs_rewritten: z.int(),
    rules: z.int(),
    vectors: z.int(),
    candidates: z.int(),
    pending: z.int(),
    prompts: z.int(),
    bars: z.int(),
    masked: places.describe("Messages that no model is shown any more."),
    redacted: places.describe("Messages whose text was removed from the log."),
  })
  .meta({ id: "ForgetReport" });

/** Facts that contradict each other. */
export const memoryConflict = z
  .object({ type: z.enum(["one value", "opposite"]), facts: z.array(keptFact).length(2).describe("The older first.") })
  .meta({ id: "MemoryConflict" });

/** A complete memory. */
export const exportedMemory = z
  .object({
    format: z.literal("throughline.memory/1"),
    exported_at: time,
    version: z.int(),
    facts: z.array(keptFact),
    turns: z.array(kept(turn)),
    arcs: z.array(kept(arc)),
    profile: schemaOf(entries.profile),
    held: z.array(z.object({ entry_id: z.string(), data: json })),
    masks: places,
  })
  .meta({ id: "ExportedMemory" });

/** The memories that remain of an ended episode. */
export const endedEpisode = z
  .object({
    episode: z.int(),
    finalized: z.boolean().describe("Whether something of it is remembered now."),
    summary: z.string().nullable(),
    detail: z.string().describe("What was written, or why nothing was."),
    themes: texts,
    mood_opened: z.string().nullable(),
    mood_closed: z.string().nullable(),
    turn_count: z.int(),
    open_loops: texts,
    resolved_threads: texts,
  })
  .meta({ id: "EndedEpisode" });

const placement = z.enum(["in prompt", "dropped: budget", "dropped: policy", "below floor"]);
const numbers = z.record(z.string(), z.number());

/** Numbers of a recall, named as in a turn's state. */
export const recallDiagnostics = z
  .object({
    load_memory_ms: z.number(),
    semantic_hits: z.int(),
    semantic_store_size: z.int(),
    episodic_hits: z.int(),
    episodic_store_size: z.int(),
    procedural_count: z.int(),
    proactive_recall: z.boolean(),
    retrieval_path: z.enum([
      "hybrid_rrf",
      "token_recall",
      "token_recall_after_embed_error",
      "token_recall_after_embed_timeout",
      "skipped_empty_store",
      "skipped_after_read_error",
      "skipped_after_read_timeout",
    ]),
    retrieval_note: z.string(),
    candidates: z.int(),
    floor: z.number(),
    top_score: z.number(),
    dropped_by_budget: z.int(),
    memory_tokens: z.number(),
    index: z.enum(["whole", "partial"]),
    index_build_ms: z.number().optional(),
    embed_ms: z.number().optional(),
    subject_share: z.number().optional(),
    weights: z.string(),
  })
  .meta({ id: "RecallDiagnostics" });

/** Requests a recall for a message. */
export const newRecall = z
  .strictObject({
    text: z.string().min(1).max(4_000).describe("The message."),
    agent: z.string().min(1).max(200).optional().describe("Whose settings count: the session's agent, or the only one with a memory, if left out."),
    opening: z.boolean().optional().describe("Whether it begins an episode, which brings up the last one; false if left out."),
  })
  .meta({ id: "NewRecall", examples: [{ text: "I slept badly again" }] });

/** What a turn would recall. */
export const recallPreview = z
  .object({
    diagnostics: recallDiagnostics,
    items: z.array(
      z.object({
        entry_id: z.string(),
        version: z.int(),
        kind: z.enum(["fact", "turn", "arc"]),
        placement,
        text: z.string().describe("Its line in the prompt."),
        tokens: z.number(),
        at: z.int(),
        score: z.number(),
        parts: numbers.describe("What the score is made of."),
        catch_up: yes.describe("Told because an episode begins."),
      }),
    ),
  })
  .meta({ id: "RecallPreview" });

/** The items that a turn recalled, and why. */
export const turnMemory = z
  .object({
    turn_id: z.string(),
    diagnostics: recallDiagnostics.nullable().describe("Null if nothing was looked for."),
    items: z.array(
      z.object({
        entry_id: z.string(),
        placement,
        score: z.number(),
        parts: numbers.describe("What the score is made of."),
        tokens: z.number(),
        catch_up: yes.describe("Told because an episode began."),
        text: z.string().nullable().describe("As it is now; null if it has been forgotten since."),
      }),
    ),
  })
  .meta({ id: "TurnMemory" });
