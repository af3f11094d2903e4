/**
 * Authority of events. An event's kind and source decide it, never its payload. It covers the role in which a model reads the event, and whether the
 * event is fenced as data. It also covers whether the safety gate reads the event, and who may post it.
 */
import type { Json } from "../kernel/json.ts";
import { eventSources, type EventSource } from "../store/port.ts";

/** Kinds of events that a caller can post. */
export const postedKinds = ["message", "custom", "status"] as const;
/** A kind of event that a caller can post. */
export type PostedKind = (typeof postedKinds)[number];

/** Who posts over the wire: an integration with an API key, or a customer with a token. */
export type Poster = "integration" | "customer";

/** The authority of an event, decided by its kind and source. */
export interface Authority {
  /** Role in which a model reads the event. `as stored`: the agent's code chose the role. `unread`: no model reads it. */
  readonly role: "user" | "assistant" | "system" | "as stored" | "unread";
  /** The model reads the event between data marks that the content cannot close. */
  readonly fenced: boolean;
  /** The event is customer content, so the safety gate reads it. */
  readonly gated: boolean;
  /** Who may post the event over the wire. Empty: only the runtime and the agent's code write it. */
  readonly postedBy: readonly Poster[];
}

const row = (role: Authority["role"], postedBy: readonly Poster[], marks: Partial<Pick<Authority, "fenced" | "gated">> = {}): Authority =>
  Object.freeze({ role, fenced: false, gated: false, ...marks, postedBy: Object.freeze(postedBy) });

const customerData = { fenced: true, gated: true } as const;
const unread = row("unread", ["integration"]);

/** The authority of each kind and source. A model reads custom events as the operator's instructions only if their source is `system`. */
export const authorities: Readonly<Record<PostedKind, Readonly<Record<EventSource, Authority>>>> = Object.freeze({
  message: Object.freeze({
    customer: row("user", ["integration", "customer"], { gated: true }),
    customer_ui: row("user", [], customerData),
    human_agent: row("assistant", ["integration"]),
    human_agent_on_behalf_of_ai_agent: row("assistant", ["integration"]),
    // Posted without text, to prompt the agent to speak.
    ai_agent: row("as stored", ["integration"]),
    system: row("as stored", []),
  }),
  custom: Object.freeze({
    customer: row("user", ["integration"], customerData),
    customer_ui: row("user", ["integration", "customer"], customerData),
    human_agent: row("system", ["integration"], { fenced: true }),
    human_agent_on_behalf_of_ai_agent: row("system", ["integration"], { fenced: true }),
    ai_agent: row("system", [], { fenced: true }),
    system: row("system", ["integration"]),
  }),
  status: Object.freeze({
    customer: unread,
    customer_ui: unread,
    human_agent: unread,
    human_agent_on_behalf_of_ai_agent: unread,
    ai_agent: row("unread", []),
    system: unread,
  }),
});

/** Returns the authority of events of this kind and source. */
export const authorityOf = (kind: PostedKind, source: EventSource): Authority => authorities[kind][source];

/** Returns the sources whose events of this kind the poster may write over the wire. */
export const sourcesFor = (kind: PostedKind, poster: Poster): readonly EventSource[] =>
  eventSources.filter((source) => authorityOf(kind, source).postedBy.includes(poster));

/**
 * Returns the text in a custom event's value, one item per line: all member names, then all strings in order. The safety gate reads this instead of
 * the JSON, because JSON escapes hide word boundaries.
 */
export function wordsIn(value: Json): string {
  const texts: string[] = [];
  const names: string[] = [];
  const waiting: Json[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) for (const item of next.toReversed()) waiting.push(item as Json);
    else if (typeof next === "object" && next !== null) {
      names.push(...Object.keys(next));
      waiting.push(...Object.values(next).toReversed());
    }
  }
  return [...names, ...texts].filter((text) => text.trim() !== "").join("\n");
}
