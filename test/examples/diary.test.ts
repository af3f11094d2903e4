import { createRuntime, openStore, type Session } from "../../packages/throughline/src/index.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agent } from "../../examples/diary/agent.ts";
import { careText } from "../../examples/diary/care.ts";
import { dayOf } from "../../examples/diary/nights.ts";

/** Friday, 20 November 2026, nine in the morning, wherever the test runs. */
const morning = new Date(2026, 10, 20, 9).getTime();
const aDay = 86_400_000;

let session: Session;
let now = morning;
let close = async (): Promise<void> => {};

beforeEach(async () => {
  now = morning;
  const store = await openStore(":memory:");
  const clock = {
    now: () => now,
    monotonic: () => performance.now(),
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
  };
  const runtime = await createRuntime({ store, agents: [agent], clock });
  session = await runtime.sessions.create({ agent: "diary" });
  close = async () => {
    await runtime.close();
    await store.close();
  };
});
afterEach(() => close());

const say = async (...texts: readonly string[]): Promise<string> => {
  let reply = "";
  for (const text of texts) {
    const result = await session.send(text);
    expect(result.status).toBe("completed");
    reply = result.reply ?? "";
  }
  return reply;
};
const state = async (): Promise<unknown> => (await session.state()).document;

describe("a diary", () => {
  test("keeps what it is told, and mentions it", async () => {
    expect(await say("Hi")).toBe("Hello! I keep a sleep diary. What is your name, and when did you go to bed last night?");
    expect(await say("I'm Ada")).toBe("Nice to meet you, Ada. When did you go to bed last night, and when did you wake up?");
    expect(await say("I went to bed at 23:40 and slept at two")).toBe("Noted, Ada: in bed at 23:40 and asleep at 02:00 on the night of 2026-11-19.");
    expect(await say("woke at 7")).toBe("Noted, Ada: in bed at 23:40, asleep at 02:00 and up at 07:00 on the night of 2026-11-19.");
    expect(await state()).toEqual({
      user_name: "Ada",
      nights: [{ date: "2026-11-19", bed: "23:40", asleep: "02:00", woke: "07:00" }],
      streak: 1,
      average_bedtime: "23:40",
      goals: [],
    });
  });

  test("tells how long a night was", async () => {
    await say("I went to bed at 23:00", "slept from 23:30 to 7:15");
    expect(await say("how long did I sleep?")).toBe("About 7 h 45 min on the night of 2026-11-19: in bed at 23:00, asleep at 23:30 and up at 07:15.");
  });

  test("counts nights in a row, and loses the streak with a gap", async () => {
    await say("I went to bed at 23:00");
    now += aDay;
    expect(await say("I went to bed at 00:00")).toBe(
      "Noted: in bed at 00:00 on the night of 2026-11-20. That makes 2 nights in a row. On average your night begins at 23:30.",
    );
    expect(await say("what is my streak?")).toBe("Your streak is 2 nights.");
    now += 3 * aDay;
    expect(await say("what is my streak?")).toMatch(/^There is no streak at the moment/);
    expect(await state()).toMatchObject({ streak: 0, nights: [{ date: dayOf(morning, 1) }, { date: dayOf(morning) }] });
  });

  test("a correction replaces the night, a repetition changes nothing", async () => {
    await say("I went to bed at 23:00", "Actually I went to bed at 23:30");
    const { head } = await session.info();
    await say("I went to bed at 23:30");
    expect(await state()).toMatchObject({ nights: [{ date: "2026-11-19", bed: "23:30" }] });
    const changes = [];
    for await (const event of session.events({ minOffset: head + 1, kinds: ["state"], follow: false })) changes.push(event);
    expect(changes).toEqual([]);
  });

  test("forgets what it is asked to forget, and nothing else", async () => {
    await say("I'm Ada", "I went to bed at 23:00", "I want to be asleep by 11");
    expect(await say("Please forget my name")).toBe("Done: I no longer have your name. The nights stay; say so if they should go, too.");
    expect(await state()).toEqual({
      nights: [{ date: "2026-11-19", bed: "23:00" }],
      goals: ["be asleep by 11"],
      streak: 1,
      average_bedtime: "23:00",
    });
    expect(await say("what is my name?")).toBe("You have not told me your name yet.");
    await say("forget everything");
    expect(await state()).toEqual({ nights: [], goals: [] });
    expect(await say("what do you know about me?")).toBe("Nothing yet. Tell me your name, or when you went to bed.");
  });

  test.each([
    [
      "what do you know about me?",
      /^This is all I know: your name is Ada; .*2026-11-19: in bed at 23:00; your streak is 1 night; .*23:00; your goal is to be asleep by 11\.$/,
    ],
    ["thanks!", /^You are welcome, Ada\.$/],
    ["Hello again", /^Hello again, Ada\. Your last night here is 2026-11-19: in bed at 23:00\./],
    ["good night", /^Sleep well, Ada\./],
    ["when did I go to bed?", /2026-11-19: in bed at 23:00\.$/],
    ["what's my average?", /^Over 1 night your night begins at 23:00/],
    ["what are my goals?", /^You want to be asleep by 11\.$/],
    ["I didn't go to bed at all", /^That sounds like a long night, Ada\. I have written down no time/],
    ["I'm so tired", /^I am sorry to hear that, Ada/],
    ["are you an AI?", /no language model\./],
    [
      "What is the capital of France?",
      /^That is more than I can answer: I am an offline rules engine, not a language model\..*examples\/diary\/README\.md\.$/,
    ],
    ["how long did I sleep?", /^I would need to know when you fell asleep and when you woke up\.$/],
    ["i'm ada", /^If ada is your name, tell me so/],
    ["i went to bed late", /^I keep times\./],
    ["what model are you", /no language model\./],
    ["I feel terrible today", /^I am sorry to hear that, Ada/],
    ["my friend's name is Bob", /^I did not find anything for the diary in that/],
  ])("answers %j", async (text, reply) => {
    await say("I'm Ada", "I went to bed at 23:00", "I want to be asleep by 11");
    const before = await state();
    expect(await say(text)).toMatch(reply);
    expect(await state()).toEqual(before);
  });

  test("whoever speaks of wanting to die is told to turn to people, and nothing of it goes into the diary", async () => {
    expect(await say("I'm Ada, I want to go to sleep and never wake up")).toBe(careText);
    expect(careText).toContain("local emergency services");
    expect(careText).not.toMatch(/\d{3}/);
    expect(await state()).toEqual({ nights: [], goals: [] });
  });
});
