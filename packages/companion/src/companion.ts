/** The companion as a program uses it: one turn, or conversations that are kept. @module */
export { createCompanion } from "./create-companion.ts";
export { runAgent } from "./run-agent.ts";
export type { RunAgentOptions } from "./run-agent.ts";
export { createCompanionRuntime } from "./companion-runtime.ts";
export type { CompanionRuntime, CompanionRuntimeOptions, EndEnvelope, MemoryMode } from "./companion-runtime.ts";
export { stageLabel } from "./contract.ts";
export type {
  AgentInput,
  AgentOutput,
  Channel,
  CompanionMemoryEntry,
  CompanionMessage,
  CrisisAssessment,
  ResponseCategory,
  ResponseStyle,
  StreamEvent,
  TherapeuticApproach,
} from "./contract.ts";
export { knowledgeBase } from "./lookup/knowledge-base.ts";
export type { KnowledgePage } from "./lookup/knowledge-base.ts";
export { skill } from "./skills.ts";
export type { Skill, SkillOptions } from "./skills.ts";
