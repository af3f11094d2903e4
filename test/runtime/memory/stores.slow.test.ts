/** Memory on every store: what is remembered in one process is known in another, ranked alike, forgotten alike. */
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type Session, type Store } from "../../../packages/throughline/src/index.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { emptyPostgresDatabase, newPostgresDatabase, newSqliteFile, noPostgres } from "../../setup/database.ts";
import { encryption } from "../../encryption/stores.ts";
import { collect, started } from "../harness.ts";
import { letters, remembering, rowsOf } from "./harness.ts";

const minute = 60_000;

/** Opens the same database as often as it is asked to. */
type Open = () => Promise<Store>;

function opening(location: string, options: Parameters<typeof openStore>[1] = {}): Open {
  return async () => {
    const store = await openStore(location, { durability: "relaxed", ...options });
    onTestFinished(() => store.close());
    return store;
  };
}

const places: Readonly<Record<string, () => Promise<Open>>> = {
  memory: async () => {
    const store = await openStore(":memory:");
    return async () => store;
  },
  SQLite: async () => opening(newSqliteFile()),
  "SQLite, encrypted": async () => opening(newSqliteFile(), { encryption }),
  ...(noPostgres === undefined
    ? {
        PostgreSQL: async () => opening(await emptyPostgresDatabase()),
        "PostgreSQL, encrypted": async () => opening(await newPostgresDatabase(), { encryption }),
      }
    : {}),
};

const said = [
  "My sister Ana lives in Lisbon and she called me last night.",
  "I am worried about the exam on Thursday, it never leaves my head.",
  "The exam worries me so much that I hardly sleep at the moment.",
  "My brother Tom plays the cello in an orchestra.",
];

/** The recalls of a session, with neither times nor ids that are made by chance. */
async function recallsOf(session: Session, sessions: readonly Session[]): Promise<readonly unknown[]> {
  const turns = await collect(session, { kinds: ["turn"] });
  const recalls = turns.flatMap((event) => (event.kind === "turn" && event.data.type === "stage" && event.data.recall ? [event.data.recall] : []));
  const named = sessions.reduce((text, { id }, index) => text.replaceAll(id, `session ${index}`), JSON.stringify(recalls));
  return JSON.parse(named, (key, value: unknown) => (key.endsWith("_ms") ? undefined : value)) as readonly unknown[];
}

/** One person's memory from the first word to the last, in two processes. What was recalled on the way. */
async function live(open: Open) {
  const clock = fixedClock();
  const options = { clock, leaseMs: 600_000, heartbeatMs: 1_000, pollMs: 1_000 };
  const { agent, requests } = remembering({ embedding: letters });
  const here = await started({ agents: [agent], store: await open(), ...options });
  const there = await started({ agents: [agent], store: await open(), ...options });
  const first = await here.sessions.open({ agent: "friend", customer: "ada", key: "1" });
  for (const text of said) await first.send(text);
  // The other process has read nothing yet; then it must hear of each word.
  const second = await there.sessions.open({ agent: "friend", customer: "ada", key: "2" });
  await second.send("Where does my sister live?");
  await first.send("My sister's dog is called Pepper.");
  await second.send("What is the dog of my sister called?");
  expect(JSON.stringify(requests.at(-2))).toContain("Ana lives in Lisbon");
  expect(JSON.stringify(requests.at(-1))).toContain("Pepper");
  const vectors = async (): Promise<number> => (await rowsOf(here, "ada")).filter(({ kind, data }) => kind === "vector" && data !== null).length;
  await expect.poll(async () => (clock.advance(1_000), vectors())).toBeGreaterThanOrEqual(said.length + 3);
  await second.send("What does my brother play?");
  return { clock, here, there, first, second, requests };
}

describe.each(Object.keys(places))("memory in %s", (name) => {
  it("is one memory for two processes, from the first word to forgetting", async () => {
    const { clock, here, there, first, second, requests } = await live(await places[name]!());
    expect(await recallsOf(second, [first, second])).toEqual(await expected());
    clock.advance(21 * minute);
    const reports = (await Promise.all([here.closeEpisodes(), there.closeEpisodes()])).flat();
    expect(reports.map(({ session_id }) => session_id).toSorted()).toEqual([first.id, second.id].toSorted());
    const mine = there.customers.memory("ada");
    const kept = await mine.remember({ quote: "I live in Berlin", predicate: "LIVES_IN", object: { type: "Place", id: "Berlin" } });
    await mine.correct(kept.entry_id, { object: "Porto", quote: "no, I live in Porto" });
    await first.send("Which town do I live in?");
    expect(JSON.stringify(requests.at(-1)?.sections)).toContain("Porto");
    expect(JSON.stringify(requests.at(-1)?.sections)).not.toContain("Berlin");
    const about = (await mine.find("Ana sister Lisbon")).filter(({ entry }) => /Ana|sister/.test(JSON.stringify(entry)));
    const forgotten = await mine.forget(
      about.map(({ entry_id }) => entry_id),
      { messages: true },
    );
    expect(forgotten.redacted.map(({ session_id }) => session_id)).toContain(first.id);
    for (const session of [first, second]) {
      await session.send("Where does my sister Ana live?");
      expect(JSON.stringify(requests.at(-1))).not.toMatch(/Lisbon/);
    }
    const { owner_id } = await here.customers.get("ada");
    expect(JSON.stringify(await here.store.entries({ owner_id, limit: 1_000 }))).not.toContain("Lisbon");
    expect(JSON.stringify(await mine.export({ format: "json" }))).not.toContain("Lisbon");
    expect(await mine.export({ format: "markdown" })).toContain("Porto");
  });
});

let reference: Promise<readonly unknown[]> | undefined;

/** What is recalled on the in-memory store. */
async function expected(): Promise<readonly unknown[]> {
  reference ??= places["memory"]!()
    .then(live)
    .then(({ first, second }) => recallsOf(second, [first, second]));
  return reference;
}
