/** Throughline as the storage of the OpenAI Agents SDK: a session. Needs `@openai/agents`. @module */

export { historyAgent } from "./openai-agents/item-history.ts";
export { ThroughlineSession, type ThroughlineSessionOptions } from "./openai-agents/openai-session.ts";
