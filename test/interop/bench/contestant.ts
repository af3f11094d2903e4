/** What is measured: the same conversation, given to each library's storage. */
import type { Turn } from "./text.ts";

export type Engine = "sqlite" | "postgres" | "memory";

/** A conversation in one library's storage. An operation that the library does not have is left out. */
export interface Conversation {
  /** Stores a turn: what the customer said, and the answer. */
  commit(turn: Turn): Promise<void>;
  /** Latest state and the last 20 messages; how many messages it returned. */
  load(): Promise<number>;
  /** State as it was after turn 10. */
  loadTurn10?(): Promise<unknown>;
  /** Stores one more small piece. */
  append?(number: number): Promise<void>;
  /** Goes on from turn 10 in another conversation or branch. */
  fork?(number: number): Promise<unknown>;
  /** The last 20 points that one could go back to; how many there were. */
  history?(): Promise<number>;
  /** Removes the conversation. */
  remove(): Promise<void>;
}

export interface Opened {
  begin(id: string): Promise<Conversation>;
  /** Runs 20 pairs of parallel writes to one conversation; how many writes were lost without an error. */
  lostOfPairs?(): Promise<number>;
  /** What the storage says of its durability, now that it is open. */
  durability(): Promise<string>;
  close(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  /** Versions of what is measured. */
  readonly versions: string;
  readonly engine: Engine;
  /** What a row's `commit` is, in a few words. */
  readonly commit: string;
  /** The most turns that it is given; all marks if left out. */
  readonly most?: number;
  /** Whether `commit` is a whole turn of a framework, and so is compared with no storage. */
  readonly wholeTurn?: true;
  open(location: string): Promise<Opened>;
}
