/** Memory commands of a person, and memory entries as text for people and models. */
import { stage, type Stage, type StageContext, withControl } from "throughline";
import type { MemoryCommand } from "throughline/memory";
import { Companion, type CompanionState, noExercise, traced } from "../companion-state.ts";
import { asidesOf } from "../exercises/exercise-cues.ts";
import { languageAmong } from "../offline/words/folded-words.ts";
import { before, beginning, saidIn } from "./ask-model.ts";
import { correctMemory } from "./memory-correction.ts";
import type { TriageDecision } from "./dispatch-schemas.ts";

const written = ["route", "response_style", "memory_control", "turn_lifecycle", "exercise_state", "diagnostics"] as const;

type Context = StageContext<CompanionState>;
type Outcome = Awaited<ReturnType<NonNullable<Context["memory"]>["control"]>>;

/** The type and the source of a command. `diagnostics` come from that source. */
interface Found {
  readonly type: string;
  readonly source: "rules" | "model";
  readonly diagnostics?: Readonly<Record<string, unknown>>;
}

/** Returns the result of a memory command. Such a turn is neither recalled for nor remembered. */
function answered(state: CompanionState, { reply, effects, pending }: Outcome, { type, source, diagnostics = {} }: Found) {
  // The running exercise can mention the content to be deleted.
  const destructive = effects === "delete_memory" || pending !== null;
  return withControl({ reply, memory: "skip" }, {
    route: "memory_control",
    response_style: "memory_control",
    memory_control: {
      action: { type, effects },
      pending_action: pending === null ? null : { type: pending.type, count: pending.type === "delete" ? 1 : pending.targets.length },
    },
    ...(destructive && state.exercise_state.exercise_type !== null ? { exercise_state: noExercise } : {}),
    diagnostics: {
      ...diagnostics,
      ...traced(
        { diagnostics: { ...state.diagnostics, ...diagnostics } },
        { stage: "memory_control", decision: "memory_control", source, reason: type, confidence: "high" },
      ),
      memory_side_effects: effects,
    },
  } as const);
}

/** Derives the type of a command from its effects. */
function kindOf({ effects, pending }: Outcome, waited: boolean): string {
  if (effects !== "none") return effects === "delete_memory" && waited ? "confirm_pending" : effects;
  if (pending !== null) return "forget";
  return waited ? "cancel_pending" : "show";
}

/**
 * Answers messages that are only a memory command, and the yes, no or number after a confirmation request. While an exercise runs, only messages in
 * the form of a request count, because an answer can contain "forget". Any other message cancels the request, which the reply mentions.
 */
export const memoryStage = (): Stage<typeof Companion> =>
  stage("memory_control", { state: Companion, writes: written }, async (given) => {
    const { state, context, memory } = given;
    const [first] = context.messages;
    if (memory === undefined || first === undefined) return undefined;
    const message = saidIn(context, state.message);
    const waited = state.memory_control.pending_action !== null;
    const asksFor = asidesOf(message).memory;
    if (state.exercise_state.exercise_type !== null && !waited && !asksFor) return undefined;
    const options = { key: context.turn_id, turn: context.turn_id, since: first.offset };
    // An unreadable memory must not block the conversation. But a person who answers its question sees the error.
    const done = await memory.answer(message, options).catch((error: unknown) => {
      if (waited || asksFor) throw error;
      return undefined;
    });
    if (done !== undefined) return answered(state, done, { type: kindOf(done, waited), source: "rules" });
    if (!waited) await correctMemory(given);
    if (!waited || (await memory.pending()) !== null) return undefined;
    return {
      memory_control: { pending_action: null },
      turn_lifecycle: { active_flow: state.exercise_state.exercise_type === null ? "none" : "guided_exercise", action: "clear", let_go: true },
    } as const;
  });

const vague =
  /^(?:that|this|it|them|those|these|everything like that|the thing|what i said|all that|eso|esto|das|dies|ça|cela|isso|isto|那个|这个|它)?[\s.!?]*$/iu;

/**
 * Returns the command of a triage decision; undefined for none. A model's decision never deletes: the person must confirm first. A yes that the rules
 * did not accept is requested again. A target without a name is vague.
 */
