/** Conversations of people with an agent whose parts fail, one message after the other. */
import "./loaded.ts";
import { createRuntime, type Runtime, type Session } from "../../../packages/throughline/src/index.ts";
import type { Logger } from "../../../packages/throughline/src/kernel/log.ts";
import { createIds } from "../../../packages/throughline/src/kernel/id.ts";
import { createChooser, fixedRandom } from "../../../packages/throughline/src/testing/test-clock.ts";
import type { Clock } from "../../../packages/throughline/src/kernel/clock.ts";
import type { Store } from "../../../packages/throughline/src/store/port.ts";
import { type AssessmentRecord, type CrisisPlan, findRegions } from "../../../packages/throughline/src/safety.ts";
import { type Victim, sound, victim } from "./agent.ts";
import { type Faults, faultsOf } from "./faults.ts";
import { faultyStore } from "./faulty-store.ts";
import { judge, type Sent } from "./law.ts";
import { type Message, messageOf } from "./messages.ts";
import { virtualClock } from "./virtual-clock.ts";

export interface GateRunOptions {
  readonly turns: number;
  readonly seed: number;
  /** Milliseconds of real time in which nothing happens, until it is believed that nothing will: what works outside of this process needs some. */
  readonly patienceMs?: number;
  /** Milliseconds of a lease: real ones where the store has a clock of its own. */
  readonly leaseMs?: number;
  /** Opens an empty store; it is closed in the end. */
  readonly open: (clock: Clock) => Promise<Store>;
  readonly progress?: (turns: number) => void;
}

export interface GateReport {
  readonly turns: number;
  readonly by_level: Readonly<Record<string, number>>;
  readonly unsaved: number;
  readonly static_replies: number;
  readonly store_failures: number;
  readonly audited: number;
  readonly spooled: number;
  readonly violations: readonly string[];
}

/** No reply may take longer than that, by the clock of the run. */
const mostMs = 10 * 60 * 1_000;
/** By then what waited for the store is in it. */
const drainedMs = 5 * 60 * 1_000;
/** Messages of one conversation. */
const longest = 9;

interface World {
  readonly runtime: Runtime;
  readonly raw: Store;
  readonly one: Victim;
  readonly logs: string[];
  readonly timing: ReturnType<typeof virtualClock>;
  readonly faulty: ReturnType<typeof faultyStore>;
}

function remembering(logs: string[]): Logger {
  const write = (message: string, fields = {}): void => void logs.push(JSON.stringify({ message, fields }));
  return { debug: write, info: write, warn: write, error: write };
}

/** All assessments that the store has. */
async function rowsOf(store: Store): Promise<readonly AssessmentRecord[]> {
  const rows: AssessmentRecord[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.list({ of: "records", kind: "assessment", limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.items.map(({ data }) => data as unknown as AssessmentRecord));
    if (page.next_cursor === null) return rows;
    cursor = page.next_cursor;
  }
}

/** Sends one message while parts fail, and notes all that a judge needs. */
async function send(
  { one, raw, logs, timing, faulty }: World,
  session: Session,
  given: { readonly faults: Faults; readonly message: Message; readonly previous: Sent | undefined; readonly named: readonly string[] },
): Promise<Sent> {
  const { faults, message, previous, named } = given;
  const before = {
    model: one.asked.model.length,
    classifier: one.asked.classifier.length,
    spooled: one.spooled.length,
    logs: logs.length,
    failed: faulty.failed(),
    at: timing.elapsed(),
  };
  one.suffer(faults);
  faulty.fail(faults.store);
  timing.jump(faults.jump ?? 0);
  const result = await timing.run(session.send(message.text), mostMs).then(
    (value) => ({ value, thrown: undefined }),
    (error: unknown) => ({ value: undefined, thrown: String(error) }),
  );
  one.suffer({});
  faulty.fail(undefined);
  timing.jump(0);
  const { value, thrown } = result;
  const read = value?.turn_id === undefined ? undefined : await raw.read({ session_id: session.id, min_offset: value.offset, limit: 500 });
  const events = (read?.events ?? []).filter(({ turn_id }) => turn_id === value?.turn_id);
  const loaded = await session.state().catch(() => undefined);
  const plan = (loaded?.document as { readonly safety_plan?: CrisisPlan } | undefined)?.safety_plan;
  return {
    ...message,
    faults,
    thrown,
    reply: value?.reply,
    saved: value?.saved === undefined,
    turn_id: value?.turn_id,
    audit_ids: events.filter(({ kind }) => kind === "assessment").map(({ data }) => JSON.stringify(data["audit_id"]).slice(1, -1)),
    said: events.filter(({ kind, source }) => kind === "message" && source === "ai_agent").map(({ data }) => JSON.stringify(data["parts"])),
    screened: sound.screen(message.text).level,
    // A place that was named in a message which no store has taken is known to the process that has answered it.
    regions: [...new Set([...named, ...(plan?.regions ?? []), ...findRegions(message.text).regions])],
    highest: plan?.highest ?? 0,
    spooled: one.spooled.slice(before.spooled),
    logs: logs.slice(before.logs),
    // Others may be answered at the same time, whose turns have failed before.
    asked: {
      model: one.asked.model.slice(before.model).filter((text) => text.includes(message.canary)).length,
      classifier: one.asked.classifier.slice(before.classifier).filter((text) => text.includes(message.canary)).length,
    },
    failed: faulty.failed() - before.failed,
    after_failure: previous !== undefined && previous.failed > 0,
    ms: timing.elapsed() - before.at,
  };
}

/** Runs so many turns, and judges them. */
export async function gateRun({ turns, seed, open, patienceMs = 0, leaseMs, progress = () => {} }: GateRunOptions): Promise<GateReport> {
  const dice = createChooser(seed);
  const timing = virtualClock({ patienceMs });
  const raw = await open(timing.storeClock);
  const faulty = faultyStore(raw, { dice, outside: timing.outside });
  const one = victim({ clock: timing.clock });
  const logs: string[] = [];
  const runtime = await createRuntime({
    store: faulty.store,
    agents: [one.agent],
    clock: timing.clock,
    ids: createIds({ clock: timing.clock, random: fixedRandom(seed) }),
    logger: remembering(logs),
    safetySpool: one.spool,
    pollMs: 20_000,
    ...(leaseMs === undefined ? {} : { leaseMs, heartbeatMs: leaseMs / 3 }),
  });
  const world: World = { runtime, raw, one, logs, timing, faulty };
  const sent: Sent[] = [];
  let session: Session | undefined;
  for (let turn = 0, left = 0; turn < turns; turn++, left--) {
    const isNew = session === undefined || left <= 0;
    if (session === undefined || isNew) {
      session = await timing.run(runtime.sessions.create({ agent: "companion", ...dice.maybe(0.1, () => ({ incognito: true })) }), mostMs);
      left = dice.integer(1, longest);
    }
    sent.push(
      await send(world, session, {
        faults: faultsOf(dice),
        message: messageOf(dice),
        previous: sent.at(-1),
        named: isNew ? [] : (sent.at(-1)?.regions ?? []),
      }),
    );
    if ((turn + 1) % 1_000 === 0) progress(turn + 1);
  }
  // The store is back: what waits gets there.
  await timing.run(timing.clock.sleep(drainedMs), mostMs);
  await timing.run(runtime.close({ drainMs: 0 }), mostMs);
  const rows = await rowsOf(raw);
  await raw.close();
  const verdict = judge(sent, { rows, spooled: one.spooled });
  return { ...verdict, turns, store_failures: faulty.failed(), audited: rows.length, spooled: one.spooled.length };
}
