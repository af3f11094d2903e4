/** Parses the text of a structured call: its subject and the state of the conversation. */
import type { RuleInput } from "throughline";
import { type TriageDecision, triageRoutes } from "../../dispatch/dispatch-schemas.ts";

/** An earlier message. */
interface Said {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** A structured call as the rules read it. */
export interface Asked {
  /** The person's current message. */
  readonly message: string;
  /** Earlier messages, oldest first. */
  readonly before: readonly Said[];
  /** The full text, for its other content. */
  readonly text: string;
  /** Members of a text that is a JSON object; otherwise empty. */
  readonly members: Readonly<Record<string, unknown>>;
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.trimStart().startsWith("{")) return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? (read as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** Restores a person's text. Data marks escape `<`. */
const unfenced = (text: string): string => text.replaceAll("&lt;", "<").trim();

/** Returns the data blocks of a text by name. */
function blocksOf(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/<data name="(?<name>[^"\n]*)">\n(?<body>[\s\S]*?)\n?<\/data>/gu);
  return Object.fromEntries([...found].map(({ groups }) => [(groups?.["name"] ?? "").toLowerCase(), unfenced(groups?.["body"] ?? "")]));
}

const speakers: Readonly<Record<string, Said["role"]>> = {
  user: "user",
  person: "user",
  they: "user",
  assistant: "assistant",
  companion: "assistant",
  you: "assistant",
};

/** Parses lines such as `user: …`. A line without a speaker continues the previous one. */
function linesOf(block: string): readonly Said[] {
  const said: Said[] = [];
  for (const line of block.split("\n")) {
    const [, name = "", text = ""] = /^[-*\s]*(?<name>\w+):\s*(?<text>.*)$/u.exec(line) ?? [];
    const role = speakers[name.toLowerCase()];
    const last = said.at(-1);
    if (role !== undefined) said.push({ role, text });
    else if (last !== undefined) said.splice(-1, 1, { role: last.role, text: `${last.text}\n${line}` });
  }
  return said;
}

function turnsOf(value: unknown): readonly Said[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((turn: unknown) => {
    if (typeof turn !== "object" || turn === null || !("role" in turn)) return [];
    const text = "text" in turn ? turn.text : "content" in turn ? turn.content : undefined;
    const role = speakers[String(turn.role)];
    return role === undefined || typeof text !== "string" ? [] : [{ role, text }];
  });
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

/** Names of the same value in different calls. */
const names = {
  message: ["message", "current_message", "current message", "query", "question", "text"],
  before: ["before", "recent_history", "recent history", "history", "conversation", "recent_turns"],
} as const;

/** Parses a structured call. */
export function askedIn({ text, request }: RuleInput): Asked {
  const members = membersOf(text);
  const blocks = blocksOf(text);
  const message = firstText(...names.message.map((name) => members[name]), ...names.message.map((name) => blocks[name]));
  const told = names.before.map((name) => turnsOf(members[name])).find((turns) => turns.length > 0);
  const fenced = firstText(...names.before.map((name) => blocks[name]));
  const earlier = request.messages
    .slice(0, -1)
    .flatMap((one) => (one.role === "user" || one.role === "assistant" ? [{ role: one.role, text: one.text }] : []));
  const known = Object.keys(members).length > 0 || Object.keys(blocks).length > 0;
  return { message: message ?? (known ? "" : text), before: told ?? (fenced === undefined ? earlier : linesOf(fenced)), text, members };
}

/** The open flow. */
export type Flow = "none" | "guided_exercise" | "pending_memory_action";

const notesOf = (text: string): string => text.split("<data")[0] ?? "";

/** Returns the open flow from the notes. */
export function flowIn({ text }: Asked): Flow {
  const said = /open flow: (?<flow>\w+)/iu.exec(notesOf(text))?.groups?.["flow"];
  return said === "guided_exercise" || said === "pending_memory_action" ? said : "none";
}

/** Returns the tentative route of the previous message, if the companion requested a clarification. This message can be the answer. */
export function tentativeIn({ text }: Asked): TriageDecision["route"] | undefined {
  const said = /seemed to be (?<route>\w+)/iu.exec(notesOf(text))?.groups?.["route"];
  return triageRoutes.find((route) => route === said);
}
