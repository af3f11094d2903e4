/** For authors of stores: the port with all its types, and the shared behavior of all stores. @module */

// Opening
export { openStore, rotateKeys } from "./open-store.ts";

// The port
export {
  agentOwnerId,
  deepestFork,
  eventKinds,
  eventSources,
  handoverStatuses,
  removedForMs,
  sessionOfOwner,
  sessionOwnerId,
  turnCauses,
  turnStatuses,
} from "./store/port.ts";
export type {
  AppendRow,
  AppendsPage,
  AppendsRequest,
  Claim,
  ClaimRequest,
  Commit,
  CommitResult,
  Committed,
  CustomerQuery,
  CustomerRow,
  DraftPiece,
  EntriesRequest,
  EntryRow,
  Erased,
  EventKind,
  EventSource,
  Handover,
  HandoverStatus,
  HeaderChange,
  ListItem,
  ListQuery,
  LoadedSession,
  LoadRequest,
  MigrationReport,
  NewEvent,
  NewSession,
  OwnerChange,
  Page,
  ReadPage,
  ReadRequest,
  RecordChange,
  RecordQuery,
  RecordRow,
  Refusal,
  ReleaseRequest,
  SessionChange,
  SessionDepends,
  SessionMode,
  SessionQuery,
  SessionRow,
  SessionSelector,
  SessionTail,
  Store,
  StoredEvent,
  TailQuery,
  TurnCause,
  OpenTurnQuery,
  OpenTurnRow,
  TurnQuery,
  TurnRow,
  TurnStatus,
  VariablesQuery,
  VariablesRow,
} from "./store/port.ts";

// Shared behavior of stores
export { eventIdOf, turnIdOf } from "./kernel/id.ts";
export type { EventId, OwnerId, SessionId, TraceId, TurnId } from "./kernel/id.ts";
export {
  checkAppends,
  checkAt,
  checkClaim,
  checkCommit,
  checkEntries,
  checkErase,
  checkList,
  checkLoad,
  checkRead,
  checkRelease,
  checkTurn,
  placeOfHandover,
} from "./store/request.ts";
export { Watchers } from "./store/watchers.ts";
export { DraftBoard } from "./store/draft-board.ts";

// A base for a store that holds all data in memory and persists it in its own way
export { openMemoryStore } from "./store/in-memory/in-memory-store.ts";
export type { MemoryStore } from "./store/in-memory/in-memory-store.ts";
export type { MemoryImage } from "./store/in-memory/image.ts";
export type { StoreOptions } from "./store/store-options.ts";

// Payloads and keys
export { plainCodec } from "./store/port.ts";
export type { PayloadCodec } from "./store/port.ts";
export type { OperatorKey } from "./store/store-options.ts";
export type { Rotation } from "./store/sql/keys/rotate.ts";
export type { Timeouts } from "./store/store-options.ts";
