/** Voice calls against a server that speaks the OpenAI Realtime protocol: what is heard, what is stored, and what a cut leaves. */
import { setTimeout as delay } from "node:timers/promises";
import {
  type Clock,
  createRuntime,
  defineTool,
  type JsonObject,
  openStore,
  type Runtime,
  scripted,
  type ScriptedModel,
  type Session,
  type Store,
  systemClock,
} from "throughline";
import { silentLogger } from "throughline/kernel";

import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { skill } from "../../../packages/companion/src/skills.ts";
import { type CompanionOptions, createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { createChooser } from "../../../packages/throughline/src/testing/test-clock.ts";
import { createVoice, type Voice, type VoiceOptions } from "../../../packages/companion/src/voice/create-voice.ts";
import type { VoiceCall, VoicePart } from "../../../packages/companion/src/voice/voice-call.ts";
import { calm, control, styledAs, triaged } from "../support.ts";
import { type Asked, type Frame, type RealtimeServer, realtimeServer, type ServerOptions, speech, type Spoken, told } from "./realtime-server.ts";

/** Waits until something holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 4_000) throw new Error("what the test waits for does not come");
    await delay(5);
  }
}

interface OnCall {
  readonly server: RealtimeServer;
  readonly runtime: Runtime;
  readonly session: Session;
  readonly voice: Voice;
  readonly call: VoiceCall;
  readonly parts: readonly VoicePart[];
  readonly writer: ScriptedModel;
  /** Texts of the conversation with their roles. */
  readonly log: () => Promise<readonly string[]>;
  readonly say: (text: string) => void;
  /** Waits until nothing is open in the session, and says the log. */
  readonly settled: (messages: number) => Promise<readonly string[]>;
}

