/** The fields that the gate writes. */
import { reduced, turn, type Field } from "throughline";
import type { CrisisPlan } from "throughline/safety";
import { z } from "zod";
import { crisisAssessmentSchema } from "./contract.ts";

const audit = z.object({ crisis_override_kind: z.string(), crisis_classifier_path: z.string(), crisis_llm_failure_occurred: z.boolean() });
const resource = z.record(z.string(), z.json());

export const safetyFields = () =>
  ({
    crisis: turn(crisisAssessmentSchema, {
      initial: { level: 0, confidence: "low", reason: "none", needs_crisis_response: false, needs_clarification: false },
      show: "output",
    }),
    crisis_audit: turn(audit, {
      initial: { crisis_override_kind: "none", crisis_classifier_path: "deterministic_only", crisis_llm_failure_occurred: false },
    }),
    inferred_location: turn(z.string(), { initial: "" }),
    found_resources: turn(z.array(resource), { initial: [], show: "output" }),
    resource_lookup_status: turn(z.string(), { initial: "not_attempted", show: "output" }),
    safety_plan: reduced(z.custom<CrisisPlan>((value) => typeof value === "object" && value !== null)),
  }) as const satisfies Record<string, Field>;
