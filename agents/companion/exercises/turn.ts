/** What a message does to a guided exercise: the decision, before anything is written or said. */
import type { Model } from "throughline";
import type { CompanionState } from "../state.ts";
import { asksForSentences, classifyReply, readReply, type ClassifiedReply } from "./classify.ts";
import { asidesOf, isAsking } from "./cues.ts";
import type { ExerciseDefinition } from "./definition.ts";
import { readStored, type ActiveExercise } from "./engine.ts";
import type { ExerciseRegistry } from "./registry.ts";
import type { StartRequests } from "./request.ts";
import { selectExercise, type Selection } from "./select.ts";

/** What a decision rests on. */
export interface TurnGiven {
  readonly state: CompanionState;
  /** What the person says in this turn. */
  readonly message: string;
  /** What was said before, oldest first. */
  readonly before: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly registry: ExerciseRegistry;
  readonly requests: StartRequests;
  readonly model: Model | undefined;
  readonly signal: AbortSignal;
}

/** What a message does to the exercise, if anything. */
export type ExerciseTurn =
  /** It has nothing to do with one, or leaves one that waits as it is: then `paused` says which. */
  | { readonly does: "nothing"; readonly paused?: ActiveExercise }
  | { readonly does: "clear" }
  /** It wants something looked up; the exercise waits as it is. */
  | { readonly does: "lookup"; readonly paused: ActiveExercise }
  | { readonly does: "start"; readonly exercise: ExerciseDefinition; readonly basis: Selection["basis"] | "triage" }
  | { readonly does: "offer"; readonly available: readonly ExerciseDefinition[] }
  | { readonly does: "restart"; readonly exercise: ExerciseDefinition }
  | { readonly does: "resume" | "clarify" | "explain"; readonly active: ActiveExercise }
  | { readonly does: "answer"; readonly active: ActiveExercise; readonly reply: ClassifiedReply };

/** The approach of the conversation: this turn's if it has one, else that of the last reply that had one. */
export const approachIn = ({ therapeutic_approach, session_progress }: CompanionState): CompanionState["therapeutic_approach"] =>
  therapeutic_approach ?? session_progress.approach;

const availableIn = ({ state, registry }: TurnGiven): readonly ExerciseDefinition[] =>
  registry.available({ channel: state.channel, installed_skills: state.installed_skills, approach: approachIn(state) });

const ordinals: readonly RegExp[] = [
  /^(?:1|one|first|primer[oa]|erste|premi[eè]re?|primeir[oa]|第?一)/u,
  /^(?:2|two|second|segund[oa]|zweite|deuxième|第?二)/u,
  /^(?:3|three|third|tercer[oa]|dritte|troisième|terceir[oa]|第?三)/u,
  /^(?:4|four|fourth|cuart[oa]|vierte|quatrième|quart[oa]|第?四)/u,
];

/** Which one of a list a message chooses by its number alone, counted from 0, -1 for the last one; undefined if it is no number. */
function placeOf(message: string): number | undefined {
  const said = message.trim().toLowerCase();
  const [, number = ""] =
    /^(?:(?:the|number|option|no\.?|el|la|los|die|der|das|le|o|a|第) ?)?(\p{L}+|\d)(?: (?:one|exercise|please|uno|übung))?\s?[个個]?[.!。！]*$/u.exec(
      said,
    ) ?? [];
  if (/^(?:last|últim[oa]|letzte|dernière?)$/u.test(number)) return -1;
  const place = ordinals.findIndex((ordinal) => ordinal.exec(number)?.[0] === number);
  return place < 0 ? undefined : place;
}