export function commandOf(decision: TriageDecision, message: string): MemoryCommand | undefined {
  const { memory_action_type, query, enabled, target_kind, target_index, preference_text } = decision;
  switch (memory_action_type) {
    case "status":
    case "list":
    case "cancel_pending":
      return { type: memory_action_type };
    case "confirm_pending":
      return { type: "repeat_pending" };
    case "set_recall":
      return enabled === null ? undefined : { type: "set_recall", enabled };
    case "save_preference": {
      // Stores the person's own words, and nothing that they did not say.
      const own = preference_text !== null && message.toLowerCase().includes(preference_text.toLowerCase()) ? preference_text : message;
      return { type: "save_preference", text: beginning(own, 280) };
    }
    case "forget_by_index":
      if (target_index === null) return { type: "forget_vague" };
      return { type: "forget_by_index", index: target_index, ...(target_kind === null ? {} : { kind: target_kind }) };
    case "forget_by_query":
      return query === null || vague.test(query.trim()) ? { type: "forget_vague" } : { type: "forget_by_query", query };
    case null:
      return undefined;
  }
}

/** Executes the command of a triage decision in the language of the message, and keeps its diagnostics. */
export async function doCommand(
  context: Pick<Context, "state" | "context" | "memory">,
  { command, diagnostics }: { readonly command: MemoryCommand; readonly diagnostics: Readonly<Record<string, unknown>> },
): Promise<ReturnType<typeof answered> | undefined> {
  const { state, memory } = context;
  const { turn_id, messages } = context.context;
  const [first] = messages;
  if (memory === undefined) return undefined;
  const said = before(context.context).flatMap(({ role, text }) => (role === "user" ? [text] : []));
  const language = languageAmong([saidIn(context.context, state.message), ...said.toReversed()]);
  const options = { key: `${turn_id}/triage`, turn: turn_id, language, ...(first === undefined ? {} : { since: first.offset }) };
  const done = await memory.control(command, options);
  return answered(state, done, { type: command.type, source: "model", diagnostics });
}

type WorkingMemoryEntry = CompanionState["working_memory"][number];

/** Labels for the notes of an approach on a session, by key. */
const fragments: Readonly<Record<string, string>> = {
  thought: "Thought",
  action_step: "Action step",
  tool: "Tool",
  readiness: "Readiness",
  change_talk: "Change talk",
  values: "Values",
  committed_action: "Committed action",
  person_lost: "Person lost",
};

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

/** Formats one entry as one line; undefined for an empty one. Lines of an older program stay unchanged. */
export function formatWorkingMemoryEntry(entry: WorkingMemoryEntry): string | undefined {
  if (typeof entry === "string") return entry.trim() === "" ? undefined : entry;
  if (entry.type === "episodic") return episode(entry);
  const quote = oneLine(entry.evidence_quote);
  if (quote === "") return undefined;
  const { category, subject, predicate, object } = entry;
  if (!subject || !predicate || !object) return `Previously noted: "${quote}"`;
  return `[${category ?? "context"}] ${subject} ${predicate.replaceAll("_", " ")} ${object} — "${quote}"`;
}

function episode({
  summary,
  primary_themes,
  approach_used,
  approach_context,
}: Extract<WorkingMemoryEntry, { readonly type: "episodic" }>): string | undefined {
  if (oneLine(summary) === "") return undefined;
  const approach = approach_used === undefined || approach_used === "" || approach_used === "none" ? [] : [approach_used.toUpperCase()];
  const tags = [...primary_themes, ...approach].filter((tag) => tag.trim() !== "");
  const noted = Object.entries(approach_context ?? {}).flatMap(([key, text]) =>
    oneLine(text) === "" ? [] : [`[${fragments[key] ?? key}: ${oneLine(text)}]`],
  );
  return [`Last session (${tags.length === 0 ? "untagged" : tags.join(", ")}): ${oneLine(summary)}`, ...noted].join(" ");
}

/** Formats the non-empty entries, one line each. */
export const formatWorkingMemory = (entries: readonly WorkingMemoryEntry[]): readonly string[] =>
  entries.map(formatWorkingMemoryEntry).filter((line) => line !== undefined);
