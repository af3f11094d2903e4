/** Handing the session to people, and back. */
import type { Channel } from "../output.ts";
import type { Conversation } from "./conversation.ts";
import type { GoesOn } from "./decide.ts";
import { remark } from "./reply-view.ts";

/** Who does it, for the record. */
const by = "terminal";

/** `/handover`: people have the session from now on; what is said waits for them. */
export async function handOver({ session }: Conversation, reason: string, channel: Channel): Promise<void> {
  await (await session()).handOver({ by, ...(reason === "" ? {} : { reason }) });
  remark(channel, "People have this session now. Your messages wait for them; the agent is silent until /handback.");
}

/** `/handback`: the agent has the session again, and answers what has waited; the turn that does, if anything has. */
export async function handBack({ session }: Conversation, channel: Channel): Promise<GoesOn | undefined> {
  const open = await session();
  const { waiting } = await open.pending();
  const { offset, turn_id } = await open.handBack({ by, resume: waiting.length > 0 });
  remark(
    channel,
    turn_id === undefined ? "The agent has this session again." : "The agent has this session again, and answers the waiting messages.",
  );
  return turn_id === undefined ? undefined : { turn_id, from: offset + 1, message: undefined };
}
