/** A person and their memory in their own language, in whole conversations: told, found again, forgotten with a yes. */
import { describe, expect, it } from "vitest";
import { memoryControl } from "../../../packages/throughline/src/memory/turn/memory-control.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { started } from "../harness.ts";
import { remembering, rowsOf, State } from "./harness.ts";

const spoken = {
  es: {
    told: ["Mi hermana Ana toca el violonchelo en Lisboa.", "Ayer Ana me llamó desde Lisboa, la echo de menos.", "Ana es mi hermana mayor."],
    asked: "¿Qué instrumento toca mi hermana?",
    list: "¿Qué recuerdas de mí?",
    forget: "Olvida lo que te dije de Ana",
    unclear: "quizás",
    no: "No, gracias",
    yes: "Sí, por favor",
    secret: /Ana|violonchelo/,
    reply: /sí o no/,
  },
  de: {
    told: [
      "Meine Schwester Ana spielt Cello in Lissabon.",
      "Gestern hat mich Ana aus Lissabon angerufen, ich vermisse sie.",
      "Ana ist meine große Schwester.",
    ],
    asked: "Welches Instrument spielt meine Schwester?",
    list: "Was weißt du über mich?",
    forget: "Vergiss, was ich über Ana gesagt habe",
    unclear: "vielleicht",
    no: "Nein danke",
    yes: "Ja, bitte.",
    secret: /Ana|Cello/,
    reply: /ja oder nein/i,
  },
  zh: {
    told: ["我妹妹小安在里斯本拉大提琴。", "昨天小安从里斯本给我打电话，我很想她。", "小安是我的妹妹。"],
    asked: "我妹妹拉什么乐器？",
    list: "你记得我什么？",
    forget: "忘记我说的关于小安的事",
    unclear: "也许吧",
    no: "不用了",
    yes: "好的，谢谢",
    secret: /小安|大提琴/,
    reply: /[是否]/,
  },
} as const;

const friend = async () => {
  const { agent, requests } = remembering({}, { stages: [memoryControl({ state: State })] });
  const clock = fixedClock(Date.UTC(2026, 10, 1));
  const runtime = await started({ agents: [agent], clock, pollMs: 3_600_000, leaseMs: 600_000, heartbeatMs: 1_000 });
  const open = (key: string) => runtime.sessions.open({ agent: "friend", customer: "ada", key });
  return { runtime, clock, open, requests };
};

describe.each(Object.entries(spoken))("in %s", (_language, { told, asked, list, forget, unclear, no, yes, secret, reply }) => {
  it("what was told is found in another conversation, kept after a no, and gone after a yes", async () => {
    const { runtime, clock, open, requests } = await friend();
    const one = await open("1");
    for (const text of told) await one.send(text);
    clock.advance(21 * 60_000);
    expect(await runtime.closeEpisodes()).toHaveLength(1);
    const two = await open("2");
    await two.send(asked);
    expect(JSON.stringify(requests.at(-1))).toMatch(secret);

    const say = async (text: string): Promise<string> => (await two.send(text)).reply ?? "";
    expect(await say(list)).not.toBe("ok");
    let question = await say(forget);
    if ((await two.memory.pending())?.type === "delete_options") question = await say({ es: "todas", de: "alle", zh: "全部" }[_language] ?? "all");
    expect(question).toMatch(reply);
    expect(await say(unclear)).toMatch(reply);
    const before = (await two.memory.status()).turns;
    expect(await say(no)).not.toBe("ok");
    expect(await two.memory.pending()).toBeNull();
    expect((await two.memory.status()).turns).toBe(before);

    await say(forget);
    if ((await two.memory.pending())?.type === "delete_options") await say({ es: "todas", de: "alle", zh: "全部" }[_language] ?? "all");
    expect(await say(yes)).not.toBe("ok");
    expect(JSON.stringify(await rowsOf(runtime, "ada"))).not.toMatch(secret);
    const three = await open("3");
    await three.send(asked);
    expect(JSON.stringify(requests.at(-1))).not.toMatch(secret);
  });
});
