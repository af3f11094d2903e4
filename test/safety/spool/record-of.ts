import type { AssessmentRecord } from "../../../packages/throughline/src/safety.ts";

/** An assessment of that name. */
export const recordOf = (audit_id: string): AssessmentRecord => ({
  ...{
    audit_id,
    at: 1_790_000_000_000,
    subject_ref: "",
    session_ref: "s",
    turn_ref: "t",
    agent: "companion",
    policy_version: "1",
    pack_versions: {},
  },
  ...{ level: 2, level_deterministic: 2, confidence: "high", risk_types: ["suicide"], subject: "self", override: "none", reason_code: "ideation" },
  ...{ path: "union", quality: "full", matches: [], gate_ms: 1, deterministic_ms: 1, action: "crisis_reply", resources_shown: [], guarded: [] },
  reply_completed: true,
});
