/** The extension port: how a feature takes part in the turns of the agents that declare it. @module */
export type {
  AcceptBeside,
  AcceptEffect,
  Accepting,
  Added,
  Answer,
  BackgroundWorker,
  Declared,
  DefinedParts,
  Extension,
  ExtensionAgent,
  ExtensionContext,
  ExtensionSettings,
  ExtensionTurn,
  Heard,
  InsteadOfApology,
  OpenDraft,
  StageEntry,
  StartedCall,
  TurnJournal,
  Unstored,
} from "./extension/port.ts";
export { defineExtension } from "./extension/port.ts";
