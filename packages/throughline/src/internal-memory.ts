/** Memory without a runtime. Like `/internal`, it is not for programs. @module */
export { textGiven } from "./memory/control/change-entries.ts";
export { matching } from "./memory/control/hidden-words.ts";
export { recall } from "./memory/recall/recall.ts";
export type { Recalled } from "./memory/recalled.ts";
export { cacheOf } from "./memory/keep/memory-cache.ts";
export { keptEntries } from "./memory/keep/kept-entries.ts";
export { createOwnerMemory } from "./memory/keep/owner-access.ts";
export { createSessionMemory } from "./memory/keep/session-access.ts";
export { whyOf } from "./memory/keep/session-reports.ts";
