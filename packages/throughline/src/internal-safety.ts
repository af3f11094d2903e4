/** The records of the safety gate without a runtime. Like `/internal`, it is not for programs. @module */
export { createAudit } from "./safety/audit/safety-audit.ts";
export { updateDays } from "./safety/audit/audit-days.ts";
export { assessmentKey, assessmentKind } from "./safety/audit/assessment-record.ts";
export { planIn } from "./safety/turn/gate-fields.ts";
