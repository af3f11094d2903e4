/** Routines: versioned graphs that an agent follows, in a conversation or alone. @module */
export { defineRoutine, nodeKinds, routineFrom, routineGraph, toMermaid } from "./routines/routine.ts";
export type {
  Actions,
  Autonomous,
  Condition,
  Mapping,
  NodeGiven,
  NodeKind,
  Predicate,
  ResultScope,
  Routine,
  RoutineFault,
  RoutineGraph,
  RoutineGraphNode,
  RoutineMigration,
  RoutineNode,
  RoutineOptions,
  RoutineScope,
  ObjectSchema,
  Transition,
} from "./routines/routine.ts";
export { routineSchema } from "./routines/routine-schema.ts";
export { routineFields } from "./routines/position.ts";
export type { Ended, Frame, NodeProgress, Position } from "./routines/position.ts";
export { routines } from "./routines/routines-extension.ts";
export type { RoutineCallOptions, RoutinesOptions, SessionRoutines } from "./routines/routines-extension.ts";
export type { RunFilter, RunOptions, RunPage, Runs } from "./routines/runs/runs.ts";
export type { Run, RunCallback, RunErasure, RunStatus } from "./routines/runs/run-record.ts";
export type { RoutineSchedule } from "./routines/routine-schedule.ts";
export { cron } from "./runtime/variables/instants.ts";
export type { Instants } from "./runtime/variables/instants.ts";
