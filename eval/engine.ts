/** What is measured: something that ranks the units of one person's memory. */
import type { MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";

/** What is asked of an engine. */
export interface Query {
  readonly text: string;
  readonly now: number;
  readonly limit: number;
}

/** One person's memory in an engine. */
export interface Opened {
  /** Ids of units, best first. */
  search(query: Query): readonly string[];
  /** Groups of units, best first; an engine that knows none has no such function. */
  searchGroups?(query: Query): readonly string[];
  /** Whether what was found is too little to be of use. */
  isBelowFloor?(query: Query): boolean;
  add?(unit: MemoryUnit): void;
}

/** Ranks units. */
export interface Engine {
  readonly name: string;
  open(units: readonly MemoryUnit[]): Opened;
}
