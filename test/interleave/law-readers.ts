/** Every reader gets every event that it is entitled to, once and in order; and no draft stays open. */
import { isDeepStrictEqual } from "node:util";
import type { Event } from "../../packages/throughline/src/index.ts";
import { textOf } from "../../packages/throughline/src/session/session-messages.ts";
import type { WireDraft, WireEvent } from "../../packages/server/src/protocol/wire-event.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import type { Principal } from "../../packages/server/src/server/principal.ts";
import { toWireEvent } from "../../packages/server/src/server/to-wire.ts";
import { withdrawnOffsets } from "../chaos/law.ts";
import { agentsFor } from "./agent.ts";
import type { Item, Left, Trace, World } from "./world.ts";

type Wrong = (text: string) => void;

const agents = new Map(agentsFor(createChooser(0)).map((agent) => [agent.name, agent]));

/** An event without where it comes from: that a fork's parent was deleted changes what is told of it. */
function told({ origin: _origin, ...event }: WireEvent): unknown {
  return event;
}

const principalOf = ({ as }: Trace, { customer }: Left): Principal =>
  as === "local" ? { type: "local" } : { type: "customer", customer, version: "v", expires_at: Number.POSITIVE_INFINITY };

/** The events that a reader is entitled to, as they are told, by offset. */
function entitled(trace: Trace, left: Left): ReadonlyMap<number, WireEvent> {
  const shown = left.events.flatMap((event) => {
    if (trace.kinds?.includes(event.kind) === false) return [];
    const wire = toWireEvent({ agents }, principalOf(trace, left), left.agent, event);
    return wire === undefined ? [] : [[event.offset, wire] as const];
  });
  return new Map(shown);
}

function judgeEvents(trace: Trace, left: Left, wrong: Wrong): void {
  const expected = entitled(trace, left);
  const gone = trace.withdrawn ? new Set<number>() : withdrawnOffsets(left.events);
  const seen = new Set<number>();
  let last = -1;
  for (const item of trace.items) {
    if (item.type !== "event" || item.session !== left.id) continue;
    const event = JSON.parse(item.text) as WireEvent;
    const { offset } = event;
    if (seen.has(offset)) wrong(`offset ${offset} came twice`);
    else if (offset < last) wrong(`offset ${offset} came after ${last}`);
    const own = expected.get(offset);
    if (own === undefined) wrong(`offset ${offset} came, and is not for this reader`);
    else if (!isDeepStrictEqual(told(event), JSON.parse(JSON.stringify(told(own))))) wrong(`offset ${offset} came as ${item.text}`);
    seen.add(offset);
    last = Math.max(last, offset);
  }
  const missing = [...expected.keys()].filter((offset) => !seen.has(offset) && !gone.has(offset));
  if (missing.length > 0) wrong(`never got the offsets ${missing.join(", ")}`);
}

/** What a session's log ends with, when nothing in it is open. */
export const isEnd = (event: Pick<WireEvent, "kind" | "data">): boolean =>
  event.kind === "custom" && isDeepStrictEqual((event.data as { readonly value: unknown }).value, endMark);
export const endMark = { end: true };

/** A draft that a reader has some of. */
interface Open {
  readonly turn_id: string;
  readonly epoch: number;
  readonly message: number;
  text: string;
}

const isOf = (open: Open, draft: WireDraft): boolean =>
  open.turn_id === draft.turn_id && open.epoch === draft.epoch && open.message === draft.message;

/** The drafts of one session over one connection. */
class Drafts {
  readonly #wrong: Wrong;
  /** The message that each turn has said, as the log has it. */
  readonly #replies: ReadonlyMap<string, string>;
  #open: Open | undefined;
  #epoch = 0;
  #manual = false;

