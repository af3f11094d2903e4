import { describe, expect, test } from "vitest";
import { jsonSchemaOf, validate } from "../../packages/throughline/src/kernel/schema.ts";
import { safetyFields } from "../../packages/throughline/src/safety/safety-fields.ts";
import { afterReply } from "../../packages/throughline/src/safety/crisis-plan.ts";
import { planWith } from "./plan-with.ts";

const fields = safetyFields();

describe("safetyFields", () => {
  test("a plan is what the gate makes, and nothing else", () => {
    const plan = afterReply(planWith({ highest: 2, last_high_at: 1, turns_since_high: 0, answers: { suicide: "yes" } }), {
      ...{ step: { ask: "plan", give: ["resources"] }, resources: ["us-988"] },
    });
    const { schema } = fields.safety_plan;
    expect(validate(schema, plan)).toEqual({ ok: true, value: plan });
    for (const wrong of [undefined, null, {}, { ...plan, highest: 4 }, { ...plan, note: "hers" }, { ...plan, answers: { suicide: "maybe" } }]) {
      expect(validate(schema, wrong)).toMatchObject({ ok: false });
    }
  });

  test("each initial value is one of its field", () => {
    const initials = Object.entries(fields).filter(([, field]) => "initial" in field);
    expect(initials.map(([name]) => name)).toEqual(["crisis", "crisis_audit", "inferred_location", "found_resources", "resource_lookup_status"]);
    for (const [, { schema, initial }] of initials) expect(validate(schema, initial)).toMatchObject({ ok: true });
  });

  test("lists of services are replaced, not appended to", () => {
    expect(fields.found_resources.reducer.name).toBe("replace");
  });

  test("documents itself", () => {
    expect(jsonSchemaOf(fields.crisis.schema, "output")).toMatchObject({ type: "object", properties: { level: { enum: [0, 1, 2, 3] } } });
  });
});
