/** What a transcript must touch, and where it does: read from what the turns came to, never from what was meant by them. */
import { responseStyles, therapeuticApproaches } from "../../packages/companion/src/contract.ts";
import type { Json, JsonObject } from "../../packages/throughline/src/index.ts";
import { isObject, itemsOf } from "./changes.ts";
import type { PlayedSession, PlayedTurn } from "./play.ts";

/** What there is to touch, by kind. */
export const toTouch = {
  route: ["therapeutic", "guided_exercise", "grounded_lookup", "memory_control", "crisis"],
  style: responseStyles,
  approach: therapeuticApproaches,
  exercise: ["start", "next", "hold", "stuck", "clarify", "explain", "paused", "resume", "exit", "finish", "cleared by a crisis"],
  memory: [
    ...["list", "status", "recall on", "recall off", "preference", "correct", "forget by index", "forget by query with options", "confirm", "cancel"],
    ...["pin", "never recall", "incognito", "export"],
  ],
  level: ["0", "1", "2", "3"],
  help: ["directories", "services of a region", "emergency", "distance", "plan followed over a restart"],
  end: ["farewell", "farewell with a mood"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Kind = keyof typeof toTouch;
/** Where each thing is touched first: the number of a turn, or what happened between turns. */
export type Touched = ReadonlyMap<string, string>;

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

const textAt = (value: Json | undefined, ...path: readonly string[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
};

/** Commands by what they did, and by what the memory asked. */
function memoryIn({ output, reply, said }: PlayedTurn, number: (what: string) => void): void {
  if (output["route"] !== "memory_control") return;
  const effects = textAt(output, "diagnostics", "memory_side_effects");
  const reason = textAt(itemsOf(at(output, "diagnostics", "routing_trace")).at(-1), "reason");
  if (at(output, "session_progress", "is_guest") === true) return number("incognito");
  if (effects === "set_recall") return number(reply.startsWith("From now on") ? "recall on" : "recall off");
  const byEffect = {
    save_preference: "preference",
    correct_memory: "correct",
    pin_memory: "pin",
    never_recall: "never recall",
    delete_memory: "confirm",
  };
  const named = Object.entries(byEffect).find(([effect]) => effect === effects)?.[1];
  if (named !== undefined) return number(named);
  if (reason === "cancel_pending") return number("cancel");
  if (reason === "forget")
    return number(reply.startsWith("1. ") ? "forget by query with options" : /^\S+ (?:fact|rule|session) \d/u.test(said) ? "forget by index" : "");
  if (reason === "show") number(/^I have saved \d/u.test(reply) ? "status" : "list");
}

function helpIn({ before, after, reply }: PlayedTurn, number: (what: string) => void): void {
  const given = (document: JsonObject): readonly Json[] => itemsOf(at(document, "safety_plan", "given"));
  const fresh = given(after).filter((id) => !given(before).includes(id));
  if (fresh.includes("directories")) number("directories");
  if (fresh.includes("distance")) number("distance");
  if (at(after, "safety_plan", "emergency_given") === true && at(before, "safety_plan", "emergency_given") !== true) number("emergency");
  if (fresh.some((id) => id !== "directories" && id !== "distance") && /\d{3}/u.test(reply)) number("services of a region");
}

function turnIn(turn: PlayedTurn, touch: (kind: Kind, what: string) => void): void {
  const { output, before, after } = turn;
  const route = textAt(output, "diagnostics", "triage_route") === "guided_exercise" ? "guided_exercise" : textAt(output, "route");
  touch("route", route ?? "");
  if (output["route"] === "therapeutic") touch("route", "therapeutic");
  touch("style", textAt(output, "response_style") ?? "");
  touch("approach", textAt(output, "therapeutic_approach") ?? "none");
  const level = Number(at(output, "crisis", "level") ?? 0);
  touch("level", String(level));
  const move = textAt(output, "diagnostics", "guided_exercise_runtime_action");
  if (move !== undefined) touch("exercise", move);
  const exercised = (document: JsonObject): boolean => typeof at(document, "exercise_state", "exercise_type") === "string";
  if (level >= 2 && exercised(before) && !exercised(after)) touch("exercise", "cleared by a crisis");
  memoryIn(turn, (what) => touch("memory", what));
  helpIn(turn, (what) => touch("help", what));
}

const answersIn = (document: JsonObject): string => JSON.stringify(at(document, "safety_plan", "answers") ?? {});

/** Whether a turn goes on with the plan of a crisis as it was before. */
const followsPlan = ({ before, after }: PlayedTurn): boolean => answersIn(before) !== "{}" && answersIn(after) !== answersIn(before);

/** Where everything is touched first. */
export function touchedIn(sessions: readonly PlayedSession[]): Touched {
  const found = new Map<string, string>();
  let turn = 0;
  const touch = (kind: Kind, what: string, where = `turn ${turn}`): void => {
    const key = `${kind}: ${what}`;
    if (!found.has(key)) found.set(key, where);
  };
  for (const { items, end, number } of sessions) {
    for (const [index, item] of items.entries()) {
      if (item.is === "export") touch("memory", "export", `after turn ${turn}`);
      if (item.is !== "turn") continue;
      turn++;
      turnIn(item, touch);
      if (items[index - 1]?.is === "restart" && followsPlan(item)) touch("help", "plan followed over a restart");
    }
    if (end.farewell !== "") touch("end", "farewell", `session ${number}`);
    if (end.mood_opened !== null && end.mood_opened !== end.mood_closed) touch("end", "farewell with a mood", `session ${number}`);
  }
  return found;
}

/** What is touched nowhere. */
export const missingIn = (touched: Touched): readonly string[] =>
  Object.entries(toTouch).flatMap(([kind, all]) => all.map((what) => `${kind}: ${what}`).filter((key) => !touched.has(key)));
