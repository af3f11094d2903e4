import { setTimeout as delay } from "node:timers/promises";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { ThroughlineError } from "../../packages/throughline/src/index.ts";
import { Died, Refused } from "./process.ts";
import type { Answer, Ask } from "./serve.ts";

/** A message that was acknowledged. */
export interface Acknowledged {
  readonly session: string;
  readonly key: string;
  readonly text: string;
  readonly offset: number;
}

/** What a client saw. */
export interface Seen {
  readonly acknowledged: Acknowledged[];
  /** How often a message was sent again because nobody knew whether it had arrived. */
  resent: number;
  /** What a client should never see. */
  readonly wrong: string[];
}

/** Refusals that are no fault: the database is away or locked, the process is leaving, a turn cannot be cut or stopped now. */
const expected =
  /^(store\.(unreachable|busy|closed)|aborted|turn\.(fenced|stopped)|session\.(conflict|manual|withdraw_splits_turn|too_many_waiting))$/;

/** The code of a refusal, whoever it comes from; undefined when the process died, and an error that is neither is thrown. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof Died) return undefined;
  if (error instanceof Refused || ThroughlineError.is(error)) return error.code;
  throw error;
}

/** Somebody who looks now and then at what a session waits with, and decides it. */
export async function decide(options: {
  readonly session: string;
  readonly dice: Chooser;
  readonly ask: (ask: Ask) => Promise<Answer>;
  readonly over: () => boolean;
  readonly seen: Seen;
}): Promise<void> {
  const { session, dice, ask, over, seen } = options;
  while (!over()) {
    await delay(dice.integer(5, 60));
    try {
      await ask({ type: "decide", session, seed: dice.integer(0, 2 ** 31) });
    } catch (error) {
      const code = refusalOf(error);
      if (code !== undefined && !expected.test(code)) seen.wrong.push(`${session}: a decision was refused: ${String(error)}`);
    }
  }
}

/** Fills a message up, so that the few turns that a busy machine gets to change the state enough for a checkpoint. */
const filler = "-".repeat(600);

/** Somebody who talks in one session: posts with keys, sends again what was not acknowledged, and now and then does what people do. */
export async function talk(options: {
  readonly session: string;
  readonly dice: Chooser;
  readonly ask: (ask: Ask) => Promise<Answer>;
  readonly over: () => boolean;
  readonly seen: Seen;
}): Promise<void> {
  const { session, dice, ask, over, seen } = options;
  const mine: Acknowledged[] = [];

  /** The offset that was acknowledged; undefined after a refusal that should not have been. */
  const post = async (key: string, text: string): Promise<number | undefined> => {
    for (;;) {
      try {
        const offset = await ask({ type: "post", session, key, text });
        if (offset === undefined) throw new Error("A post was answered without an offset.");
        return offset;
      } catch (error) {
        const code = refusalOf(error);
        if (code === undefined) seen.resent += 1;
        else if (!expected.test(code)) {
          seen.wrong.push(`${session}: post ${key} was refused: ${String(error)}`);
          return undefined;
        }
        await delay(10);
      }
    }
  };
  const say = async (number: number): Promise<void> => {
    const message = { session, key: `${session}-${number}`, text: `${session} says ${filler} ${number}` };
    const offset = await post(message.key, message.text);
    if (offset === undefined) return;
    const acknowledged = { ...message, offset };
    mine.push(acknowledged);
    seen.acknowledged.push(acknowledged);
  };
  const repeat = async (): Promise<void> => {
    if (mine.length === 0) return;
    const before = dice.one(mine);
    const offset = await post(before.key, before.text);
    if (offset !== before.offset) seen.wrong.push(`${session}: ${before.key} was accepted at offset ${before.offset}, and again at ${offset}`);
  };
  /** A process that dies while it does this leaves it done or not done; true if it was done. */
  const meddle = async (type: "manual" | "auto" | "stop" | "withdraw"): Promise<boolean> => {
    try {
      await ask({ type, session });
      return true;
    } catch (error) {
      const code = refusalOf(error);
      if (code !== undefined && !expected.test(code)) seen.wrong.push(`${session}: ${type} was refused: ${String(error)}`);
      return false;
    }
  };

  for (let number = 1; !over(); number++) {
    await say(number);
    if (dice.chance(0.2)) await Promise.all([say(++number), say(++number)]);
    if (dice.chance(0.1)) await repeat();
    if (dice.chance(0.04)) await meddle("stop");
    if (dice.chance(0.04)) await meddle("withdraw");
    if (dice.chance(0.04)) {
      await meddle("manual");
      await say(++number);
      while (!(await meddle("auto"))) await delay(10);
    }
    await delay(dice.integer(20, 150));
  }
}
