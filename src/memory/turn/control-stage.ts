/** The stock stage and the stock tools by which a person controls their memory in a conversation. */
import type { StateDefinition } from "../../state/define.ts";
import { withControl } from "../../session/control.ts";
import { stage, type Stage } from "../../extension/stage.ts";

/**
 * A stage that answers what a person asks about their memory, without a model: commands in English, Spanish, German and Chinese, and the yes, no or number to a question that waits.
 * It says nothing to any other message. Put it after whatever must see every message first, such as a gate, and before all else; what it answers is neither remembered nor given
 * to a model. In an agent without a memory it does nothing.
 * @example defineAgent({ name: "diary", state: Diary, memory: memory(), stages: [memoryControl({ state: Diary })], … })
 */
export function memoryControl<Definition extends StateDefinition>({
  state,
  name = "memory_control",
}: {
  readonly state: Definition;
  /** Name of the stage; `memory_control` by default. */
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
