/** Plays the conversation on a database in a file, with a clock and ids that are the same every time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CompanionRuntime, createCompanionRuntime, type EndEnvelope } from "../../packages/companion/src/companion-runtime.ts";
import { contextLine } from "../../packages/companion/src/turn-output.ts";
import { type Clock, type JsonObject, openStore, type Session, type Store, systemClock } from "../../packages/throughline/src/index.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import type { Line, SessionScript } from "./script.ts";

/** A turn as it went. */
export interface PlayedTurn {
  readonly is: "turn";
  readonly at: number;
  readonly said: string;
  readonly reply: string;
  readonly context: string;
  readonly output: JsonObject;
  /** The state before and after the turn. */
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** What a client had to show before the reply: that this is an AI. */
  readonly disclosed: readonly string[];
}

/** What happened between two turns. */
export interface PlayedEvent {
  readonly is: "restart" | "export";
  readonly about: string;
  /** What came of it. */
  readonly shown?: string;
}

/** A session as it went, and what is said at its end. */
export interface PlayedSession {
  readonly script: SessionScript;
  readonly number: number;
  readonly items: readonly (PlayedTurn | PlayedEvent)[];
  readonly end: EndEnvelope;
}

/** An evening on which the table of services is up to date. */
const firstEvening = Date.UTC(2026, 10, 23, 19, 0);
const hour = 3_600_000;

/** Time that stands still in a turn, and goes on where the script says so. */
function scriptClock(): Clock & { readonly pass: (ms: number) => void } {
  let now = firstEvening;
  return {
    now: () => now,
    monotonic: () => now,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    pass: (ms) => {
      now += ms;
    },
  };
}

/** Counts up: ids need not be unpredictable here. */
function countingRandom() {
  let count = 0;
  return { bytes: (size: number): Uint8Array => new Uint8Array(size).map(() => (count = (count + 7) % 251)) };
}

/** A companion on a file that can be ended and started again, as a process is. */
class Stage {
  readonly clock = scriptClock();
  readonly #folder = mkdtempSync(join(tmpdir(), "transcript-"));
  readonly #ids = createIds({ clock: this.clock, random: countingRandom() });
  #running: { readonly store: Store; readonly companion: CompanionRuntime } | undefined;

  async companion(): Promise<CompanionRuntime> {
    if (this.#running === undefined) {
      const store = await openStore(join(this.#folder, "companion.db"));
      this.#running = { store, companion: await createCompanionRuntime({ store, clock: this.clock, ids: this.#ids }) };
    }
    return this.#running.companion;
  }

  async end(): Promise<void> {
    await this.#running?.companion.close();
    await this.#running?.store.close();
    this.#running = undefined;
  }

  async close(): Promise<void> {
    await this.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const person = "ada";

const sessionOf = ({ runtime, context }: CompanionRuntime, { thread, incognito = false }: SessionScript): Promise<Session> =>
  runtime.sessions.open({ agent: context.name, key: thread, customer: person, incognito, metadata: { external_id: thread } });

/** The disclosures since an offset. */
async function disclosedSince(session: Session, minOffset: number): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { kind, data } of session.events({ minOffset, kinds: ["session"], follow: false }))
    if (kind === "session" && data.type === "disclosure") texts.push(data.text);
  return texts;
}

async function said(session: Session, text: string, at: number): Promise<PlayedTurn> {
  const before = (await session.state()).document;
  const outcome = await session.send(text);
  const { document: after } = await session.state();
  const { reply = "", output, offset } = outcome;
  const disclosed = await disclosedSince(session, offset);
  return { is: "turn", at, said: text, reply, context: contextLine(output), output, before, after, disclosed };
}

async function played(stage: Stage, script: SessionScript, line: Line): Promise<PlayedTurn | PlayedEvent> {
  if (typeof line === "string") {
    stage.clock.pass(2 * 60_000);
    return said(await sessionOf(await stage.companion(), script), line, stage.clock.now());
  }
  if ("restart" in line) {
    await stage.end();
    return { is: "restart", about: line.restart };
  }
  const shown = await (await stage.companion()).runtime.customers.memory(person).export({ format: "markdown" });
  return { is: "export", about: line.export, shown };
}

/** Plays all sessions, one after the other. */
export async function play(scripts: readonly SessionScript[]): Promise<readonly PlayedSession[]> {
  const stage = new Stage();
  const sessions: PlayedSession[] = [];
  try {
    for (const [index, script] of scripts.entries()) {
      stage.clock.pass(script.hoursLater * hour);
      const items: (PlayedTurn | PlayedEvent)[] = [];
      for (const line of script.lines) items.push(await played(stage, script, line));
      const end = await (await stage.companion()).endSession({ session_id: script.thread, user_id: person });
      sessions.push({ script, number: index + 1, items, end });
    }
    return sessions;
  } finally {
    await stage.close();
  }
}
