import { setTimeout as delay } from "node:timers/promises";
import type { Agent } from "../../runtime/agent/agent.ts";
import type { ReplyTurn } from "../../runtime/loop/reply.ts";

/** Kills this process in the middle of the next reply, once it is armed. */
export interface CrashSwitch {
  arm(): void;
  /** The agent with a reply that the switch can interrupt. */
  readonly agent: Agent;
}

/** So many pieces of a reply are shown before the end; a shorter one dies after its last. */
const piecesBefore = 4;

/** Milliseconds in which what was streamed reaches the screen. */
const untilShownMs = 150;

/** `lastWords` runs just before the process is killed: it must leave the terminal usable. */
export function createCrashSwitch(agent: Agent, lastWords: () => void): CrashSwitch {
  let armed = false;
  const crash = async (): Promise<void> => {
    await delay(untilShownMs);
    lastWords();
    // Not exit(): nothing may be flushed, closed or given back.
    process.kill(process.pid, "SIGKILL");
    await new Promise<never>(() => {});
  };
  const run = async (turn: ReplyTurn): ReturnType<Agent["reply"]["run"]> => {
    let pieces = 0;
    const write = async (text: string): Promise<void> => {
      await turn.write(text);
      pieces += 1;
      if (armed && pieces === piecesBefore) await crash();
    };
    const done = await agent.reply.run({ ...turn, write });
    if (armed && pieces > 0) await crash();
    return done;
  };
  return { arm: () => void (armed = true), agent: Object.freeze({ ...agent, reply: Object.freeze({ ...agent.reply, run }) }) };
}