async function onCall(
  options: ServerOptions & {
    readonly companion?: Partial<CompanionOptions>;
    readonly voice?: Partial<VoiceOptions>;
    readonly location?: string;
    readonly input?: JsonObject;
  } = {},
): Promise<OnCall> {
  const server = await realtimeServer(options);
  const voice = createVoice({ apiKey: "key", url: server.url, logger: silentLogger, ...options.voice });
  const writer = scripted(() => "Written, not spoken.");
  const models = { control: control({ triage: triaged(), style: styledAs("supportive") }), response: writer, classifier: calm };
  const store = await openStore(options.location ?? ":memory:");
  const runtime = await createRuntime({ store, agents: [createCompanion({ models, voice, ...options.companion })], logger: silentLogger });
  const session = await runtime.sessions.open({ agent: "companion", customer: "ana" });
  const parts: VoicePart[] = [];
  const call = voice.open(session, {
    onPart: (part) => parts.push(part),
    audit: runtime.safety,
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  onTestFinished(async () => {
    await call.close();
    await runtime.close({ drainMs: 0 });
    await store.close();
  });
  await until(() => parts.some((part) => part.type === "status" && part.status === "open"));
  const log = async (): Promise<readonly string[]> =>
    (await session.messages())
      .filter(({ custom, text, role }) => custom !== true && role !== "tool" && text !== "")
      .map(({ role, text }) => `${role}: ${text}`);
  return {
    ...{ server, runtime, session, voice, call, parts, writer, log },
    say: (text) => call.hear(speech(text)),
    settled: async (messages) => {
      await until(async () => (await log()).length >= messages && (await session.pending()).turns.length === 0);
      return log();
    },
  };
}

/** Verdicts on assessments. */
async function reviewsOf({ store }: { readonly store: Store }): Promise<readonly unknown[]> {
  const { items } = await store.list({ of: "records", kind: "assessment_review" });
  return items.map(({ data }) => data);
}

/** A clock whose pauses are over at once, but not its limits. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms >= 10_000 ? ms : 1, signal) };

/** A clock on which nobody waits long for words. */
const soon: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(ms === 20_000 ? 100 : ms, signal),
};

const soundOf = (parts: readonly VoicePart[]): number => parts.reduce((sum, part) => sum + (part.type === "audio" ? part.audio.length / 48 : 0), 0);

test("puts both sides in the log, and speaks the server's own response once the turn takes it", async () => {
  const { server, say, settled, parts, writer, session } = await onCall();
  say("I had a long day");
  expect(await settled(2)).toEqual(["user: I had a long day", "assistant: I hear you: I had a long day."]);
  expect(soundOf(parts)).toBe("I hear you: I had a long day.".length);
  expect(writer.requests).toEqual([]);
  expect(parts.filter(({ type }) => type === "heard" || type === "reply")).toEqual([
    { type: "heard", text: "I had a long day" },
    { type: "reply", text: "I hear you: I had a long day." },
  ]);
  expect(server.received.filter(({ type }) => type === "response.create")).toHaveLength(1);
  const [first] = await Array.fromAsync(session.events({ kinds: ["message"], follow: false }));
  expect(first?.data).toMatchObject({ input: { channel: "voice" } });
  expect(server.headers()["authorization"]).toBe("Bearer key");
});

test("plays nothing before the gate has read what was said", async () => {
  const { say, parts, settled, server } = await onCall({ transcriptMs: 150 });
  say("hello there");
  await until(() => server.received.some(({ type }) => type === "response.create"));
  await delay(60);
  expect(soundOf(parts)).toBe(0);
  await settled(2);
  expect(soundOf(parts)).toBeGreaterThan(0);
});

test("cancels the response to a danger and speaks the prepared reply word for word", async () => {
  const { say, settled, parts, server } = await onCall({
    companion: { safety: { replyBy: "static" } },
    answer: (asked) => ({ text: told(asked) ?? "Oh, come on, cheer up!", ...(told(asked) === undefined ? { stallAfter: 0.5 } : {}) }),
  });
  say("I want to kill myself tonight, I have the pills here");
  const [, reply = ""] = await settled(2);
  await until(() => soundOf(parts) > 0);
  expect(reply).toContain("emergency number");
  expect(server.received.some(({ type }) => type === "response.cancel")).toBe(true);
  await until(() => soundOf(parts) === reply.slice("assistant: ".length).length);
  expect(parts.some((part) => part.type === "unspoken")).toBe(false);
});

test("stores a reply as far as it was heard when the person interrupts it", async () => {
  const { say, call, settled, parts, server, log } = await onCall({
    answer: ({ last }) => ({ text: last === "go on" ? "Yes." : "one two three four five six seven eight", pace: 1_000 }),
  });
  say("tell me");
  await until(() => soundOf(parts) > 0);
  // A third of the sound, a third of the words.
  call.played(13_000);
  say("go on");
  expect(await settled(4)).toEqual(["user: tell me", "assistant: one two three", "user: go on", "assistant: Yes."]);
  expect(server.received.find(({ type }) => type === "conversation.item.truncate")).toMatchObject({ audio_end_ms: 13_000, content_index: 0 });
  expect(parts.filter(({ type }) => type === "stop_audio")).toHaveLength(1);
  expect((await log()).join()).not.toContain("four");
});

test("answers several utterances before a reply together, and says no reply that was overtaken", async () => {
  let isFirst = true;
  const { say, settled, parts } = await onCall({
    answer: ({ last }) => {
      if (!isFirst) return { text: `Both: ${last}.` };
      isFirst = false;
      return { text: "Overtaken.", stallAfter: 0 };
    },
  });
  say("my sister called");
  await until(() => parts.some(({ type }) => type === "heard"));
  say("and she is fine");
  expect(await settled(3)).toEqual(["user: my sister called", "user: and she is fine", "assistant: Both: and she is fine."]);
  expect(parts.filter(({ type }) => type === "reply")).toHaveLength(1);
});

test("runs the agent's tools for the server, which goes on with their results", async () => {
  const rings: unknown[] = [];
  const ring = defineTool({
    name: "ring_bell",
    description: "Rings a bell.",
    parameters: z.object({ times: z.number() }),
    effects: "once",
    execute: ({ times }) => {
      rings.push(times);
      return `rang ${times} times`;
    },
  });
  const bells = skill({ name: "bells", tools: [ring] });
  const { say, settled, session, server } = await onCall({
    companion: { skills: [bells] },
    input: { installed_skills: ["bells"] },
    answer: ({ items }) =>
      items.at(-1)?.startsWith("function_call_output") === true
        ? { text: "It rang." }
        : { calls: [{ call_id: "c1", name: "ring_bell", arguments: JSON.stringify({ times: 2 }) }] },
  });
  say("ring it twice");
  expect(await settled(2)).toEqual(["user: ring it twice", "assistant: It rang."]);
  expect(rings).toEqual([2]);
  const tools = await Array.fromAsync(session.events({ kinds: ["tool"], follow: false }));
  expect(tools.map(({ data }) => data)).toMatchObject([{ type: "called", name: "ring_bell" }, { type: "returned" }]);
  const outputs = server.received.map((event) => event["item"] as { readonly type?: string; readonly output?: string } | undefined);
  expect(outputs.find((item) => item?.type === "function_call_output")).toMatchObject({ call_id: "c1", output: "rang 2 times" });
  expect(JSON.stringify(server.sessions[0])).toContain("ring_bell");
});

test("speaks the answer of a tool as it is", async () => {
  const { say, settled, parts } = await onCall({
    answer: (asked) => {
      const text = told(asked);
      return text === undefined ? { calls: [{ call_id: "c1", name: "look_up", arguments: JSON.stringify({ query: asked.last }) }] } : { text };
    },
  });
  say("what is a panic attack");
  const [, reply = ""] = await settled(2);
  expect(reply.length).toBeGreaterThan(40);
  await until(() => soundOf(parts) === reply.slice("assistant: ".length).length);
});

test("tells the model that its call could not be read", async () => {
  const { say, settled, server } = await onCall({
    answer: ({ items }) =>
      items.at(-1)?.startsWith("function_call_output") === true
        ? { text: "Let me try again." }
        : { calls: [{ call_id: "c1", name: "look_up", arguments: "{oops" }] },
  });
  say("what is a panic attack");
  expect((await settled(2)).at(-1)).toBe("assistant: Let me try again.");
  expect(JSON.stringify(server.received)).toContain("function_call_output");
});

test("asks to say it again what could not be transcribed, and answers nothing to it", async () => {
  const { say, parts, log, session, server } = await onCall({
    transcribe: (text) => (text.includes("mumble") ? undefined : text),
    answer: (asked) => ({ text: told(asked) ?? "An answer." }),
  });
  say("mumble mumble");
  await until(() => soundOf(parts) > 0);
  await until(() => soundOf(parts) === "I'm sorry, I could not hear that. Could you say it again?".length);
  expect(await log()).toEqual([]);
  const notes = await Array.fromAsync(session.events({ kinds: ["custom"], follow: false }));
  expect(notes.map(({ data }) => data)).toMatchObject([{ value: { type: "voice_unread" } }]);
  expect(server.received.some(({ type }) => type === "conversation.item.delete")).toBe(true);
});

test("leaves out sound without words", async () => {
  const { say, log, parts, settled } = await onCall({ transcribe: (text) => (text === "cough" ? "" : text) });
  say("cough");
  say("hello");
  expect(await settled(2)).toEqual(["user: hello", "assistant: I hear you: hello."]);
  expect(parts.filter(({ type }) => type === "heard")).toHaveLength(1);
  expect(await log()).toHaveLength(2);
});

test("lets nobody hear a response that nobody asked for", async () => {
  const { server, parts, say, settled } = await onCall();
  server.send({ type: "response.created", response: { id: "own", status: "in_progress", metadata: null, output: [] } });
  const ids = { response_id: "own", item_id: "own_item", output_index: 0, content_index: 0 };
  server.send({ type: "response.output_audio.delta", ...ids, delta: Buffer.alloc(480, 1).toString("base64") });
  await until(() => server.received.some((event) => event.type === "response.cancel" && event["response_id"] === "own"));
  expect(soundOf(parts)).toBe(0);
  say("hello");
  expect(await settled(2)).toEqual(["user: hello", "assistant: I hear you: hello."]);
});

test("writes the reply with the other model when the server fails, and has it said", async () => {
  const { say, settled, parts, writer } = await onCall({
    answer: (asked) => (told(asked) === undefined ? { status: "failed" } : { text: told(asked) ?? "" }),
  });
  say("hello");
  expect(await settled(2)).toEqual(["user: hello", "assistant: Written, not spoken."]);
  expect(writer.requests).toHaveLength(1);
  expect(JSON.stringify(writer.requests)).not.toContain("voice_call");
  await until(() => soundOf(parts) === "Written, not spoken.".length);
});

test("plays no reply that the server says in other words, and hands it to the screen", async () => {
  const { say, settled, parts } = await onCall({
    companion: { safety: { replyBy: "static" } },
    answer: () => ({ text: "It will all be fine, just sleep on it." }),
  });
  say("I want to kill myself tonight, I have the pills here");
  const [, reply = ""] = await settled(2);
  await until(() => parts.some(({ type }) => type === "unspoken"));
  expect(parts.find(({ type }) => type === "unspoken")).toEqual({ type: "unspoken", text: reply.slice("assistant: ".length) });
  expect(soundOf(parts)).toBe(0);
});

test("plays no sentence that the guard refuses", async () => {
  const { say, settled, parts } = await onCall({ answer: () => ({ text: "That sounds heavy. Call 0800 123 456 789 now. They will help." }) });
  say("I feel low");
  expect(await settled(2)).toEqual(["user: I feel low", "assistant: That sounds heavy."]);
  expect(soundOf(parts)).toBeLessThanOrEqual("That sounds heavy. ".length);
});

test("puts it in the audit when the model hears a danger that the gate did not read", async () => {
  const { say, settled, session, runtime } = await onCall({ answer: () => ({ text: "Are you thinking about killing yourself?" }) });
  say("the weather is fine");
  await settled(2);
  const notes = async (): Promise<readonly unknown[]> =>
    (await Array.fromAsync(session.events({ kinds: ["custom"], follow: false }))).map(({ data }) => data);
  await until(async () => (await notes()).length > 0);
  expect(await notes()).toMatchObject([{ value: { type: "voice_missed_crisis" } }]);
  const [review] = await reviewsOf(runtime);
  expect(review).toMatchObject({ reviewer: "voice", level: 2 });
});

test("does not speak the reply to a message that was typed", async () => {
  const { session, parts, settled } = await onCall();
  await session.send("typed");
  expect(await settled(2)).toEqual(["user: typed", "assistant: Written, not spoken."]);
  expect(soundOf(parts)).toBe(0);
});

test("keeps what was heard of a reply when the connection is cut in the middle of it", async () => {
  const { say, settled, parts, server } = await onCall({
    answer: () => ({ text: "First sentence here. Second sentence here.", stallAfter: 0.5 }),
    voice: { clock: hurried },
  });
  say("tell me");
  await until(() => soundOf(parts) > 0);
  server.cut();
  const [, reply] = await settled(2);
  expect(reply).toBe("assistant: First sentence here. ".trimEnd());
  expect(server.connections()).toBeGreaterThan(0);
});

test("keeps what was heard of a reply when the call ends, and takes no more sound", async () => {
  const { say, call, settled, parts, server } = await onCall({ answer: () => ({ text: "one two three four five six seven eight", pace: 1_000 }) });
  say("tell me");
  await until(() => soundOf(parts) > 0);
  call.played(13_000);
  await call.close();
  expect(await settled(2)).toEqual(["user: tell me", "assistant: one two three"]);
  const received = server.received.length;
  call.hear(speech("more"));
  await delay(30);
  expect(server.received).toHaveLength(received);
  expect(parts.at(-1)).toEqual({ type: "status", status: "closed" });
});

test("tells a new connection who speaks, what was said, and not what waits in the log", async () => {
  const { server, say, settled, session } = await onCall({ voice: { clock: hurried } });
  say("hello");
  await settled(2);
  await session.postCustom({ note: "of the application" });
  server.cut();
  const after = (): readonly Frame[] => server.received.slice(server.received.findLastIndex(({ type }) => type === "session.update"));
  await until(() => server.sessions.length === 2 && after().length >= 3);
  expect(after().filter(({ type }) => type !== "input_audio_buffer.append")).toMatchObject([
    { session: { type: "realtime", audio: { input: { turn_detection: { create_response: false } } } } },
    { item: { role: "user", content: [{ type: "input_text", text: "hello" }] } },
    { item: { role: "assistant", content: [{ type: "output_text", text: "I hear you: hello." }] } },
  ]);
});

test("has one call for a session, and ends it when the server cannot be reached", async () => {
  const { server, session, parts, call, voice } = await onCall({ voice: { tries: 2, clock: hurried } });
  expect(() => voice.open(session, { onPart: () => {} })).toThrow("The session has a call already.");
  server.refuse(true);
  server.cut();
  await until(() => parts.some(({ type }) => type === "error"));
  expect(parts.at(-1)).toEqual({ type: "status", status: "closed" });
  expect(call.isOpen).toBe(false);
  // The session may be called again.
  server.refuse(false);
  await voice.open(session, { onPart: () => {} }).close();
});

test("refuses a voice without a key, and an address that is no WebSocket's", () => {
  expect(() => createVoice({ apiKey: " " })).toThrow("A voice needs an apiKey");
  expect(() => createVoice({ apiKey: "key", url: "https://example.org" })).toThrow("The voice's url is a WebSocket address");
  expect(() => createVoice({ apiKey: "key", bootstrap: { budget: 100 } })).toThrow("The budget of a voice call is at least 700 tokens");
});

test("loses and doubles nothing that was said when the connection is cut at any point", async () => {
  const said = ["first thing", "second thing", "third thing", "fourth thing", "fifth thing"];
  for (let seed = 1; seed <= 12; seed += 1) {
    const choose = createChooser(seed);
    const answer = (asked: Asked): Spoken => ({ text: told(asked) ?? "I am with you." });
    const { server, say, call, log, session } = await onCall({ transcriptMs: choose.integer(0, 20), voice: { clock: hurried }, answer });
    const cutting = (async () => {
      for (let cuts = choose.integer(3, 8); cuts > 0; cuts -= 1) {
        await delay(choose.integer(0, 60));
        server.cut();
      }
    })();
    for (const text of said) {
      say(text);
      await delay(choose.integer(0, 80));
    }
    await cutting;
    // The microphone stays on, so the server hears where words that are sent again end.
    const microphone = setInterval(() => call.hear(new Uint8Array(20 * 48)), 5);
    const heard = async (): Promise<string> => (await log()).filter((line) => line.startsWith("user: ")).join(" ");
    await until(async () => {
      const text = await heard();
      return said.every((one) => text.includes(one)) && (await session.pending()).turns.length === 0;
    });
    clearInterval(microphone);
    const text = await heard();
    for (const one of said) expect(text.split(one), `seed ${seed}`).toHaveLength(2);
    expect((await log()).at(-1), `seed ${seed}`).toContain("assistant: ");
    await call.close();
  }
});

test.each([
  ["the first", "second thing"],
  ["the second", "first thing"],
])("sends only sound again whose words are not known: %s of two that were said at once is known before the cut", async (_which, late) => {
  const { server, say, settled, parts } = await onCall({
    voice: { clock: hurried },
    // On the first connection these words are not known before the cut.
    transcriptMs: (text) => (text === late && server.connections() === 1 ? 60_000 : 0),
    answer: (asked) => ({ text: told(asked) ?? "I am with you." }),
  });
  say("first thing");
  say("second thing");
  await until(() => parts.some(({ type }) => type === "heard"));
  server.cut();
  await until(() => parts.filter(({ type }) => type === "heard").length >= 2);
  const said = (await settled(3)).filter((line) => line.startsWith("user: ")).join(" ");
  for (const one of ["first thing", "second thing"]) expect(said.split(one)).toHaveLength(2);
});

test("sends nothing again whose words are known, also if the server does not tell where an utterance ended", async () => {
  const { say, settled, server } = await onCall({
    voice: { clock: hurried },
    tellsEnds: false,
    answer: (asked) => ({ text: told(asked) ?? "I am with you." }),
  });
  say("first thing");
  await settled(2);
  server.cut();
  say("second thing");
  const said = (await settled(4)).filter((line) => line.startsWith("user: "));
  expect(said).toEqual(["user: first thing", "user: second thing"]);
});

const crisis = "I am in Canada and I want to kill myself tonight, I have the pills here";
/** Says prepared replies slowly, and everything else at once. */
const slowly = (asked: Asked): Spoken => ({ text: told(asked) ?? "I am with you.", pace: told(asked) === undefined ? 1 : 20 });

test("says a prepared reply again from its start after a noise", async () => {
  const { say, call, parts, settled } = await onCall({
    companion: { safety: { replyBy: "static" } },
    transcribe: (text) => (text === "cough" ? "" : text),
    answer: slowly,
  });
  say(crisis);
  const [, reply = ""] = await settled(2);
  const length = reply.slice("assistant: ".length).length * 20;
  await until(() => soundOf(parts) === length);
  call.played(300);
  say("cough");
  await until(() => parts.some(({ type }) => type === "stop_audio"));
  await until(() => soundOf(parts) === 2 * length);
  expect(await settled(2)).toHaveLength(2);
});

test("says numbers that an interruption cut off after the reply to it, and notes how much was heard", async () => {
  const { say, call, parts, settled, session, server } = await onCall({ companion: { safety: { replyBy: "static" } }, answer: slowly });
  say(crisis);
  await settled(2);
  await until(() => soundOf(parts) > 0);
  call.played(300);
  say("please help me, I want to die");
  await settled(4);
  const said = (): readonly string[] =>
    server.received.flatMap((event) => told({ instructions: (event["response"] as Asked | undefined)?.instructions, items: [], last: "" }) ?? []);
  await until(() => {
    // Whatever is played from here on is heard at once.
    call.played(Number.MAX_SAFE_INTEGER);
    return said().length >= 3;
  });
  expect(said().at(-1)).toContain("988");
  const notes = await Array.fromAsync(session.events({ kinds: ["custom"], follow: false }));
  expect(notes.map(({ data }) => data)).toMatchObject([{ value: { type: "voice_interrupted" } }]);
});

test("answers words that are known late, after it has asked for them again", async () => {
  const { server, settled, parts, say } = await onCall({ transcriptMs: 300, voice: { clock: soon }, answer: slowly });
  say("my brother is here");
  await until(() => server.received.some((event) => JSON.stringify(event).includes("could not hear that")));
  expect(await settled(2)).toEqual(["user: my brother is here", "assistant: I am with you."]);
  expect(parts.filter(({ type }) => type === "heard")).toHaveLength(1);
});

test("writes the reply when the server refuses to respond", async () => {
  const { say, settled } = await onCall({
    answer: (asked) => ({ text: told(asked) ?? "Never." }),
    refuses: (asked) => told(asked) === undefined,
  });
  say("hello");
  expect(await settled(2)).toEqual(["user: hello", "assistant: Written, not spoken."]);
});

test("speaks over nobody: a reply waits until what the person says is known", async () => {
  const { say, call, parts, settled, server, log } = await onCall({
    transcriptMs: 60,
    answer: (asked) => ({ text: told(asked) ?? `Yes: ${asked.last}.`, stallAfter: 0 }),
  });
  say("one more thing");
  // The person goes on, and has not ended yet.
  call.hear(new Uint8Array(48).fill(0x61));
  await until(async () => server.received.some(({ type }) => type === "response.create") && (await log()).length > 0);
  server.goOn();
  await delay(200);
  expect(soundOf(parts)).toBe(0);
  call.hear(new Uint8Array(200 * 48));
  await until(() => parts.filter(({ type }) => type === "heard").length === 2);
  const going = setInterval(() => server.goOn(), 10);
  await settled(3);
  await until(() => soundOf(parts) > 0);
  clearInterval(going);
});

test("tells the server what it has learned about the person in the call", async () => {
  const { say, settled, server } = await onCall({ answer: slowly });
  say("please speak slowly from now on");
  await settled(2);
  await until(() => server.sessions.length === 2);
  expect(JSON.stringify(server.sessions[1])).toContain("speak slowly");
});

test("goes on when the player of a call throws", async () => {
  const { session, voice, call, runtime } = await onCall();
  await call.close();
  const thrown = voice.open(session, {
    onPart: () => {
      throw new Error("the player is broken");
    },
  });
  await until(() => thrown.isOpen);
  const say = setInterval(() => thrown.hear(speech("hello")), 300);
  await until(async () => (await session.messages()).some(({ role }) => role === "assistant"));
  clearInterval(say);
  await thrown.close();
  expect(runtime).toBeDefined();
});

test("ends a call whose connections open and fail at once", async () => {
  const { server, parts, call } = await onCall({ voice: { tries: 3, clock: hurried } });
  const cutting = setInterval(() => server.cut(), 3);
  await until(() => parts.some(({ type }) => type === "error"));
  clearInterval(cutting);
  expect(call.isOpen).toBe(false);
  expect(server.connections()).toBeLessThanOrEqual(4);
});
