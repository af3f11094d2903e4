/** What a round leaves behind: what is stored, what callers were told, and what readers were shown. All that the judge knows. */
import type { Event, JsonObject } from "../../packages/throughline/src/index.ts";
import type { SessionView } from "../../packages/throughline/src/session/session-view.ts";
import type { WireDraft } from "../../packages/server/src/protocol/wire-event.ts";

/** What callers do. Each deed leaves its mark in what it writes, where it writes anything that can hold one. */
export type DeedType =
  | "say"
  | "speak"
  | "behalf"
  | "note"
  | "edit"
  | "edit_list"
  | "title"
  | "flip"
  | "label"
  | "bookmark"
  | "metadata"
  | "variables"
  | "customer"
  | "own_variable"
  | "hand_over"
  | "assign"
  | "hand_back"
  | "start"
  | "stop"
  | "retry"
  | "withdraw"
  | "fork"
  | "delete";

/** What a caller was told in the end; answers that ask to come again are not among them. */
export interface Told {
  readonly status: number;
  readonly code?: string;
  readonly text: string;
}

/** Something that a caller has asked for, under one key or none, however often it was sent. */
export interface Deed {
  readonly type: DeedType;
  /** Unlike that of any other deed. */
  readonly mark: string;
  /** The session, or the customer, that it is about. */
  readonly on: string;
  /** Whether it named itself. Without that it was sent once. */
  readonly keyed: boolean;
  /** What it was on condition of: `state_offset` of an edit; the offset to take back from. */
  readonly at?: number;
  readonly told: readonly Told[];
  /** What it was told when its key was used for something else. */
  readonly misused: readonly Told[];
}

/** What a reader got, in the order in which it came. A page is a connection of its own. */
export type Item =
  | { readonly type: "open"; /** It has told how far it had got. */ readonly resumed: boolean }
  | { readonly type: "event"; readonly session: string; readonly text: string }
  | { readonly type: "draft"; readonly draft: WireDraft }
  | { readonly type: "bye" | "closed" }
  | { readonly type: "gone"; readonly session: string };

/** All that one reader got. */
export interface Trace {
  readonly reader: string;
  /** Who reads: an integration, or a customer with a token. */
  readonly as: "local" | "customer";
  readonly kinds?: readonly Event["kind"][];
  /** Also what was taken back. */
  readonly withdrawn: boolean;
  readonly drafts: boolean;
  /** Sessions of which it has read everything. */
  readonly sessions: readonly string[];
  readonly items: readonly Item[];
}

/** A session as it is at the end. */
export interface Left {
  readonly id: string;
  readonly agent: string;
  readonly customer: string;
  readonly events: readonly Event[];
  /** As its row has it: what is not in the log. */
  readonly view: SessionView;
  readonly head: number;
  readonly title: string | null;
  readonly labels: readonly string[];
  readonly metadata: JsonObject;
  readonly consumers: Readonly<Record<string, number>>;
  readonly variables: JsonObject;
  /** State at some offsets, the head among them, as the service has told it. */
  readonly states: readonly { readonly at: number; readonly state: JsonObject }[];
  /** What it was forked from, if that is there. */
  readonly origin?: { readonly session: string; readonly at: number };
}

/** A customer as it is at the end. */
export interface CustomerLeft {
  readonly id: string;
  readonly variables: JsonObject;
  readonly metadata: JsonObject;
}

export interface World {
  readonly sessions: readonly Left[];
  readonly customers: readonly CustomerLeft[];
  /** Sessions that somebody asked to be deleted. */
  readonly deleted: readonly string[];
  readonly deeds: readonly Deed[];
  readonly traces: readonly Trace[];
}
