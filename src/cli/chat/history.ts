import type { Channel } from "../output.ts";
import { ago, clip, table } from "../text.ts";
import type { Conversation } from "./conversation.ts";

/** `/history`: the ends of the last turns, which can be gone back to. */
export async function showHistory(conversation: Conversation, channel: Channel): Promise<void> {
  const session = await conversation.session();
  const points = await session.history({ limit: 10 });
  if (points.length === 0) return channel.line("No turn has ended yet.");
  const now = conversation.context.clock.now();
  const rows = await Promise.all(
    points.map(async ({ offset, cause, created_at }) => {
      const [said] = (await session.messages({ last: 1, at: offset })).toReversed();
      return [String(offset), cause, ago(created_at, now), clip(said?.text ?? "", Math.max(20, channel.columns(100) - 40))];
    }),
  );
  channel.line(table([["OFFSET", "CAUSE", "ASKED", "LAST SAID"], ...rows]));
  channel.line(channel.paint("dim", "/fork <offset> goes on from there in another session"));
}

/** `/fork`: goes on in another session that shares what was said up to an offset, the head if none is given. */
export async function forkHere(conversation: Conversation, argument: string, channel: Channel): Promise<void> {
  if (!/^\d{0,10}$/u.test(argument)) return channel.line(`/fork takes an offset, not "${clip(argument, 20)}"; /history has those of the last turns.`);
  const session = await conversation.session();
  const fork = await session.fork(argument === "" ? {} : { at: Number(argument) });
  const { origin } = await fork.info();
  conversation.goOnIn(fork);
  channel.line(`Now in ${fork.id}, which continues from offset ${origin?.at}. The original session is unchanged: ${session.id}`);
}
