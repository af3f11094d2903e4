/** What the agent is told from outside. */
import type { Json } from "../../kernel/json.ts";
import type { Channel } from "../output.ts";
import { ago, brief, printable, table } from "../text.ts";
import type { Conversation } from "./conversation.ts";

const howTo = "Set one with /vars <name> <value>, remove it with /vars -<name>.";

/** A value as it is typed: JSON where it is some, else the text itself. */
function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** `/vars`: the variables in force; with a name that one, with a value it is set, and `-name` takes it away. In force from the next turn on. */
export async function variables({ session, context }: Conversation, argument: string, channel: Channel): Promise<void> {
  const open = await session();
  const [, minus, name = "", value] = /^(-?)(\S*)(?:\s+(\S.*))?$/su.exec(argument) ?? [];
  if (minus === "-" && name !== "") {
    await open.setVariables({ unset: [name] });
    return channel.line(`${printable(name)} is taken away, from the next turn on.`);
  }
  if (name !== "" && value !== undefined) {
    const { values } = await open.setVariables({ set: { [name]: valueOf(value) } });
    return channel.line(`${printable(name)} = ${brief(values[name])}, from the next turn on.`);
  }
  const known = (await open.variables()).filter((one) => name === "" || one.name === name);
  if (known.length === 0) return channel.line(`${name === "" ? "The agent has no variables." : `There is no variable ${printable(name)}.`} ${howTo}`);
  const rows = known.map((one) => [
    printable(one.name),
    one.scope,
    `${ago(one.checked_at, context.clock.now())}${one.stale ? ", stale" : ""}`,
    brief(one.value, 60),
  ]);
  channel.line(table([["NAME", "OF THE", "SET", "VALUE"], ...rows]));
}
