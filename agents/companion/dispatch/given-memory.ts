/** Working memory that a caller gives for one turn, in place of what a memory would recall. */
import { stage, type Stage } from "throughline";
import { Companion, type CompanionState } from "../state.ts";

export type GivenMemory = CompanionState["working_memory"];

/** The name that the stage has; what is recalled, which is nothing, is recalled before it. */
export const givenStageName = "given_memory";

export const givenMemoryStage = (given: GivenMemory): Stage<typeof Companion> =>
  stage(givenStageName, { state: Companion, writes: ["working_memory"] }, () => ({ working_memory: given }));
