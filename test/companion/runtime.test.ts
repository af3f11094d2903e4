import { openStore, scripted } from "throughline";
import type { EndedEpisode } from "throughline/memory";
import { describe, expect, it } from "vitest";
import type { StreamEvent } from "../../packages/companion/src/contract.ts";
import { companionContext } from "../../packages/companion/src/create-companion.ts";
import {
  type CompanionRuntime,
  type CompanionRuntimeOptions,
  createCompanionRuntime,
  endEnvelope,
  farewellOf,
} from "../../packages/companion/src/companion-runtime.ts";
import { calm, control, plainPack, styledAs, triaged } from "./support.ts";

const thread = { session_id: "t1", user_id: "ada" } as const;
const models = () => ({
  control: control({ triage: triaged(), style: styledAs("supportive") }),
  response: scripted(() => ["I hear ", "you."].join("")),
  classifier: calm,
});

async function withRuntime(play: (companion: CompanionRuntime) => Promise<void>, options: Partial<CompanionRuntimeOptions> = {}): Promise<void> {
  const store = await openStore(":memory:");
  const companion = await createCompanionRuntime({ store, models: models(), safety: { packs: [plainPack], replyBy: "static" }, ...options });
  try {
    await play(companion);
  } finally {
    await companion.close();
    await store.close();
  }
}

const heard = async (events: AsyncIterable<StreamEvent>): Promise<readonly StreamEvent[]> => {
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};
const kinds = (events: readonly StreamEvent[]): readonly string[] => events.map(({ type }) => type);
const shown = (events: readonly StreamEvent[]): string => events.flatMap((event) => (event.type === "chunk" ? [event.text] : [])).join("");

describe("the persistent companion", () => {
  it.each([
    ["history", { history: [{ role: "user", content: "x" }] }, "history"],
    ["working memory", { working_memory: ["x"] }, "working_memory"],
    ["no thread", { session_id: null }, "session_id"],
    ["a blank message", { message: " " }, "message"],
  ])("refuses %s", (_, given, path) =>
    withRuntime((companion) =>
      expect(companion.runTurn({ ...thread, message: "hi", ...given } as never)).rejects.toMatchObject({ code: "input.invalid", details: { path } }),
    ),
  );

  it("runs a turn and keeps it: output, state, history", () =>
    withRuntime(async (companion) => {
      const { output, state, history } = await companion.runTurn({ ...thread, message: "Good morning" });
      expect(output).toMatchObject({ response_text: "I hear you.", response_type: "therapeutic", response_style_source: "dispatch" });
      expect(state["session_progress"]).toMatchObject({ turn_count: 1 });
      expect(history).toEqual([
        { role: "user", content: "Good morning" },
        { role: "assistant", content: "I hear you.", response_style: "supportive" },
      ]);
      expect(await companion.getHistory(thread)).toEqual(history);
    }));

  it("case 108: streams what happens, and ends with done, when all is saved", () =>
    withRuntime(async (companion) => {
      const events = await heard(companion.streamTurn({ ...thread, message: "Good morning" }));
      expect(shown(events)).toBe("I hear you.");
      expect(kinds(events).slice(-2)).toEqual(["response_ready", "done"]);
      expect(events.some((event) => event.type === "status" && event.stage === "crisis_gate")).toBe(true);
      expect(await companion.getHistory(thread)).toHaveLength(2);
    }));

  it("streams a reply that the gate holds back as one piece, when it is whole", () =>
    withRuntime(async (companion) => {
      const events = await heard(companion.streamTurn({ ...thread, message: "I want to die" }));
      expect(kinds(events).filter((kind) => kind === "chunk")).toHaveLength(1);
      const done = events.at(-1);
      expect(done?.type === "done" && done.output).toMatchObject({ response_type: "crisis", response_text: shown(events) });
    }));

  it("case 111: takes turns of one thread one after the other", () =>
    withRuntime(async (companion) => {
      const turns = await Promise.all(["one day", "two days", "three days"].map((message) => companion.runTurn({ ...thread, message })));
      expect(turns.every(({ output }) => output.response_text === "I hear you.")).toBe(true);
      const said = (await companion.getHistory(thread)).filter(({ role }) => role === "user").map(({ content }) => content);
      expect(said.toSorted()).toEqual(["one day", "three days", "two days"]);
    }));

  it("case 113: resets a thread only when its session has ended", () =>
    withRuntime(async (companion) => {
      await companion.runTurn({ ...thread, message: "Good morning" });
      expect(await companion.hasActiveSession(thread)).toBe(true);
      await expect(companion.resetThread(thread)).rejects.toMatchObject({ code: "session.conflict" });
      await companion.endSession(thread);
      expect(await companion.sessionStatus(thread)).toMatchObject({ ...thread, active: false, session: 2 });
      await companion.resetThread(thread);
      await expect(companion.getState(thread)).rejects.toMatchObject({ code: "session.not_found" });
    }));

  it("shows a thread to nobody but whose it is", () =>
    withRuntime(async (companion) => {
      await companion.runTurn({ ...thread, message: "Good morning" });
      await expect(companion.getHistory({ session_id: "t1" })).rejects.toMatchObject({ code: "session.not_found" });
      await expect(companion.getHistory({ session_id: "t1", user_id: "bob" })).rejects.toMatchObject({ code: "session.not_found" });
      await companion.runTurn({ session_id: "t1", message: "Hello" });
      expect(await companion.getHistory({ session_id: "t1" })).toHaveLength(2);
      expect((await companion.listThreads({ user_id: "ada" })).map(({ session_id }) => session_id)).toEqual(["t1"]);
    }));

  it("records feedback on a thread, as often as it is given, and for nobody else's", () =>
    withRuntime(async (companion) => {
      await companion.runTurn({ ...thread, message: "Good morning" });
      expect(await companion.recordFeedback(thread, "positive")).toMatchObject({ label: "positive", source: "api_end" });
      await companion.recordFeedback(thread, "positive");
      expect((await companion.runtime.safety.report()).feedback).toMatchObject({ positive: 2 });
      await expect(companion.recordFeedback({ session_id: "t1", user_id: "bob" }, "skip")).rejects.toMatchObject({ code: "session.not_found" });
      await expect(companion.recordFeedback(thread, "great" as "skip")).rejects.toMatchObject({ code: "input.invalid" });
    }));

  it.each([["incognito"], ["guest"]] as const)("case 115: keeps nothing of a person in the mode %s", (memoryMode) =>
    withRuntime(
      async (companion) => {
        await companion.runTurn({ ...thread, message: "My sister Marta lives in Turin." });
        expect(await companion.endSession(thread)).toMatchObject({ finalized: false, summary: null, themes: [], open_loops: [] });
        expect(await companion.sessionStatus(thread)).toMatchObject({ incognito: true });
        expect((await companion.runtime.customers.memory("ada").status()).turns).toBe(0);
      },
      { memoryMode },
    ),
  );
});

