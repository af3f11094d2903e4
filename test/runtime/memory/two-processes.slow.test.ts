/** Two processes close the same episodes while the person corrects, forgets, pins and prefers through both: nothing twice, nothing lost, nothing back. */
import { expect, onTestFinished, test } from "vitest";
import { inForce, mostRules, type Fact } from "../../../packages/throughline/src/memory/entry.ts";
import { factKey } from "../../../packages/throughline/src/memory/write/key.ts";
import type { Runtime, Store } from "../../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../../setup/database.ts";
import { customer, rememberingRuntime, type Deed } from "./pair/deeds.ts";
import { memoryProcess, type MemoryProcess } from "./pair/process.ts";

/** `MEMORY_ROUNDS=200` for more. */
const rounds = Number(process.env["MEMORY_ROUNDS"] ?? 6);

/** A number as a word of letters. */
const word = (of: string, round: number): string =>
  `${of}${String(round)
    .split("")
    .map((digit) => "abcdefghij"[Number(digit)])
    .join("")}x`;

interface Acknowledged {
  readonly rules: Set<string>;
  /** Corrections in order: what stands is the last. */
  readonly corrected: string[];
  readonly forgotten: string[];
  readonly pinned: Set<string>;
}

/** Two conversations say the same, and end; then everything at once. */
async function oneRound(runtime: Runtime, [left, right]: readonly [MemoryProcess, MemoryProcess], round: number, done: Acknowledged): Promise<void> {
  const said = [`I live in ${word("town", round)}.`, `I like ${word("tea", round % 3)}.`, `I hide ${word("gem", round)}.`];
  const sessions = await Promise.all(
    ["one", "two"].map(async (key, index) => {
      const session = await runtime.sessions.open({ agent: "friend", customer, key: `${key}-${round}` });
      for (const text of said) await (index === 0 ? left : right).perform({ type: "say", key: `${key}-${round}`, text });
      await session.endEpisode();
      return session.id;
    }),
  );
  const [first = "", second = ""] = sessions;
  const both = (deed: Deed): readonly Promise<string>[] => [left.perform(deed), right.perform(deed)];
  const [rule, home, secret] = [`Say ${word("please", round)} to me.`, word("home", round), word("gem", round - 1)];
  const results = await Promise.all([
    ...both({ type: "close", session: first }),
    ...both({ type: "close", session: second }),
    left.perform({ type: "prefer", text: rule }),
    right.perform({ type: "prefer", text: `${rule} And thanks.` }),
    left.perform({ type: "say", key: "chat", text: `And here is note ${word("note", round)}.` }),
    right.perform({ type: "say", key: "chat-2", text: `And there is note ${word("note", round)}.` }),
  ]);
  done.rules.add(results[4] ?? "").add(results[5] ?? "");
  // While the next closing is under way, the person says otherwise.
  const again = await runtime.sessions.open({ agent: "friend", customer, key: `again-${round}` });
  for (const text of [`I live in ${word("elsewhere", round)}.`, said[1] ?? "", `I hide ${secret}.`])
    await left.perform({ type: "say", key: `again-${round}`, text });
  await again.endEpisode();
  const [, , corrected, , pinned] = await Promise.all([
    ...both({ type: "close", session: again.id }),
    right.perform({ type: "correct", find: done.corrected.at(-1) ?? word("town", round), object: home }),
    left.perform({ type: "forget", find: secret, messages: round % 2 === 0 }),
    right.perform({ type: "pin", find: word("tea", round % 3) }),
  ]);
  if (corrected !== "none") done.corrected.push(home);
  if (pinned !== undefined && pinned !== "none") done.pinned.add(pinned);
  done.forgotten.push(secret);
  // Forgetting is whole for what there was when it was asked for; what was closed after it is forgotten now.
  await right.perform({ type: "forget", find: secret, messages: false });
  for (const one of [...sessions, again.id]) await right.perform({ type: "close", session: one });
}

async function audit(runtime: Runtime, store: Store, done: Acknowledged): Promise<void> {
  const { owner_id } = await runtime.customers.get(customer);
  const { facts, arcs, turns, profile } = await runtime.customers.memory(customer).export({ format: "json" });
  const standing = facts.filter(({ entry }) => inForce(entry));
  const keys = standing.map(({ entry }) => factKey(entry));
  expect(new Set(keys).size, "one entry a fact").toBe(keys.length);
  const isHome = ({ predicate, authority }: Fact): boolean => predicate === "LIVES_IN" && authority === "person";
  const homes = standing.filter(({ entry }) => isHome(entry)).map(({ entry }) => entry.object.id);
  expect(homes, "the person's last word stands").toEqual(done.corrected.slice(-1));
  const episodes = arcs.map(({ entry }) => `${entry.session_id} ${entry.episode}`);
  expect(new Set(episodes).size, "one arc an episode").toBe(episodes.length);
  expect(episodes.length).toBeGreaterThanOrEqual(rounds * 2);
  expect(profile.rules.length).toBeLessThanOrEqual(mostRules);
  const rules = [...profile.rules, ...profile.archived].map(({ id }) => id);
  expect(rules.toSorted(), "each rule once, and none lost").toEqual([...done.rules].toSorted());
  expect(turns.filter(({ entry }) => entry.text.includes("note")).length, "each message once").toBe(rounds * 2);
  for (const id of done.pinned) expect(facts.find(({ entry_id }) => entry_id === id)?.entry.pinned, "pinned stays pinned").toBe(true);
  const rows = JSON.stringify(await store.entries({ owner_id, limit: 10_000 }));
  expect(
    done.forgotten.filter((secret) => rows.includes(secret)),
    "nothing forgotten is back",
  ).toEqual([]);
}

async function check(location: string): Promise<void> {
  const { runtime, store, close } = await rememberingRuntime(location, { work: false });
  onTestFinished(close);
  await runtime.customers.create({ id: customer });
  const processes = await Promise.all([memoryProcess(location), memoryProcess(location)]);
  const done: Acknowledged = { rules: new Set(), corrected: [], forgotten: [], pinned: new Set() };
  try {
    for (let round = 1; round <= rounds; round++) await oneRound(runtime, processes, round, done);
  } finally {
    await Promise.all(processes.map((one) => one.close()));
  }
  await audit(runtime, store, done);
}

const timeout = 20_000 + rounds * 5_000;
test("on one SQLite file", { timeout }, () => check(newSqliteFile()));
test.skipIf(noPostgres !== undefined)("on PostgreSQL", { timeout }, async () => check(await emptyPostgresDatabase()));
