/** Pages of event summaries: what a list shows of each event, in either direction. */
import { PageSize, present, textOf } from "throughline/internal";
import { decodeEvent } from "throughline/session";
import type { StoredEvent } from "throughline/store";
import { previewCharacters } from "../../protocol/wire-inspect.ts";
import type { WireEvent } from "../../protocol/wire-event.ts";
import type { Service } from "../service.ts";
import { toWireEvent } from "../to-wire.ts";
import type { Reader } from "./event-reader.ts";

/** A stretch of the log to list. */
export interface SummaryRange {
  /** The first offset that is kept. */
  readonly first: number;
  readonly head: number;
  readonly minOffset: number | undefined;
  readonly maxOffset: number | undefined;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

/** Maximum reads of the log per page. If the caller sees few of the events, the page ends before its limit. */
const mostReads = 20;

/** Returns the summary of an event as its reader sees it. */
export function summaryOf(event: WireEvent) {
  const { offset, kind, source, created_at: at, turn_id } = event;
  const { type, preview } = described(event);
  const line = preview === undefined ? "" : oneLine(preview);
  return { offset, kind, ...present({ type }), source, at, ...present({ turn_id }), ...(line === "" ? {} : { preview: line }) };
}

/** A summary on the wire. */
export type Summary = ReturnType<typeof summaryOf>;

/** Returns the begin of a text, on one line. */
function oneLine(text: string): string {
  const characters = Array.from(
    text
      .slice(0, previewCharacters * 4)
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
  return characters.length <= previewCharacters ? characters.join("") : `${characters.slice(0, previewCharacters - 1).join("")}…`;
}

interface Described {
  readonly type?: string | undefined;
  readonly preview?: string | undefined;
}

function described(event: WireEvent): Described {
  switch (event.kind) {
    case "message": {
      const { role, parts, calls = [] } = event.data;
      return { type: role, preview: [textOf(parts), ...calls.map(({ name }) => `${name}()`)].filter((text) => text !== "").join(" ") };
    }
    case "tool": {
      const { data } = event;
      if (data.type === "called") return { type: data.type, preview: data.name };
      return { type: data.type, preview: data.reused_from === undefined ? data.result.type : `${data.result.type}, reused` };
    }
    case "status":
      return { type: event.data.status, preview: event.data.stage };
    case "custom":
      return { preview: JSON.stringify(event.data.value) };
    case "state": {
      const fields = new Set(event.data.patch.map(({ path }) => path.split("/", 2)[1] ?? ""));
      // Customers do not see the writer.
      const { writer } = event.data as { readonly writer?: { readonly type: string } };
      return { type: writer?.type, preview: [...fields].join(", ") };
    }
    case "turn":
      return { type: event.data.type, preview: ofTurn(event.data) };
    case "session":
      return { type: event.data.type, preview: ofSession(event.data) };
    case "assessment":
      return { preview: `level ${event.data.level}` };
  }
}

type DataOf<Kind extends WireEvent["kind"]> = Extract<WireEvent, { readonly kind: Kind }>["data"];

function ofTurn(data: DataOf<"turn">): string | undefined {
  switch (data.type) {
    case "started":
      return data.cause;
    case "stage":
      return data.name;
    case "step":
    case "spent":
      return data.model;
    case "attempt":
      return data.error.code;
    case "signal":
      return data.reason;
    case "paused":
      return data.pending.map(({ name }) => name).join(", ");
    case "decided":
      return data.decision.type;
    case "ended":
      return data.outcome.status === "stopped" ? `stopped: ${data.outcome.reason}` : data.outcome.status;
    case "fields":
    case "merged":
    case "continue":
      return undefined;
  }
}

function ofSession(data: DataOf<"session">): string | undefined {
  switch (data.type) {
    case "created":
      return data.agent;
    case "mode":
      return data.mode;
    case "handover":
      return data.handover.status;
    case "episode":
      return data.reason;
    case "title":
      return data.title ?? undefined;
    case "withdrawn":
      return `from ${data.from}`;
    case "forked":
      return `at ${data.at}`;
    case "consent":
      return data.given ? "given" : "withdrawn";
    case "disclosure":
      return data.reason;
    case "identified":
    case "redacted":
    case "remembered":
      return undefined;
  }
}

/** Reads a page of summaries. It covers all offsets between `before_offset` and `next_offset`. */
export async function readSummaries(service: Pick<Service, "agents" | "store">, reader: Reader, range: SummaryRange) {
  const { first, head, limit, order } = range;
  const low = Math.max(first, range.minOffset ?? first);
  const high = Math.min(head, range.maxOffset ?? head);
  const size = new PageSize(Math.min(limit, 100));
  const items: Summary[] = [];
  // The offsets from `from` up to `upto` are covered.
  let [from, upto] = order === "asc" ? [low, low - 1] : [high + 1, high];
  for (let reads = 0; reads < mostReads && items.length < limit && (order === "asc" ? upto < high : from > low); reads++) {
    const [min, max] = order === "asc" ? [upto + 1, high] : [Math.max(low, from - size.limit), from - 1];
    const page = await readStretch(service, reader, { min, max, limit: size.limit });
    size.note(page.events);
    const shown = page.events.flatMap((stored) => {
      const wire = toWireEvent(service, reader.principal, reader.agent, decodeEvent(stored));
      return wire === undefined ? [] : [summaryOf(wire)];
    });
    const room = limit - items.length;
    if (order === "asc") {
      items.push(...shown.slice(0, room));
      upto = shown.length > room ? (shown[room]?.offset ?? 0) - 1 : page.upto;
    } else {
      items.push(...shown.toReversed().slice(0, room));
      from = shown.length > room ? (shown.at(-room - 1)?.offset ?? 0) + 1 : min;
    }
  }
  return { items, before_offset: from > first ? from - 1 : null, next_offset: upto + 1, head };
}

/** Reads events of a stretch. `upto` is the last offset that was read. */
async function readStretch(
  { store }: Pick<Service, "store">,
  { session_id, kinds, source, withdrawn = false }: Reader,
  { min, max, limit }: { readonly min: number; readonly max: number; readonly limit: number },
): Promise<{ readonly events: readonly StoredEvent[]; readonly upto: number }> {
  const request = { session_id, min_offset: min, max_offset: max, kinds, limit, withdrawn, ...present({ source }) };
  const page = await store.read(request);
  // The session was erased in between.
  if (page === undefined) return { events: [], upto: max };
  return { events: page.events, upto: Math.min(max, page.next_offset - 1) };
}