  constructor(events: readonly Event[], wrong: Wrong) {
    this.#wrong = wrong;
    this.#replies = new Map(
      events.flatMap((event) =>
        event.kind === "message" && event.source === "ai_agent" && event.turn_id !== undefined && event.data.origin?.is_trace !== true
          ? [[event.turn_id, textOf(event.data.parts)] as const]
          : [],
      ),
    );
  }

  draft(draft: WireDraft): void {
    if (draft.type === "draft.reset") {
      if (draft.turn_id !== undefined && (this.#open === undefined || !isOf(this.#open, draft)))
        this.#wrong(`a draft of ${draft.turn_id} was reset that was not open`);
      this.#open = undefined;
      return;
    }
    if (this.#manual) this.#wrong(`turn ${draft.turn_id} drafted although a person has the session`);
    if (draft.epoch < this.#epoch) this.#wrong(`a draft of epoch ${draft.epoch} came after one of ${this.#epoch}`);
    this.#epoch = Math.max(this.#epoch, draft.epoch);
    if (this.#open !== undefined && !isOf(this.#open, draft))
      this.#wrong(`a draft of ${draft.turn_id} came while one of ${this.#open.turn_id} was open`);
    const piece = draft.type === "draft.delta" ? draft.text : "";
    const text = (this.#open !== undefined && isOf(this.#open, draft) ? this.#open.text : "") + piece;
    this.#open = { turn_id: draft.turn_id, epoch: draft.epoch, message: draft.message, text };
    const reply = this.#replies.get(draft.turn_id);
    if (reply !== undefined && !reply.startsWith(this.#open.text))
      this.#wrong(`turn ${draft.turn_id} drafted "${this.#open.text}" and said "${reply}"`);
  }

  event(event: WireEvent): void {
    if (event.kind === "session" && event.data.type === "mode") this.#manual = event.data["mode"] === "manual";
    if (event.kind === "session" && event.data.type === "forked") this.#manual = false;
    if (isEnd(event)) this.end();
    if (this.#open === undefined) return;
    const { turn_id } = this.#open;
    if (event.kind === "message" && event.source === "ai_agent" && event.turn_id === turn_id)
      this.#wrong(`the message of ${turn_id} came before its draft was reset`);
    if (event.kind === "turn" && event.turn_id === turn_id && event.data.type === "ended")
      this.#wrong(`the end of ${turn_id} came before its draft was reset`);
  }

  /** The reader was told that the stream is over, or all is quiet. */
  end(): void {
    if (this.#open !== undefined) this.#wrong(`a draft of ${this.#open.turn_id} was left open`);
  }
}

/** The drafts of a session over all of a reader's connections: each has an end, and whoever was cut is told to drop what they have. */
function judgeDrafts(trace: Trace, left: Left, wrong: Wrong): void {
  let drafts = new Drafts(left.events, wrong);
  // Whoever comes back with a draft that was cut drops it when told to.
  let stale = false;
  let open = false;
  const isHere = (item: Item): boolean =>
    item.type === "event" ? item.session === left.id : item.type === "draft" ? item.draft.session_id === left.id : item.type !== "gone";
  for (const item of trace.items.filter(isHere)) {
    if (item.type === "open") {
      drafts = new Drafts(left.events, wrong);
      stale = item.resumed && open;
      open = false;
    } else if (item.type === "draft") {
      if (stale && item.draft.type !== "draft.reset") wrong(`a stream that was resumed did not reset its drafts before one of ${item.draft.turn_id}`);
      open = item.draft.type !== "draft.reset";
      if (!open) stale = false;
      drafts.draft(item.draft);
    } else if (item.type === "event") drafts.event(JSON.parse(item.text) as WireEvent);
    else if (item.type === "bye") drafts.end();
  }
}

/** Whether a session that is gone is silent from then on. */
function judgeGone(trace: Trace, wrong: Wrong): void {
  const gone = new Set<string>();
  for (const item of trace.items) {
    if (item.type === "gone") gone.add(item.session);
    if (item.type === "event" && gone.has(item.session)) wrong(`${item.session} had gone, and has an event`);
  }
}

/** Judges what readers were shown. */
export function judgeReaders({ sessions, traces, deleted }: World, wrong: Wrong): void {
  for (const trace of traces) {
    const here = (session: string) => (text: string) => wrong(`${trace.reader} of ${session}: ${text}`);
    for (const id of trace.sessions) {
      const left = sessions.find((session) => session.id === id);
      if (left === undefined) continue;
      judgeEvents(trace, left, here(id));
      if (trace.drafts) judgeDrafts(trace, left, here(id));
    }
    judgeGone(trace, (text) => wrong(`${trace.reader}: ${text}`));
    for (const item of trace.items)
      if (item.type === "gone" && !deleted.includes(item.session))
        wrong(`${trace.reader}: ${item.session} is said to be gone, and nobody has deleted it`);
  }
}
