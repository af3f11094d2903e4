/** The state fields that the gate writes, and schemas of plain JSON that validate and document a value. */
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { Schema } from "../kernel/schema.ts";
import { reduced, turn } from "../state/field.ts";
import { replace } from "../state/reducers.ts";
import { emergencyKinds, reasonCodes, riskTypes, safetyPaths } from "./assessment.ts";
import { barrierKinds, planQuestions } from "./crisis-plan.ts";
import { lookupStatuses } from "./resources/resource-table.ts";

/** A JSON type: its validator and its JSON Schema. */
interface Shape<Value> {
  readonly is: (value: unknown) => value is Value;
  readonly json: JsonObject;
}

type ValueOf<S> = S extends Shape<infer Value> ? Value : never;

const text: Shape<string> = { is: (value) => typeof value === "string", json: { type: "string" } };
const flag: Shape<boolean> = { is: (value) => typeof value === "boolean", json: { type: "boolean" } };
const whole: Shape<number> = { is: (value): value is number => Number.isSafeInteger(value), json: { type: "integer" } };

/** One of a set of values. */
function oneOf<const Value extends string | number>(...values: readonly Value[]): Shape<Value> {
  return { is: (value): value is Value => values.some((known) => known === value), json: { enum: [...values] } };
}

function listOf<Value>(item: Shape<Value>): Shape<readonly Value[]> {
  return {
    is: (value): value is readonly Value[] => Array.isArray(value) && value.every((one) => item.is(one)),
    json: { type: "array", items: item.json },
  };
}

/** An object with the needed members, optionally the others, and no unknown ones. */
function objectOf<Needed extends Record<string, Shape<unknown>>, Other extends Record<string, Shape<unknown>> = Record<never, never>>(
  needed: Needed,
  other?: Other,
): Shape<{ readonly [Name in keyof Needed]: ValueOf<Needed[Name]> } & { readonly [Name in keyof Other]?: ValueOf<Other[Name]> }> {
  type Made = { readonly [Name in keyof Needed]: ValueOf<Needed[Name]> } & { readonly [Name in keyof Other]?: ValueOf<Other[Name]> };
  const members = new Map<string, Shape<unknown>>(Object.entries({ ...other, ...needed }));
  const required = Object.keys(needed);
  return {
    is: (value): value is Made =>
      isPlainObject(value) &&
      required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, member]) => members.get(name)?.is(member) === true),
    json: {
      type: "object",
      properties: Object.fromEntries([...members].map(([name, { json }]) => [name, json])),
      required,
      additionalProperties: false,
    },
  };
}

/** Returns a shape as a Standard Schema that documents itself as a JSON Schema. */
function schemaOf<Value>(what: string, { is, json }: Shape<Value>): Schema<Value> {
  const documented = { input: () => ({ ...json }), output: () => ({ ...json }) };
  const standard = {
    version: 1 as const,
    vendor: "throughline",
    validate: (value: unknown) => (is(value) ? { value } : { issues: [{ message: `must be ${what}` }] }),
    jsonSchema: documented,
  };
  return { "~standard": standard };
}

const level = oneOf(0, 1, 2, 3);
const subject = oneOf("self", "other");
const answer = oneOf("yes", "no", "evaded", "unknown");

const crisis = schemaOf(
  "what the gate has decided",
  objectOf({
    level,
    confidence: oneOf("low", "medium", "high"),
    reason: oneOf(...reasonCodes),
    needs_crisis_response: flag,
    needs_clarification: flag,
  }),
);

const crisisAudit = schemaOf(
  "how the gate has decided",
  objectOf({
    crisis_override_kind: oneOf("none", "floor", "raised", "lowered", "sticky", "released"),
    crisis_classifier_path: oneOf(...safetyPaths),
    crisis_llm_failure_occurred: flag,
  }),
);

const resources = schemaOf("a list of services", listOf(objectOf({ id: text, name: text, phone: text, website: text, region: text })));

const plan = schemaOf(
  "a crisis plan",
  objectOf(
    {
      window: listOf(objectOf({ level, at: whole })),
      highest: level,
      subject,
      risk_types: listOf(oneOf(...riskTypes)),
      calm_turns: whole,
      answers: objectOf(
        {},
        {
          safe: answer,
          last_time: answer,
          suicide: answer,
          plan: answer,
          means: answer,
          time: answer,
          someone: answer,
          willing: answer,
          barriers: answer,
        },
      ),
      asked: listOf(oneOf(...planQuestions)),
      location_asked: flag,
      location_refused: flag,
      regions: listOf(text),
      given: listOf(text),
      emergency_given: flag,
      human_care_given: flag,
      coping_given: flag,
      ai_limits_given: flag,
      replies: whole,
    },
    {
      ...{ language: text, last_high_at: whole, turns_since_high: whole, episode: whole },
      ...{
        last_asked: oneOf(...planQuestions),
        answering: oneOf(...planQuestions),
        heard: oneOf("place", "reached", "put_away", "stuck", ...planQuestions),
      },
      ...{ barrier: oneOf(...barrierKinds), opens: flag, earlier: flag, discussed: flag, doubtful: flag, quiet: whole },
      ...{ emergency: oneOf(...emergencyKinds), paused: whole, resumes: flag },
    },
  ),
);

const nothing = { level: 0, confidence: "low", reason: "none", needs_crisis_response: false, needs_clarification: false } as const;
const undecided = { crisis_override_kind: "none", crisis_classifier_path: "deterministic_only", crisis_llm_failure_occurred: false } as const;

/**
 * Returns the fields that the gate writes, to spread into a state. Turn fields: the decision (`crisis`, `crisis_audit`), and the place and the
 * services found (`inferred_location`, `found_resources`, `resource_lookup_status`). `safety_plan` keeps the crisis across turns. All other fields
 * are optional; a gate requires `safety_plan`.
 * @example defineState({ ...safetyFields(), mood: reduced(z.string()) })
 */
export function safetyFields() {
  return {
    crisis: turn(crisis, { initial: nothing, reduce: replace(), show: "output" }),
    crisis_audit: turn(crisisAudit, { initial: undecided, reduce: replace() }),
    inferred_location: turn(schemaOf("a place", text), { initial: "" }),
    found_resources: turn(resources, { initial: [], reduce: replace(), show: "output" }),
    resource_lookup_status: turn(schemaOf("a status of the look-up", oneOf(...lookupStatuses)), {
      initial: "not_attempted",
      show: "output",
    } as const),
    safety_plan: reduced(plan, { reduce: replace() }),
  };
}