/** The exercise that was offered by name in the message before, if this one takes it up: names it, or says yes where there was one only. */
function takenUp({ message, before, requests }: TurnGiven, available: readonly ExerciseDefinition[]): ExerciseDefinition | undefined {
  const last = before.at(-1);
  if (last?.role !== "assistant" || !/[?？]\s*$/u.test(last.text) || message.length > 80 || /[?？]/u.test(message)) return undefined;
  const offered = available.filter((exercise) => requests.named(last.text, [exercise]) !== undefined);
  if (offered.length === 0) return undefined;
  const place = placeOf(message);
  if (place !== undefined && offered.length > 1) return offered.at(place);
  const named = requests.named(message, offered) ?? requests.ofKind(message, offered);
  if (named !== undefined) return /\b(?:not|no|don'?t|nicht|nein)\b|不/u.test(message.toLowerCase()) ? undefined : named;
  const isYes =
    /^(?:yes|yeah|yep|sure|ok|okay|please|yes please|let'?s(?: do (?:it|that))?|sí|claro|vale|ja|gerne?|oui|d'accord|sim|pode ser|好的?|可以|嗯)[\s.!,。！]*(?:please|por favor|bitte|let'?s do it)?[\s.!。！]*$/iu;
  return offered.length === 1 && isYes.test(message.trim()) ? offered[0] : undefined;
}

/** Whether a message wants to go on with an exercise, and nothing else: where none is under way, it is told which there are. */
const goesBack = (message: string): boolean => message.length <= 80 && asidesOf(message).resume;

/** A message while no exercise is under way. */
async function fromNone(given: TurnGiven): Promise<ExerciseTurn> {
  const { state, message, before, requests, model, signal } = given;
  const isRouted = state.route === "guided_exercise";
  const asks = requests.asking(message) !== undefined;
  const available = availableIn(given);
  const accepted = asks ? undefined : takenUp(given, available);
  if (accepted !== undefined) return { does: "start", exercise: accepted, basis: "name" };
  if (requests.listing(message) || goesBack(message)) return { does: "offer", available };
  if (!asks && !isRouted) return { does: "nothing" };
  const { exercise, basis } = await selectExercise({ message, before, available, requests, model, signal });
  return exercise === undefined ? { does: "offer", available } : { does: "start", exercise, basis };
}

/** Whether triage takes the message for something else than an answer, and the message has the form of it. */
function goesElsewhere({ state, message }: TurnGiven): boolean {
  const { action, clarification_needed, clarification_kind } = state.turn_lifecycle;
  if (action === "preserve" || (clarification_needed !== undefined && clarification_needed && clarification_kind === "blocking")) return true;
  return (state.route === "grounded_lookup" || state.route === "memory_control") && isAsking(message);
}

/** A message while an exercise is under way: requests first, then the answer as far as rules are sure of it, then what triage says, then the model. */
async function whileActive(given: TurnGiven, active: ActiveExercise): Promise<ExerciseTurn> {
  const { state, message, requests, model, signal } = given;
  const asides = asidesOf(message, { isAction: asksForSentences(active.step) });
  if (asides.memory) return { does: "nothing", paused: active };
  if (asides.lookup) return { does: "lookup", paused: active };
  if (requests.asking(message) !== undefined) {
    const other = requests.named(message, availableIn(given));
    return other === undefined || other.id === active.exercise.id ? { does: "resume", active } : { does: "start", exercise: other, basis: "name" };
  }
  if (asides.resume || state.turn_lifecycle.action === "resume") return { does: "resume", active };
  if (asides.clarify) return { does: "clarify", active };
  if (asides.explain) return { does: "explain", active };
  const read = readReply(message, active.step, active.items);
  if (read.result !== undefined) return { does: "answer", active, reply: { ...read, result: read.result, by: "rules" } };
  if (state.turn_lifecycle.action === "clear") return { does: "clear" };
  if (goesElsewhere(given)) return { does: "nothing", paused: active };
  return { does: "answer", active, reply: await classifyReply(message, active.step, { model, signal, before: active.items }) };
}

/** What a message does to the exercise that is stored, or to none. */
export async function decideTurn(given: TurnGiven): Promise<ExerciseTurn> {
  const { state, message, registry } = given;
  const stored = readStored(state.exercise_state, registry);
  if (stored.is === "none") return fromNone(given);
  if (stored.is === "active") return whileActive(given, stored.active);
  const { exercise } = stored;
  if (exercise === undefined) {
    // Triage may call one by the name that people read.
    const called = given.requests.named(state.exercise_state.exercise_type ?? "", availableIn(given));
    if (state.route === "guided_exercise" && called !== undefined) return { does: "start", exercise: called, basis: "triage" };
    const begun = await fromNone(given);
    return begun.does === "nothing" ? { does: "clear" } : begun;
  }
  // Triage names the exercise that it routes to, without a step.
  if (state.exercise_state.exercise_step === null)
    return availableIn(given).includes(exercise) ? { does: "start", exercise, basis: "triage" } : { does: "offer", available: availableIn(given) };
  const [first] = exercise.steps;
  const asides = asidesOf(message);
  const leaves = first !== undefined && readReply(message, first).result === "exit";
  return leaves || asides.memory || asides.lookup ? { does: "clear" } : { does: "restart", exercise };
}
