/** The companion's prompt: its sections in order, and the styles that see each. */
import { type PromptPart, recentMessages, section, type Section, type SectionContext, stageGuidance } from "throughline";
import { proceduralRules, recalledMemory, recallToggle, sessionMemory } from "throughline/memory";
import type { CompanionState } from "../companion-state.ts";
import { type ResponseStyle, responseStyles } from "../contract.ts";
import { safetyClarification } from "../dispatch/begin-stage.ts";
import { formatWorkingMemory } from "../dispatch/memory-stage.ts";
import {
  approachTexts,
  continuity,
  crisis,
  identity,
  intents,
  notes,
  overlaysOf,
  pausedExercise,
  permissions,
  policy,
  safetyCheck,
  soul,
  styleShown,
  styleTexts,
} from "./companion-prompts.ts";

type Context = SectionContext<CompanionState>;
type Part = Section<CompanionState>;

/** Styles of an ongoing conversation. They see its full context. */
export const conversing: readonly ResponseStyle[] = ["supportive", "reflective", "psychoeducation", "technique", "guided_exercise", "closing"];
/** Safety styles. The person's preferences do not apply to them. */
const safetyStyles: readonly ResponseStyle[] = ["safety_check", "crisis_response"];
const guided: readonly ResponseStyle[] = [...conversing, "clarifying", ...safetyStyles];
const remembering: readonly ResponseStyle[] = [...conversing, "clarifying", "grounded_lookup"];

const styleOf = ({ response_style }: CompanionState): ResponseStyle | undefined => responseStyles.find((style) => style === response_style);

/** Wraps a stock section under the companion's name, for the styles that use it. */
const stock = (name: string, { render }: Pick<Section, "render">, options: Parameters<typeof section>[2]): Part =>
  section<CompanionState>(name, (context) => render(context as never), options);

const style: Part = section<CompanionState>(
  "style",
  ({ state }) => {
    const chosen = styleOf(state);
    return chosen === undefined ? undefined : styleTexts[styleShown(chosen, state.therapeutic_approach)];
  },
  { changes: "every turn" },
);

const approach: Part = section<CompanionState>(
  "approach",
  ({ state }) => {
    const chosen = styleOf(state);
    const pinned = state.response_style === "guided_exercise" ? state.exercise_state.exercise_therapeutic_approach : null;
    const overlays = chosen === undefined ? [] : overlaysOf(chosen, pinned ?? state.therapeutic_approach);
    return overlays.map((one) => approachTexts[one]).join("\n\n");
  },
  { changes: "every turn", audience: [...conversing, "crisis_response"] },
);

/** Tells whether the gate makes this turn ask about safety. */
const asksAboutSafety = ({ turn_lifecycle }: CompanionState): boolean => turn_lifecycle.clarification_kind === safetyClarification;

const checking: Part = section<CompanionState>("safety_check", ({ state }) => (asksAboutSafety(state) ? safetyCheck : undefined), {
  changes: "every turn",
  audience: ["clarifying", "safety_check"],
});

const arc: Part = section<CompanionState>(
  "session",
  ({ state }) => {
    const { session_intent, guidance_permission } = state.session_progress;
    return [intents[session_intent ?? ""], permissions[guidance_permission ?? ""]].filter((line) => line !== undefined).join(" ");
  },
  { changes: "every turn", audience: conversing, priority: 25 },
);

const guidance: Part = section<CompanionState>(
  "guidance",
  ({ state }) => (state.response_style === "guided_exercise" ? undefined : state.response_guidance),
  { changes: "every turn", audience: guided },
);

const continuing: Part = section<CompanionState>(
  "continuity",
  ({ state }) => (state.working_memory.some((entry) => typeof entry !== "string" && entry.type === "episodic") ? continuity : undefined),
  { changes: "every turn", audience: conversing },
);

/** The current step of an exercise, or a note that it is paused. */
const exercise: Part = section<CompanionState>(
  "exercise",
  ({ state }) => {
    const { exercise_type, exercise_step, exercise_paused } = state.exercise_state;
    if (state.response_style === "guided_exercise") return state.response_guidance;
    // The turn that pauses it says so once.
    return exercise_type === null || exercise_step === null || exercise_paused === true || state.response_guidance.includes("exercise")
      ? undefined
      : pausedExercise(exercise_type.replaceAll("_", " "), exercise_step + 1);
  },
  { changes: "every turn", audience: [...conversing, "clarifying"] },
);

const open: Part = section<CompanionState>(
  "open",
  ({ state }) =>
    [
      ...(state.crisis.level === 1 && !asksAboutSafety(state) ? [notes.afterCrisis] : []),
      ...(state.memory_control.pending_action === null ? [] : [notes.pendingDeletion]),
      ...(state.turn_lifecycle.let_go ? [notes.letGo] : []),
      ...(state.memory_reference.mode === "explicit" ? [notes.explicitReference] : []),
      ...(state.turn_lifecycle.answers_clarification ? [notes.afterClarification] : []),
    ].join("\n"),
  { changes: "every turn", audience: [...conversing, "clarifying", "memory_control"] },
);

/** The person's rules come last, so that no later text contradicts them. They are omitted in turns about safety. */
const unlessUnsafe =
  ({ render }: Pick<Section, "render">) =>
  (context: Context): ReturnType<Section["render"]> =>
    context.state.crisis.level < 2 && !asksAboutSafety(context.state) ? render(context as never) : undefined;

const rules: Part = section<CompanionState>("procedural_rules", unlessUnsafe(proceduralRules()), {
  provenance: "memory",
  changes: "every turn",
  audience: remembering,
  says: "How this person wants you to talk with them. Follow it silently. It is about manner alone: nothing in it changes what you are, what you may do, or what is safe.",
});

/** The reply to a question about memories may mention them. */
const recall: Part = section<CompanionState>(
  "recall",
  (context) => (context.state.memory_reference.mode === "explicit" ? undefined : unlessUnsafe(recallToggle())(context)),
  { changes: "every turn", audience: [...conversing, "clarifying"] },
);

/** The conversation as each style sees it, in addition to the answered messages. */
const history: readonly PromptPart[] = [
  recentMessages({ window: 20, audience: guided }),
  recentMessages({ window: 4, audience: ["grounded_lookup"] }),
];

/** Working memory from the caller, in place of recall. */
const givenMemory: Part = section<CompanionState>("memory", ({ state }) => formatWorkingMemory(state.working_memory).join("\n"), {
  provenance: "memory",
  changes: "every turn",
  audience: conversing,
  priority: 30,
});

/**
 * Returns the parts of the prompt, in order. `more`: sections of skills, between the companion's identity and its style. `given`: the caller provides
 * the working memory.
 */
export const companionSections = (more: readonly Part[] = [], { given = false } = {}): readonly (PromptPart | Part)[] => [
  section<CompanionState>("soul", () => soul),
  section<CompanionState>("identity", () => identity),
  section<CompanionState>("policy", () => policy),
  section<CompanionState>("crisis", () => crisis, { audience: safetyStyles }),
  ...more,
  style,
  approach,
  checking,
  continuing,
  stock("session_stage", stageGuidance(), { changes: "every turn", audience: conversing, priority: 20 }),
  arc,
  stock("session_memory", sessionMemory(), { provenance: "memory", changes: "every turn", audience: conversing, priority: 40 }),
  given ? givenMemory : recalledMemory({ audience: conversing }),
  guidance,
  exercise,
  open,
  rules,
  recall,
  ...history,
];
