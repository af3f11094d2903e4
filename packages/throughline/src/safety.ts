/** A gate that cannot fail open: its inputs, decisions, replies and records. @module */

// Declaration
export { safety } from "./safety/safety-extension.ts";
export { policyVersion, safetyOf } from "./safety/safety-settings.ts";
export type { SafetyOptions, SafetySettings } from "./safety/safety-settings.ts";

// Decisions
export { reasonCodes, riskTypes, safetyPaths } from "./safety/assessment.ts";
export type {
  Assessment,
  AssessmentRecord,
  AssessmentSpool,
  ClassifierInput,
  ClassifierVerdict,
  EscalationEvent,
  EscalationSink,
  ReasonCode,
  RiskSubject,
  RiskType,
  SafetyAction,
  SafetyClassifier,
  SafetyConfidence,
  SafetyLevel,
  SafetyOverride,
  SafetyPath,
  SafetyTrouble,
} from "./safety/assessment.ts";

// The screen
export { createScreen } from "./safety/screen/screen.ts";
export { conceptIds, frameIds } from "./safety/screen/rule-pack.ts";
export type { ConceptId, FrameId, PackPattern, RulePack } from "./safety/screen/rule-pack.ts";
export { languageWeights } from "./safety/screen/language-weights.ts";
export type { LanguageWeights, LanguageWeightsFile } from "./safety/screen/language-weights.ts";
export { learnedWeights } from "./safety/screen/learned.ts";
export type { LearnedRaises, LearnedWeights, LearnedWeightsFile } from "./safety/screen/learned.ts";
export type { Screen, ScreenContext, Screened, ScreenMatch } from "./safety/screen/screened.ts";

// Help resources and replies
export { lookupStatuses } from "./safety/resources/resource-table.ts";
export type { CrisisResource, LookupStatus, ResourceLookup, ResourceTable } from "./safety/resources/resource-table.ts";
export { findRegions, regionsOf } from "./safety/resources/regions.ts";
export type { RegionOptions, StatedRegions } from "./safety/resources/regions.ts";
export { checkTable, resourceTable } from "./safety/resources/resource-table.ts";
export type { TableFinding } from "./safety/resources/resource-table.ts";
export { emptyLookup, lookupResources } from "./safety/resources/resource-lookup.ts";
export type { LookupOptions } from "./safety/resources/resource-lookup.ts";
export { foundResources, renderDirectories, renderEmergency, renderResources } from "./safety/resources/resource-lookup.ts";
export type { FoundResource } from "./safety/resources/resource-lookup.ts";
export { expandPlaceholders } from "./safety/resources/resource-lookup.ts";
export type { Expanded } from "./safety/resources/resource-lookup.ts";
export { allowedOf, blockedKinds, guard, removedKinds } from "./safety/guard/guard.ts";
export type { Allowed, BlockedKind, Guarded, GuardOptions, RemovedKind } from "./safety/guard/guard.ts";
export { guardStream } from "./safety/guard/guard.ts";
export type { GuardStream } from "./safety/guard/guard.ts";
export type { SafetyPhrases } from "./safety/reply/safety-phrases.ts";
export { planQuestions } from "./safety/crisis-plan.ts";
export type { CrisisPlan, PlanAnswer, PlanQuestion, PlanStep } from "./safety/crisis-plan.ts";

// Classification, decision, follow-up
export { modelClassifier } from "./safety/classifier/model-classifier.ts";
export type { ModelClassifierOptions } from "./safety/classifier/model-classifier.ts";
export { safetyFields } from "./safety/safety-fields.ts";
export { openSpool } from "./safety/spool/file-spool.ts";

// Accountability
export { protocolOf } from "./safety/published-protocol.ts";
export type { ProtocolOptions } from "./safety/published-protocol.ts";
export type { AssessmentDay, AssessmentTotals, Counts } from "./safety/audit/audit-days.ts";
export type { AssessmentFilter, ReviewVerdict, SafetyAudit, SampleOptions } from "./safety/audit/safety-audit.ts";
export type { AssessmentPurge } from "./safety/audit/audit-days.ts";
export type { ConsentOptions } from "./runtime/commands/post.ts";
export { feedbackLabels, feedbackSources } from "./safety/audit/safety-audit.ts";
export type { Feedback, FeedbackLabel, FeedbackSource } from "./safety/audit/safety-audit.ts";
export { escalationStates } from "./safety/audit/escalation-outbox.ts";
export type { Escalation, EscalationState } from "./safety/audit/escalation-outbox.ts";
export type { SafetyReport } from "./safety/audit/safety-audit.ts";
