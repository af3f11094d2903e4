/**
 * What the service and the command line of the same version need in addition to the public API. Not for programs: any version may change it without
 * an entry in the changelog. This entry has what almost every command needs, so it loads neither a runtime nor an extension. The others are
 * `/internal/runtime`, `/internal/memory` and `/internal/safety`.
 * @module
 */

// Texts, limits and processes
export { notJson, present } from "./kernel/json.ts";
export { inTime } from "./kernel/deadline.ts";
export { isLoopback } from "./kernel/loopback.ts";
export { coversHost, isHost } from "./kernel/covers-host.ts";
export { unknownOutcome } from "./kernel/error.ts";
export { describeThrown } from "./kernel/log.ts";
export { isGone, isSupportedNode, processName, supportedNodes } from "./kernel/process.ts";
export { setRecent } from "./kernel/recent.ts";

// Opening a store without the shared parts of stores, which `/store` loads
export { openStore, rotateKeys } from "./open-store.ts";
export { eventKinds, forwarding } from "./store/port.ts";

// Reading and committing without a runtime
export { changes, commitOnce, refused } from "./extension/commit.ts";
export { storable } from "./extension/failure.ts";
export { entriesOf, eventsOf, findCustomer, findRecord, getCustomer, itemsOf, pageAt } from "./extension/lists.ts";
export { takenBackAfter } from "./extension/forgotten.ts";
export { keptPrompt } from "./extension/kept-requests.ts";
export { extensionsWith } from "./extension/port.ts";
export type { WriterContext } from "./extension/port.ts";

// Declarations that the wire format derives from
export { outcome, patch, pendingCall, toolCall, toolResult, usageData } from "./session/event.ts";
export { handover } from "./session/control.ts";
export { confidences, entries, ruleEntry, sensitivities } from "./memory/entry.ts";

// Reading a session
export { authorityOf, wordsIn } from "./session/authority.ts";
export { messagesOf, openSince, reachesCustomer, textOf } from "./session/session-messages.ts";
export { isIncognito, subagentLabel } from "./session/session-view.ts";
export { changeOf, joinVariables, scopedVariables } from "./session/session-variables.ts";
export { decodeState } from "./state/document.ts";
export { fieldsOf, publicOperations } from "./state/views.ts";
export { isUnreadable, readEntry } from "./memory/write/decode.ts";
export { toErasure } from "./runtime/commands/retention.ts";
export { lineageOf } from "./runtime/reading/history.ts";
export type { Lineage } from "./runtime/reading/history.ts";
export { PageSize } from "./runtime/reading/follow.ts";
export { damagedIn, endsOf, waitingSessions } from "./runtime/reading/listed-session.ts";
export type { SessionEnd, WaitsFor } from "./runtime/reading/listed-session.ts";
export { toInfo } from "./runtime/reading/session-info.ts";
export { importMark } from "./runtime/transfer/bundle.ts";

// A runtime context for a store without agents
export { StateCache } from "./runtime/turn/state-cache.ts";
export type { RuntimeContext } from "./runtime/context.ts";
