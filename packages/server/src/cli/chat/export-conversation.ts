/** `/export`: writes the whole conversation to two files. */
import { writeFile } from "node:fs/promises";
import { ThroughlineError } from "throughline/kernel";
import { memoryOf, type ExportedMemory } from "throughline/memory";
import { type SessionInfo, type Event, type Message, messagesOf } from "throughline";
import type { Channel } from "../command-output.ts";
import { allEvents, documentAt } from "../read-session.ts";
import { indent, jsonText, printable } from "../terminal-text.ts";
import type { Conversation } from "./open-conversation.ts";
import { assessmentsOf, type SessionAssessment } from "./safety-view.ts";

/** The content of the JSON file. */
interface Exported {
  readonly format: "throughline.conversation/1";
  readonly exported_at: number;
  readonly session: SessionInfo;
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The user's memory across all sessions; null if the agent has no memory. */
  readonly memory: ExportedMemory | null;
  readonly assessments: readonly SessionAssessment[];
  /** The consent events of the session. */
  readonly consents: readonly Event[];
}

async function exported(conversation: Conversation): Promise<{ readonly document: Exported; readonly memory: string | undefined }> {
  const { session, store, agent, context } = conversation;
  const open = await session();
  const events = await allEvents(store, open.id);
  const remembers = memoryOf(agent) !== undefined;
  const document: Exported = {
    format: "throughline.conversation/1",
    exported_at: context.clock.now(),
    session: await open.info(),
    messages: messagesOf(events),
    state: await documentAt(store, open.id),
    memory: remembers ? await open.memory.export({ format: "json" }) : null,
    assessments: await assessmentsOf(store, open.id),
    consents: events.filter(isConsent),
  };
  return { document, memory: remembers ? await open.memory.export({ format: "markdown" }) : undefined };
}

const isConsent = ({ kind, data }: Event): boolean => kind === "session" && data.type === "consent";

const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

/** The conversation as Markdown. */
function markdownOf({ session, messages, state, assessments, exported_at }: Exported, memory: string | undefined): string {
  const said = messages
    .filter(({ role, text }) => role !== "tool" && text !== "")
    .map(
      ({ role, name, text, custom, source }) =>
        `**${printable(custom === true ? source : role === "user" ? "you" : (name ?? role))}**\n\n${indent(printable(text), "> ")}`,
    );
  const levels = assessments.map(
    ({ at, level, record }) => `| ${day(at)} | ${level} | ${record?.path ?? "-"} | ${record?.reason_code ?? "-"} | ${record?.action ?? "-"} |`,
  );
  return [
    `# Conversation with ${printable(session.agent)}`,
    `Session ${session.id}, exported on ${day(exported_at)} UTC.`,
    ...said,
    "## State",
    `\`\`\`json\n${jsonText(state, 2)}\n\`\`\``,
    ...(memory === undefined ? [] : ["## Memory", memory.replaceAll(/^#/gmu, "##")]),
    ...(levels.length === 0
      ? []
      : ["## Assessments", ["| When | Level | Path | Reason | Action |", "| --- | --- | --- | --- | --- |", ...levels].join("\n")]),
    "",
  ].join("\n\n");
}

/**
 * Writes the conversation to `<name>.json` and `<name>.md`, readable only by the file's owner. Throws `file.exists` if a file exists, and
 * `output.failed` if a file cannot be written.
 */
export async function exportConversation(conversation: Conversation, file: string, channel: Channel): Promise<void> {
  const { id } = await conversation.session();
  const name = file === "" ? `conversation-${id}` : file.replace(/\.(?:json|md)$/u, "");
  const { document, memory } = await exported(conversation);
  await writeNew(`${name}.json`, `${jsonText(document, 2)}\n`);
  await writeNew(`${name}.md`, markdownOf(document, memory));
  channel.line(`Written: ${printable(name)}.json and ${printable(name)}.md. They contain the whole conversation, so keep them private.`);
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const options = { hint: "Name another file: /export <file>", details: { path }, cause };
    throw isThere
      ? new ThroughlineError("file.exists", `${path} already exists and was not changed.`, options)
      : new ThroughlineError("output.failed", `${path} cannot be written.`, options);
  }
}
