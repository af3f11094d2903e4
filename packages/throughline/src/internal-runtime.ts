/** The commands and reads of a runtime, for a store without one. Like `/internal`, it is not for programs. @module */

// The next request of a session
export { inputValues } from "./runtime/agent/agent.ts";
export { beginTurn } from "./state/state-turn.ts";
export { assemble } from "./context/assemble.ts";
export { historyWindow } from "./context/section.ts";
export { descriptionsOf } from "./runtime/variables/variable.ts";

// Agents
export { agentOf } from "./runtime/context.ts";

// Commands
export { decideCall } from "./runtime/approval/decide-call.ts";
export { checkId } from "./runtime/commands/customers.ts";
export { forkSession } from "./runtime/commands/create-fork.ts";
export { identify } from "./runtime/commands/identify-session.ts";
export { retain } from "./runtime/commands/retention.ts";
export { changeVariables, variablesOfOwner } from "./runtime/variables/stored-variables.ts";
export type { VariablesChange, VariablesOf } from "./runtime/variables/stored-variables.ts";

// Conditions and mappings as data, and values checked by schemas
export { mappedBy, passes } from "./routines/values.ts";
export { validate } from "./kernel/schema.ts";

// Reads
export { pendingOf } from "./runtime/approval/pending-approvals.ts";
export { effectsAfter } from "./runtime/reading/effects.ts";
export { searchSessions } from "./runtime/reading/search.ts";
export { stateWriters } from "./runtime/reading/state-writers.ts";
export { eventsOfAppend, followAppends } from "./runtime/reading/follow-appends.ts";
export { followLog, followPages, streamLog } from "./runtime/reading/follow.ts";
export type { PartsView } from "./runtime/reading/live-parts.ts";
export { CoreSession } from "./runtime/session.ts";

// Callbacks of runs
export { endCallback, isCallbackKept, takeCallbacks } from "./routines/runs/callback.ts";
export { runsOf } from "./routines/runs/runs.ts";
export { routinesOf } from "./routines/runs/run-record.ts";
export type { CallbackEnd, TakenCallback } from "./routines/runs/callback.ts";

// Bundles and erased databases
export { largestBundle, tooLarge } from "./runtime/transfer/bundle.ts";
export { parseTombstones, replay, tombstoneLines, tombstonesOf } from "./store/sql/erasure/tombstones.ts";