describe("a context", () => {
  it("is frozen, and each of its parts can be replaced by itself", () => {
    const context = companionContext();
    expect(Object.isFrozen(context) && Object.isFrozen(context.models)).toBe(true);
    const search = { name: "mine", search: () => Promise.resolve([]) };
    const other = companionContext({ ...context, search });
    expect(other.agent_config).toEqual({ ...context.agent_config, search: "mine" });
    expect(other.models).toEqual(context.models);
    expect(companionContext({ models: { response: scripted([]) } }).agent_config.response).toBe("scripted");
  });
});

describe("a farewell", () => {
  const ended: EndedEpisode = {
    ...{
      episode: 1,
      finalized: true,
      summary: "s",
      detail: "d",
      themes: ["sleep", "work"],
      mood_opened: "tense",
      mood_closed: "lighter",
      turn_count: 5,
    },
    ...{ open_loops: ["I want to call her"], resolved_threads: [] },
  };
  it("has themes, mood and what is open", () =>
    expect(farewellOf(ended)).toBe(
      [
        "Thank you for talking with me. We spoke about: sleep, work.",
        "You came feeling tense, and leave feeling lighter.",
        "Still open, for another time: “I want to call her”.",
        "I will remember the gist of it; you can ask me what, and have it forgotten, whenever you like.",
        "Take care of yourself.",
      ].join("\n"),
    ));
  it("claims nothing where nothing is kept", () => {
    const { farewell, ...envelope } = endEnvelope({ ...ended, finalized: false, summary: null, themes: [], mood_opened: null, open_loops: [] });
    expect(farewell).toBe("Thank you for talking with me.\nTake care of yourself.");
    expect(envelope).toMatchObject({ finalized: false, summary: null, themes: [] });
  });
});
