/** For tests of agents, of decisions and of stores. @module */
export { given } from "./testing/given.ts";
export type { Decision, Given } from "./testing/given.ts";
export { fixedClock, fixedIds, fixedRandom } from "./testing/clock.ts";
export type { FixedClock } from "./testing/clock.ts";
export { scripted } from "./model/scripted.ts";
export { createdEvent, newEvent, turnEvent } from "./session/decide.ts";
export type { Command, Decided } from "./session/decide.ts";
export { storeChecks } from "./testing/store-conformance.ts";
export type { StoreCheck } from "./testing/store-conformance.ts";
export { checkStoreAgainstModel } from "./testing/store-model.ts";
export type { StoreModelOptions } from "./testing/store-model.ts";
export { openMemoryStore } from "./store/in-memory.ts";
