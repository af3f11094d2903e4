/** Clients that write messages and remember what was acknowledged, a worker that answers, and a judge that reads the logs afterwards. */
import { setTimeout as delay } from "node:timers/promises";
import {
  createRuntime,
  defineAgent,
  openStore,
  type Runtime,
  scripted,
  type Session,
  ThroughlineError,
} from "../../packages/throughline/src/index.ts";
import type { Cluster } from "./cluster.ts";

const clients = 8;
/** Milliseconds between two messages of a client. */
const pauseMs = 100;
/** Milliseconds after which a client gives up on a call, and sends its message again. */
const hangMs = 10_000;
/** Milliseconds for the answers after the load has ended: more than a lease. */
const answersMs = 90_000;
/** Milliseconds for reading an answer that is there. */
const readMs = 2_000;

const agent = defineAgent({ name: "echo", model: scripted(({ messages }) => ({ text: `You said: ${messages.at(-1)?.text}` })) });

interface Acknowledged {
  readonly session: string;
  readonly text: string;
  readonly offset: number;
}

export interface Load {
  /** Milliseconds on the performance clock at which messages were acknowledged. */
  readonly times: readonly number[];
  /** Calls that failed or hung. Their messages were sent again. */
  readonly failed: number;
  /** Stops writing and judges: what is lost, written twice, and answered. */
  end(): Promise<{ readonly acknowledged: number; readonly lost: number; readonly twice: number; readonly answered: number }>;
}

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const late = new AbortController();
  try {
    return await Promise.race([work, delay(ms, undefined, { signal: late.signal }).then(() => Promise.reject(new Error("hung")))]);
  } finally {
    late.abort();
    work.catch(() => {});
  }
}

/** Starts a process-wide client through PgBouncer, and a worker that knows both servers. */
export async function startLoad(cluster: Cluster): Promise<Load> {
  const pooled = await openStore(cluster.pooled, { listenUrl: cluster.primary });
  const direct = await openStore(cluster.hosts);
  const accepting = await createRuntime({ store: pooled, agents: [agent], work: false });
  const working = await createRuntime({ store: direct, agents: [agent] });
  const acknowledged: Acknowledged[] = [];
  const times: number[] = [];
  let failed = 0;
  const ended = new AbortController();

  const client = async (number: number): Promise<void> => {
    const session = await accepting.sessions.open({ agent, customer: `customer-${number}` });
    for (let count = 0; !ended.signal.aborted;) {
      const text = `message ${count}`;
      try {
        const { offset } = await within(session.post(text, { idempotencyKey: `${number}-${count}` }), hangMs);
        acknowledged.push({ session: session.id, text, offset });
        times.push(performance.now());
        count += 1;
      } catch (error) {
        // A session whose turn waits for its lease takes no more than fifty messages.
        if (!ThroughlineError.is(error, "session.too_many_waiting")) failed += 1;
      }
      await delay(pauseMs);
    }
  };
  const running = Array.from({ length: clients }, (_, number) => client(number));

  return {
    times,
    get failed() {
      return failed;
    },
    async end() {
      ended.abort();
      await Promise.all(running);
      try {
        return await judge(accepting, acknowledged);
      } finally {
        await Promise.all([accepting.close(), working.close()]);
        await Promise.all([pooled.close(), direct.close()]);
      }
    },
  };
}

async function judge(
  runtime: Runtime,
  acknowledged: readonly Acknowledged[],
): Promise<{ readonly acknowledged: number; readonly lost: number; readonly twice: number; readonly answered: number }> {
  const counts = { acknowledged: acknowledged.length, lost: 0, twice: 0, answered: 0 };
  const bySession = Map.groupBy(acknowledged, ({ session }) => session);
  const end = performance.now() + answersMs;
  for (const [id, messages] of bySession) {
    const session = await runtime.sessions.get(id);
    const written = new Map<string, number>();
    for await (const event of session.events({ kinds: ["message"], source: "customer", follow: false })) {
      if (event.kind !== "message") continue;
      const text = event.data.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      written.set(text, (written.get(text) ?? 0) + 1);
    }
    for (const { text, offset } of messages) {
      const copies = written.get(text) ?? 0;
      if (copies === 0) counts.lost += 1;
      if (copies > 1) counts.twice += 1;
      if (copies !== 1) continue;
      if (await isAnswered(session, offset, Math.max(readMs, end - performance.now()))) counts.answered += 1;
    }
  }
  return counts;
}

/** Whether the turn of a message was completed. Says on stderr why not. */
async function isAnswered(session: Session, offset: number, ms: number): Promise<boolean> {
  try {
    const { status } = await within(session.outcome(offset), ms);
    if (status !== "completed") console.error(`${session.id}, offset ${offset}: ${status}`);
    return status === "completed";
  } catch (error) {
    const { turns, waiting } = await session.pending();
    console.error(`${session.id}, offset ${offset}: ${String(error)}; open turns ${JSON.stringify(turns)}, waiting ${JSON.stringify(waiting)}`);
    return false;
  }
}
