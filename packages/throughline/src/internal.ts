/**
 * What the service and the command line of the same version need in addition to the public API. Not for programs: any version may change it without
 * an entry in the changelog.
 * @module
 */

// Texts, limits and processes
export { notJson } from "./kernel/json.ts";
export { inTime } from "./kernel/deadline.ts";
export { isLoopback } from "./kernel/loopback.ts";
export { unknownOutcome } from "./kernel/error.ts";
export { isGone, processName } from "./kernel/process.ts";
export { setRecent } from "./kernel/recent.ts";

// Reading and committing without a runtime
export { changes, commitOnce, refused } from "./extension/commit.ts";
export { storable } from "./extension/failure.ts";
export { entriesOf, findCustomer, findRecord, getCustomer, itemsOf, pageAt } from "./extension/lists.ts";
export { takenBackAfter } from "./extension/forgotten.ts";
export { extensionsWith } from "./extension/port.ts";
export { kept } from "./create-runtime.ts";
export type { WriterContext } from "./extension/port.ts";

// Declarations that the wire format derives from
export { outcome, usageData } from "./session/event.ts";
export { handover } from "./session/control.ts";
export { confidences, entries, ruleEntry, sensitivities } from "./memory/entry.ts";

// Reading a session
export { authorityOf, wordsIn } from "./session/authority.ts";
export { isIncognito } from "./session/session-view.ts";
export { joinVariables, scopedVariables } from "./session/session-variables.ts";
export { changeOf } from "./session/session-variables.ts";
export { decodeState } from "./state/document.ts";
export { beginTurn } from "./state/state-turn.ts";
export { fieldsOf, publicOperations } from "./state/views.ts";
export { assemble } from "./context/assemble.ts";
export { historyWindow } from "./context/section.ts";

// Commands and reads of a runtime, for a store without one
export { inputValues } from "./runtime/agent/agent.ts";
export { agentOf } from "./runtime/context.ts";
export type { RuntimeContext } from "./runtime/context.ts";
export { decideCall } from "./runtime/approval/decide.ts";
export { pendingOf } from "./runtime/approval/pending.ts";
export { checkId } from "./runtime/commands/customers.ts";
export { forkSession } from "./runtime/commands/fork.ts";
export { identify } from "./runtime/commands/identify.ts";
export { retain } from "./runtime/commands/retention.ts";
export { toErasure } from "./runtime/reading/erasures.ts";
export { followLog, followPages, streamLog } from "./runtime/reading/follow.ts";
export { lineageOf } from "./runtime/reading/history.ts";
export type { Lineage } from "./runtime/reading/history.ts";
export { PageSize } from "./runtime/reading/page-size.ts";
export { toInfo } from "./runtime/reading/session-info.ts";
export { subagentLabel } from "./session/session-view.ts";
export { largestBundle, tooLarge } from "./runtime/transfer/bundle.ts";
export { importMark } from "./runtime/transfer/import-session.ts";
export { keptPrompt } from "./extension/kept-requests.ts";
export { changeVariables, variablesOfOwner } from "./runtime/variables/change.ts";
export type { VariablesChange, VariablesOf } from "./runtime/variables/change.ts";
export { descriptionsOf } from "./runtime/variables/variable.ts";

// Memory
export { textGiven } from "./memory/control/change.ts";
export { matching } from "./memory/control/words-left.ts";
export { recall } from "./memory/recall/recall.ts";
export type { Recalled } from "./memory/recalled.ts";
export { isUnreadable, readEntry } from "./memory/write/decode.ts";
export { cacheOf } from "./memory/keep/memory-cache.ts";
export { StateCache } from "./runtime/turn/state-cache.ts";
export { createOwnerMemory } from "./memory/keep/owner-access.ts";
export { createSessionMemory } from "./memory/keep/session-access.ts";
export { whyOf } from "./memory/keep/session-reports.ts";

// Safety
export { createAudit } from "./safety/audit/safety-audit.ts";
export { updateDays } from "./safety/audit/audit-days.ts";
export { assessmentKey, assessmentKind } from "./safety/audit/assessment-record.ts";
export { planIn } from "./safety/turn/gate-fields.ts";

// Erased databases
export { parseTombstones, replay, tombstoneLines, tombstonesOf } from "./store/sql/erasure/tombstones.ts";
