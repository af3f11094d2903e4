/** The options of a tool that are not its parameters, checked one by one. */
import { seen } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import { toolEffects, type ToolEffects } from "../session/event.ts";
import { isReducer } from "../state/reducer.ts";
import { nearest } from "../state/suggest.ts";
import type { Parameters, Refuse } from "./parameters.ts";
import type { ApprovalRule, StateOutput, ToolRetry } from "./tool.ts";

const longest = 2_147_483_647;
const day = 86_400_000;

/** A default for what was left out; null is not left out. */
export const orDefault = (given: unknown, fallback: unknown): unknown => (given === undefined ? fallback : given);

/** Refuses keys that mean nothing, with the one that was probably meant. */
export function checkKeys(given: object, known: readonly string[], what: string, refuse: Refuse): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) refuse(`has no ${what} ${seen(unknown)}; it has ${known.join(", ")}`, suggestion(unknown, known));
}

/** A hint with the nearest name there is. */
export function suggestion(name: string, known: readonly string[]): string | undefined {
  const near = nearest(name, known);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}

/** A whole number of at least `least`. */
export function wholeFrom(least: number, given: unknown, what: string, refuse: Refuse): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= least && given <= longest) return given;
  return refuse(`\`${what}\` is a whole number from ${least}; saw ${seen(given)}`);
}

/** Side effects of a call. Undeclared effects count as `once`. */
export function effectsOf(given: unknown, refuse: Refuse): ToolEffects {
  const effects = toolEffects.find((name) => name === orDefault(given, "once"));
  return effects ?? refuse(`\`effects\` is ${toolEffects.map((name) => `"${name}"`).join(", ")}; saw ${seen(given)}`);
}

/** How often it is tried. */
export function retryOf(given: unknown, effects: ToolEffects, refuse: Refuse): ToolRetry {
  const options = objectOf(given, "retry", refuse);
  checkKeys(options, ["tries", "backoffMs"], "`retry`", refuse);
  const tries = wholeFrom(1, orDefault(options["tries"], 1), "retry.tries", refuse);
  if (tries > 1 && effects === "once")
    refuse(
      `\`retry\` asks for ${tries} tries, and a call with effects "once" is never tried again`,
      'Declare `effects: "idempotent"` if it may be repeated under one key, or "none" if it changes nothing.',
    );
  return Object.freeze({ tries, backoffMs: wholeFrom(0, orDefault(options["backoffMs"], 200), "retry.backoffMs", refuse) });
}

/** Whether a person has to approve it. */
export function approvalOf(given: unknown, refuse: Refuse): ApprovalRule | undefined {
  if (given === undefined || given === false) return undefined;
  const options = objectOf(given === true ? undefined : given, "approval", refuse);
  checkKeys(options, ["when", "expiresMs"], "`approval`", refuse);
  const { when } = options;
  if (when !== undefined && typeof when !== "function") refuse(`\`approval.when\` is a function of the arguments; saw ${seen(when)}`);
  const expiresMs = wholeFrom(1, orDefault(options["expiresMs"], day), "approval.expiresMs", refuse);
  return Object.freeze({ expiresMs, ...(when === undefined ? {} : { when: when as (args: JsonObject) => boolean | string | undefined }) });
}

/** Fields to parameters. */
export function inputsOf(given: unknown, { members }: Parameters, refuse: Refuse): Readonly<Record<string, string>> {
  const inputs = new Map<string, string>();
  const taken = new Map<string, string>();
  for (const [field, parameter] of Object.entries(objectOf(given, "inputsFromState", refuse))) {
    if (typeof parameter !== "string") return refuse(`\`inputsFromState.${field}\` is the name of a parameter; saw ${seen(parameter)}`);
    if (!members.names.includes(parameter))
      refuse(
        `\`inputsFromState.${field}\` names the parameter ${seen(parameter)}, which it does not have; it has ${members.names.join(", ") || "none"}`,
        suggestion(parameter, members.names),
      );
    const other = taken.get(parameter);
    if (other !== undefined) refuse(`\`inputsFromState\` gives the parameter ${seen(parameter)} two values, from ${seen(other)} and ${seen(field)}`);
    taken.set(parameter, field);
    inputs.set(field, parameter);
  }
  return Object.freeze(Object.fromEntries(inputs));
}

/** What is written to fields. */
export function outputsOf(given: unknown, refuse: Refuse): Readonly<Record<string, StateOutput>> {
  const outputs = Object.entries(objectOf(given, "outputsToState", refuse)).map(([field, output]) => {
    const place = `outputsToState.${field}`;
    if (!isPlainObject(output)) return refuse(`\`${place}\` is an object; saw ${seen(output)}`, "Write `{}` for the whole result.");
    checkKeys(output, ["source", "reducer"], `\`${place}\``, refuse);
    const { source, reducer } = output;
    if (source !== undefined && (typeof source !== "string" || source === ""))
      return refuse(`\`${place}.source\` is the name of a member of the result; saw ${seen(source)}`, "Leave `source` out for the whole result.");
    if (reducer !== undefined && !isReducer(reducer))
      return refuse(`\`${place}.reducer\` is not a reducer; saw ${seen(reducer)}`, "Use a stock reducer, or make one with defineReducer.");
    return [field, Object.freeze({ ...(source === undefined ? {} : { source }), ...(reducer === undefined ? {} : { reducer }) })] as const;
  });
  return Object.freeze(Object.fromEntries(outputs));
}

/** Bound parameters that the model may set. */
export function overridableOf(given: unknown, inputs: Readonly<Record<string, string>>, refuse: Refuse): readonly string[] {
  if (given === undefined) return Object.freeze([]);
  const bound = Object.values(inputs);
  if (!Array.isArray(given)) return refuse(`\`overridable\` is a list of parameters; saw ${seen(given)}`);
  const names = given.map((name: unknown) => {
    if (typeof name !== "string" || !bound.includes(name))
      return refuse(
        `\`overridable\` names ${seen(name)}, which \`inputsFromState\` does not bind; it binds ${bound.join(", ") || "none"}`,
        typeof name === "string" ? suggestion(name, bound) : undefined,
      );
    return name;
  });
  return Object.freeze([...new Set(names)]);
}

function objectOf(given: unknown, what: string, refuse: Refuse): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  return isPlainObject(given) ? given : refuse(`\`${what}\` is an object; saw ${seen(given)}`);
}
