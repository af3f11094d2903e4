/** Turns of a gated agent that another process takes over, in the middle of what they do. */
import { expect, test } from "vitest";
import { type Agent, createRuntime, openStore, type Runtime, type Session, type Store } from "../../../packages/throughline/src/index.ts";
import { mortalStore, type Death } from "../../../packages/throughline/src/testing/mortal-store.ts";
import { collect, started, until } from "../harness.ts";
import { assessments, gated, saying } from "./harness.ts";

const ideation = "I want to die";
const imminent = "I took all my pills an hour ago, goodbye everyone";

/** A process that will die: nobody closes it. */
const doomed = (store: Store, agent: Agent): Promise<Runtime> =>
  createRuntime({ store, agents: [agent], leaseMs: 500, heartbeatMs: 100, pollMs: 1_000 });

/** A process that dies at a commit, and one that takes over; both judge by classifiers that count how often they are asked. */
async function twoLives(death: Death, { text, incognito = false }: { readonly text: string; readonly incognito?: boolean }) {
  const store = await openStore(":memory:");
  let asked = 0;
  const classifier = saying(() => {
    asked += 1;
    return Promise.resolve({ level: 3, confidence: "high", risk_types: ["suicide"], subject: "self", reason_code: "plan", evidence_span: "" });
  });
  const mortal = mortalStore(store, death);
  const first = await doomed(mortal.store, gated({ classifier }).agent);
  const session = await first.sessions.create({ agent: "companion", incognito });
  session.post(text).catch(() => {});
  await until(() => mortal.isDead());
  await mortal.died;
  const { agent, requests } = gated({ classifier }, { answer: () => "I am here with you. Is somebody with you right now?" });
  const second = await started({ store, agents: [agent] });
  const again = await second.sessions.get(session.id);
  const events = await ended(again);
  return { store, again, events, asked: () => asked, requests, second };
}

/** The log, once a turn has ended in it. */
async function ended(session: Session): Promise<Awaited<ReturnType<typeof collect>>> {
  for (;;) {
    const events = await collect(session);
    if (events.some(({ kind, data }) => kind === "turn" && "type" in data && data.type === "ended")) return events;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const assessed = (events: Awaited<ReturnType<typeof collect>>): number => events.filter(({ kind }) => kind === "assessment").length;
const replies = (events: Awaited<ReturnType<typeof collect>>): number =>
  events.filter(({ kind, source }) => kind === "message" && source === "ai_agent").length;

// Commits of the first life: the session, the message, the person's secret (not for incognito), what the gate has found, the end.
test.each([
  { what: "after the gate's verdict is on record", death: { at: "after", commit: 4 }, incognito: false },
  { what: "before the end is written", death: { at: "before", commit: 5 }, incognito: false },
  { what: "after the verdict of an incognito session", death: { at: "after", commit: 3 }, incognito: true },
] as const)("a process that dies $what leaves the verdict to the next: one call, one event, one row", async ({ death, incognito }) => {
  const { store, events, asked, again } = await twoLives(death, { text: ideation, incognito });
  expect(asked()).toBe(1);
  expect({ assessed: assessed(events), replies: replies(events) }).toEqual({ assessed: 1, replies: 1 });
  const rows = await assessments(store);
  expect(rows).toMatchObject([{ level: 3, level_llm: 3, path: "union", action: "crisis_reply", reply_completed: true }]);
  const event = events.find(({ kind }) => kind === "assessment");
  expect(event?.data).toMatchObject({ audit_id: rows[0]?.audit_id });
  expect((await again.state()).document).toMatchObject({ safety_plan: { highest: 3, replies: 1 } });
});

test("a process that dies before anything is on record leaves the turn to be judged anew, once", async () => {
  const { store, events, asked } = await twoLives({ at: "before", commit: 4 }, { text: ideation });
  expect(asked()).toBe(2);
  expect({ assessed: assessed(events), replies: replies(events), rows: (await assessments(store)).length }).toEqual({
    assessed: 1,
    replies: 1,
    rows: 1,
  });
});

test("a plain level 3 of which its process dies is answered by the next from sentences", async () => {
  const { store, events, requests } = await twoLives({ at: "before", commit: 4 }, { text: imminent });
  expect({ assessed: assessed(events), replies: replies(events), requests: requests.length }).toEqual({ assessed: 1, replies: 1, requests: 0 });
  expect(await assessments(store)).toMatchObject([{ level: 3, path: "static", action: "static_reply" }]);
});

/** Lives that end with the first request to their model. */
async function lostLives(store: Store, lives: number): Promise<{ readonly id: string }> {
  let id: string | undefined;
  for (let life = 0; life < lives; life++) {
    const mortal = mortalStore(store);
    const model = {
      name: "deadly",
      async *stream() {
        mortal.die();
        await new Promise(() => {});
        yield { type: "text_delta" as const, text: "" };
      },
    };
    const runtime = await doomed(mortal.store, gated({}, { model }).agent);
    if (id === undefined) {
      const session = await runtime.sessions.create({ agent: "companion" });
      id = session.id;
      session.post(ideation).catch(() => {});
    }
    await mortal.died;
  }
  return { id: id ?? "" };
}

test("the third claim of a message that kills its workers is answered from sentences, without a model or a classifier", async () => {
  const store = await openStore(":memory:");
  const { id } = await lostLives(store, 2);
  let asked = 0;
  const { agent, requests } = gated({ classifier: saying(() => (asked++, new Promise(() => {}))) });
  const last = await started({ store, agents: [agent] });
  const events = await ended(await last.sessions.get(id));
  const [reply, ...others] = events.filter(({ kind, source }) => kind === "message" && source === "ai_agent");
  expect(others).toEqual([]);
  expect(JSON.stringify(reply?.data)).toMatch(/take it seriously|means a lot|glad you told/iu);
  expect({ asked, requests: requests.length }).toEqual({ asked: 0, requests: 0 });
  expect(await assessments(store)).toMatchObject([{ level: 2, action: "static_reply", reply_completed: true }]);
});
