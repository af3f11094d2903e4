/** Stock stage and stock tools with which a user controls their memory in a conversation. */
import { ThroughlineError } from "../../kernel/error.ts";
import { stage, type Stage } from "../../extension/stage.ts";
import type { StateDefinition } from "../../state/define.ts";
import { withControl, type Controlled } from "../../session/control.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { type MemoryCommand, type PendingAction, shownKinds } from "../control/commands.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";

/**
 * Creates a stage that answers memory commands without a model. It understands commands in ten languages, and the yes, no or
 * number that answers a pending question. It ignores all other messages. Put it after stages that must see every message, such as a gate, and before
 * all others. Messages that it answers are neither remembered nor shown to a model. In an agent without a memory it does nothing.
 * @example defineAgent({ name: "diary", state: Diary, memory: memory(), stages: [memoryControl({ state: Diary })], … })
 */
export function memoryControl<Definition extends StateDefinition>({
  state,
  name = "memory_control",
}: {
  readonly state: Definition;
  /** Name of the stage. Default `memory_control`. */
  readonly name?: string;
}): Stage<Definition> {
  return stage(name, { state, writes: [] }, async ({ context: { messages, turn_id }, memory }) => {
    const said = messages.filter(({ role, custom }) => role === "user" && custom !== true);
    const [first] = said;
    if (memory === undefined || first === undefined) return undefined;
    const done = await memory.answer(said.map(({ text }) => text).join("\n"), { key: turn_id, turn: turn_id, since: first.offset });
    return done === undefined ? undefined : withControl({ reply: done.reply, memory: "skip" });
  });
}

/** Part of a pending question that a model may see: previews, without ids. */
const told = (pending: PendingAction): JsonObject =>
  pending.type === "delete"
    ? { type: "delete", preview: [pending.target, ...(pending.also ?? [])].map(({ preview }) => preview) }
    : { type: "delete_options", previews: pending.targets.map(({ preview }) => preview) };

/** Runs a command for a tool call, once per key. The turn is excluded from recall and from memory. */
async function done(
  { memory, key, turn_id }: Pick<ToolContext, "memory" | "key" | "turn_id">,
  command: MemoryCommand,
): Promise<Controlled<JsonObject>> {
  if (memory === undefined) throw new ThroughlineError("memory.off");
  const { reply, effects, pending } = await memory.control(command, { key, turn: turn_id });
  return withControl({ memory: "skip" }, { reply, side_effects: effects, pending: pending === null ? null : told(pending) });
}

const nothing = { type: "object", properties: {}, additionalProperties: false } as const;
/**
 * Returns the stock tools: show_memory_status, show_saved_memory, save_response_preference, set_proactive_memory_recall,
 * prepare_memory_deletion_by_index, prepare_memory_deletion_by_query, confirm_memory_deletion, cancel_memory_deletion. A deletion is prepared in one
 * turn and confirmed in a later one. If a call confirms a question of its own turn, the question is repeated. The model relays the `reply` of each
 * tool to the user.
 * @example loop({ model, tools: [...memoryTools()] })
 */
export const memoryTools = (): readonly Tool[] => Object.freeze([...showing(), ...changing(), ...deleting()]);

const showing = (): readonly Tool[] => [
  defineTool({
    name: "show_memory_status",
    description: "How much is remembered of the person, and whether it may be brought up unasked. Only when they ask about it.",
    parameters: nothing,
    effects: "none",
    execute: (_, context) => done(context, { type: "status" }),
  }),
  defineTool({
    name: "show_saved_memory",
    description: "Everything that is remembered of the person, with the numbers that they can name. Only when they ask what is remembered.",
    parameters: nothing,
    effects: "none",
    execute: (_, context) => done(context, { type: "list" }),
  }),
];

const changing = (): readonly Tool[] => [
  defineTool({
    name: "save_response_preference",
    description: "Keeps how the person wants to be talked with, in their own words. Only when they ask for it to be remembered.",
    parameters: {
      type: "object",
      properties: { preference: { type: "string", minLength: 1, maxLength: 280, description: "What they said, word for word." } },
      required: ["preference"],
      additionalProperties: false,
    } as const,
    effects: "idempotent",
    execute: ({ preference }, context) => done(context, { type: "save_preference", text: preference }),
  }),
  defineTool({
    name: "set_proactive_memory_recall",
    description: "Whether you may bring up by yourself what is remembered. Only when the person asks for it to be on or off.",
    parameters: { type: "object", properties: { enabled: { type: "boolean" } }, required: ["enabled"], additionalProperties: false } as const,
    effects: "idempotent",
    execute: ({ enabled }, context) => done(context, { type: "set_recall", enabled }),
  }),
];

const deleting = (): readonly Tool[] => [
  defineTool({
    name: "prepare_memory_deletion_by_index",
    description:
      "Asks whether something that was listed is to be deleted, by its kind and number. Deletes nothing: tell the person the reply and wait.",
    parameters: {
      type: "object",
      properties: { kind: { type: "string", enum: shownKinds }, index: { type: "integer", minimum: 1 } },
      required: ["kind", "index"],
      additionalProperties: false,
    } as const,
    effects: "idempotent",
    execute: ({ kind, index }, context) => done(context, { type: "forget_by_index", kind, index }),
  }),
  defineTool({
    name: "prepare_memory_deletion_by_query",
    description: "Asks whether what speaks of something is to be deleted. Deletes nothing: tell the person the reply and wait.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", minLength: 1, maxLength: 280, description: "What it is about, in the person's words." } },
      required: ["query"],
      additionalProperties: false,
    } as const,
    effects: "idempotent",
    execute: ({ query }, context) => done(context, { type: "forget_by_query", query }),
  }),
  defineTool({
    name: "confirm_memory_deletion",
    description: "Deletes what the person was asked about. Only when their last message is a clear yes to that question, and nothing else.",
    parameters: nothing,
    effects: "idempotent",
    execute: (_, context) => done(context, { type: "confirm_pending" }),
  }),
  defineTool({
    name: "cancel_memory_deletion",
    description: "Keeps what the person was asked about. When they say no, or want something else.",
    parameters: nothing,
    effects: "idempotent",
    execute: (_, context) => done(context, { type: "cancel_pending" }),
  }),
];
