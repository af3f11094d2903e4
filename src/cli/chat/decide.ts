import type { Session } from "../../runtime/session.ts";
import { chosenCall, describePending, howToDecide, wordOn, type Word } from "../approvals.ts";
import type { Channel } from "../output.ts";
import type { Conversation } from "./conversation.ts";
import { remark } from "./reply-view.ts";

/** `/pending`: what waits for somebody's word. */
export async function showPending({ context, session }: Conversation, channel: Channel): Promise<void> {
  const { calls } = await (await session()).pending();
  if (calls.length === 0) return channel.line("Nothing waits for your decision.");
  channel.line(describePending(calls, channel, context.clock.now()));
  remark(channel, howToDecide(calls), "cyan");
}

/** The turn that was decided on, and from where on it is to be followed. */
export interface GoesOn {
  readonly turn_id: Awaited<ReturnType<Session["decide"]>>["turn_id"];
  readonly from: number;
  readonly message: undefined;
}

/** `/approve`, `/reject` and `/answer`: what goes on with it, undefined as long as something else waits. */
export async function decide({ session }: Conversation, word: Word, line: string, channel: Channel): Promise<GoesOn | undefined> {
  const open = await session();
  const { calls } = await open.pending();
  const { call, rest } = chosenCall(calls, line);
  const { offset, turn_id } = await open.decide({ ...wordOn(word, call, rest), by: "terminal" });
  const said = { approve: "Approved", reject: "Rejected", answer: "Answered" }[word];
  const left = calls.length - 1;
  remark(channel, left === 0 ? `${said}.` : `${said}. ${left} more ${left === 1 ? "waits" : "wait"}: /pending`);
  return left === 0 ? { turn_id, from: offset + 1, message: undefined } : undefined;
}
