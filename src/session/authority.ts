/**
 * Whose words an event holds. The kind and the source of an event decide, never its payload: in which role a model reads it, whether it is fenced as data, whether the
 * safety gate reads it, and who may post it.
 */
import type { Json } from "../kernel/json.ts";
import { eventSources, type EventSource } from "../store/port.ts";

/** Kinds of events that a caller can post. */
export const postedKinds = ["message", "custom", "status"] as const;
/** Kinds of events that a caller can post. */
export type PostedKind = (typeof postedKinds)[number];

/** Who posts over the wire: an integration with a key, or a customer with a token. */
export type Poster = "integration" | "customer";

/** What the kind and the source of an event decide. */
export interface Authority {
  /** Role in which a model reads it. `as stored`: the agent's own code chose the role; `unread`: no model reads it. */
  readonly role: "user" | "assistant" | "system" | "as stored" | "unread";
  /** A model reads it between data marks that it cannot close. */
  readonly fenced: boolean;
  /** It is a customer's content: the safety gate reads it. */
  readonly gated: boolean;
  /** Who may post it over the wire. Empty: only the runtime and the agent's own code write it. */
  readonly postedBy: readonly Poster[];
}

const row = (role: Authority["role"], postedBy: readonly Poster[], marks: Partial<Pick<Authority, "fenced" | "gated">> = {}): Authority =>
  Object.freeze({ role, fenced: false, gated: false, ...marks, postedBy: Object.freeze(postedBy) });

const customerData = { fenced: true, gated: true } as const;
const unread = row("unread", ["integration"]);

/** The one table of kind × source × poster. `system` is the only source whose custom events a model reads as the operator's own words. */
export const authorities: Readonly<Record<PostedKind, Readonly<Record<EventSource, Authority>>>> = Object.freeze({
  message: Object.freeze({
    customer: row("user", ["integration", "customer"], { gated: true }),
    customer_ui: row("user", [], customerData),
    human_agent: row("assistant", ["integration"]),
    human_agent_on_behalf_of_ai_agent: row("assistant", ["integration"]),
    // Posted without a text: it lets the agent speak.
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

/** What the kind and the source of an event decide. */
export const authorityOf = (kind: PostedKind, source: EventSource): Authority => authorities[kind][source];

/** Sources whose events of a kind a poster may write over the wire. */
export const sourcesFor = (kind: PostedKind, poster: Poster): readonly EventSource[] =>
  eventSources.filter((source) => authorityOf(kind, source).postedBy.includes(poster));

/**
 * The words in a custom event's value, one per line: the names of its members, then all its texts in order. A gate reads these, since JSON escapes would hide where
 * words begin and end.
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
