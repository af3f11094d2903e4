/** A law: words that were withdrawn, forgotten or erased are in nothing that is committed or sent to a model afterwards, whatever was at work meanwhile. */
import { expect, it } from "vitest";
import { loop, scripted, type Session } from "../../../packages/throughline/src/index.ts";
import type { Extractor } from "../../../packages/throughline/src/memory/write/check-candidate.ts";
import { createChooser, fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { collect, emptyStore, started } from "../harness.ts";
import { remembering } from "./harness.ts";

/** `REMOVED_ROUNDS=500 REMOVED_SEED=7` for more, or others. */
const rounds = Number(process.env["REMOVED_ROUNDS"] ?? 12);
const seed = Number(process.env["REMOVED_SEED"] ?? 20_261_122);

const customer = { agent: "friend", customer: "ada" };

/** Work that waits until the test lets one piece of it go on, in any order. */
function holdUp() {
  const held: (() => void)[] = [];
  return {
    wait: (): Promise<void> => new Promise((resolve) => held.push(resolve)),
    get size(): number {
      return held.length;
    },
    release(place: number): void {
      held.splice(place, 1)[0]?.();
    },
  };
}

/** The canary words of a text: each message of a person has one of its own. */
const canariesIn = (value: unknown): readonly string[] => [...new Set(JSON.stringify(value ?? null).match(/canary\d+/gu) ?? [])];

it(`nothing that is committed after words were removed quotes them: ${rounds} rounds`, async () => {
  const dice = createChooser(seed);
  const wrong: string[] = [];
  let [removals, drafts, answers] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const clock = fixedClock();
    const work = holdUp();
    const removed = new Set<string>();
    /** Words that an earlier reply had told when they were removed: such a reply is masked only where it says what was forgotten word for word. */
    const told = new Set<string>();
    // Extractors and models are held at work, and repeat every word that they were shown.
    let isHeld = false;
    const extractor: Extractor = {
      name: "slow",
      extract: async ({ turns, replies }) => {
        drafts += 1;
        const words = canariesIn([turns, replies]);
        wrong.push(...words.filter((word) => removed.has(word)).map((word) => `round ${round}: an extractor was shown ${word}`));
        if (isHeld) await work.wait();
        const candidates = turns.map(({ text, offset }) => ({
          ...({ type: "fact", category: "context", subject: { type: "User", id: "user" }, predicate: "WORRIES_ABOUT" } as const),
          ...({ object: { type: "Concern", id: canariesIn(text)[0] ?? "it" }, quote: text, offset, confidence: "high", reason: "said" } as const),
        }));
        return { candidates, arc: { summary: `They spoke of ${words.join(" and ")}.`, themes: [], open_loops: [], resolved: [] }, reason: "said" };
      },
    };
    const model = scripted((request) => {
      const words = canariesIn(request);
      answers += 1;
      wrong.push(...words.filter((word) => removed.has(word) && !told.has(word)).map((word) => `round ${round}: a model was shown ${word}`));
      const asks = request.messages.at(-1)?.text.startsWith("Tell me") === true;
      return { text: asks ? `You told me of ${words.join(" and ")}.` : "I see.", ...(isHeld ? { wait: () => work.wait() } : {}) };
    });
    const { agent } = remembering({ extractor }, { reply: loop({ model }), keepRequests: true });
    const runtime = await started({ agents: [agent], store: await emptyStore("memory"), clock, pollMs: 3_600_000, leaseMs: 600_000 });
    let word = round * 100;
    const said = new Map<string, { readonly session: Session; readonly offset: number }>();
    const sessions: Session[] = [await runtime.sessions.open(customer), await runtime.sessions.create(customer)];
    const talk = async (session: Session): Promise<void> => {
      const { offset } = await session.send(`I am worried about canary${++word} and nothing else today.`);
      said.set(`canary${word}`, { session, offset });
    };
    for (const session of sessions) for (let count = 0; count < 3; count++) await talk(session);
    await sessions[0]?.memory.setRecall(true);
    isHeld = true;
    const running: Promise<unknown>[] = [];
    for (const session of dice.chance(0.7) ? sessions : sessions.slice(1)) {
      const asked = dice.chance(0.5) ? "close" : "ask";
      if (asked === "close") running.push(session.closeEpisode());
      else running.push(session.send("Tell me what you know about my worries."));
    }
    const isOver = Promise.allSettled(running);
    const settle = async (): Promise<void> => {
      for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    await settle();
    const after = (session: Session, from: number): readonly string[] =>
      [...said].flatMap(([name, place]) => (place.session === session && place.offset >= from ? [name] : []));
    const mark = (names: readonly string[], as: Set<string>): void => names.forEach((name) => as.add(name));
    const forget = async (name: string, messages: boolean): Promise<void> => {
      const { items } = await runtime.customers.memory("ada").list({ kind: "turn", limit: 100 });
      const ids = items.flatMap((item) => (JSON.stringify(item).includes(name) ? [item.entry_id] : []));
      if (ids.length > 0) await runtime.customers.memory("ada").forget(ids, { messages });
      mark([name], removed);
    };
    const takeBack = async (name: string, { session, offset }: { readonly session: Session; readonly offset: number }): Promise<void> => {
      const how = dice.one(["withdraw", "forget", "redact", "erase"] as const);
      if (how === "forget" || how === "redact") return forget(name, how === "redact");
      if (how === "withdraw") {
        await session.withdraw({ from: offset });
        // A fork that was made before goes on with what it shares.
        if (sessions.length > 2) mark(after(session, offset), told);
        return mark(after(session, offset), removed);
      }
      await runtime.customers.memory("ada").forget([`session:${session.id}`], { messages: true });
      return mark(after(session, 0), removed);
    };
    for (let step = dice.integer(1, 3); step > 0; step--) {
      if (work.size > 0 && dice.chance(0.3)) work.release(dice.integer(0, work.size - 1));
      // What has gone on by now is committed before the removal, or finds it done.
      await settle();
      const left = [...said].filter(([name]) => !removed.has(name));
      if (left.length === 0) break;
      removals += 1;
      for (const one of sessions) mark(canariesIn((await one.messages()).filter(({ role }) => role === "assistant")), told);
      await takeBack(...dice.one(left));
      if (dice.chance(0.3)) sessions.push(await dice.one(sessions).fork());
      await settle();
    }
    const heads = new Map(
      await Promise.all(sessions.map(async ({ id }) => [id, (await runtime.store.open({ session_id: id }))?.head ?? -1] as const)),
    );
    isHeld = false;
    for (let isDone = false; !isDone;) {
      while (work.size > 0) work.release(dice.integer(0, work.size - 1));
      clock.advance(1_000);
      isDone = await Promise.race([isOver.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
    }
    clock.advance(3_600_000);
    for (const session of sessions) await session.closeEpisode();
    const quoted = (value: unknown): readonly string[] => canariesIn(value).filter((name) => removed.has(name));
    for (const session of sessions) {
      const appended = (await collect(session, { minOffset: (heads.get(session.id) ?? -1) + 1 })).filter(({ kind }) => kind === "message");
      wrong.push(...quoted(appended).map((name) => `round ${round}: a message quotes ${name}`));
    }
    const { owner_id } = await runtime.customers.get("ada");
    wrong.push(...quoted(await runtime.store.entries({ owner_id, limit: 10_000 })).map((name) => `round ${round}: the memory quotes ${name}`));
    for (const session of sessions) await session.send("What is new?");
    const later = await runtime.sessions.create(customer);
    await later.send("What worries me?");
    await runtime.close({ drainMs: 0 });
  }
  expect(wrong.slice(0, 10), `seed ${seed}, ${wrong.length} faults`).toEqual([]);
  expect(removals).toBeGreaterThan(rounds);
  expect(drafts).toBeGreaterThan(rounds);
  expect(answers).toBeGreaterThan(rounds);
}, 120_000);
