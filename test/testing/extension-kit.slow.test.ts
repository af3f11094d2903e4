/** The kit for extensions: over those that there are, and over broken ones, which it must find. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { redactCards } from "../../examples/redact-cards/redact-cards.ts";
import { defineExtension, type Extension } from "../../packages/throughline/src/extension.ts";
import { defineAgent, defineState, input, loop, reduced, scripted } from "../../packages/throughline/src/index.ts";
import { memory, recalledMemory, sessionMemory } from "../../packages/throughline/src/memory.ts";
import { safety } from "../../packages/throughline/src/safety.ts";
import { extensionChecks, type ExtensionRig } from "../../packages/throughline/src/testing.ts";
import { State as MemoryState } from "../runtime/memory/harness.ts";
import { calm, parts, State as GateState } from "../runtime/safety/harness.ts";

const State = defineState({ message: input(z.string()), diary: reduced(z.array(z.string()), { initial: [] }) });
const card = "4111 1111 1111 1111";

const rigOf = (extension: () => Extension, more: Partial<ExtensionRig> = {}): ExtensionRig => ({
  extension,
  agent: (extensions) =>
    defineAgent({
      name: "a1",
      version: 1,
      state: State,
      extensions,
      reply: loop({ model: scripted(({ messages }) => `re:${messages.at(-1)?.text}`) }),
    }),
  messages: [`My card is ${card}`, "Good evening", "Good night"],
  ...more,
});

/** Writes a diary into the state, with a page beside each turn. */
const diary = (more: Partial<Extension> = {}): Extension =>
  defineExtension({
    name: "diary",
    answer: async ({ journal, journaled, claim, answered }, { draft, next }) => {
      const text = answered.map((message) => message.text).join(" ");
      if (!journaled.has("diary"))
        journal.apply({ type: "stage", name: "diary" }, { diary: [text] }, { writes: ["diary"], stage: { name: "diary", ms: 0, control: {} } });
      journal.keep({ kind: "page", key: claim.turn.turn_id, session_id: claim.session_id, data: { text } });
      return next(draft);
    },
    ...more,
  });

const gate: ExtensionRig = {
  extension: () => safety({ ...parts, classifier: calm }).extension(),
  agent: (extensions) =>
    defineAgent({ name: "companion", version: 1, state: GateState, extensions, reply: loop({ model: scripted(() => "I hear you.") }) }),
  messages: ["I had a long day.", "I want to kill myself.", "Thank you."],
  records: ["assessment"],
};

const remembers: ExtensionRig = {
  extension: () => memory().extension(),
  agent: (extensions) =>
    defineAgent({
      ...{ name: "friend", version: 1, state: MemoryState, extensions },
      sections: [recalledMemory(), sessionMemory()],
      reply: loop({ model: scripted(() => "ok") }),
    }),
  messages: ["My name is Ada and I live in Bonn.", "My sister plays the cello.", "Which instrument does my sister play?"],
};

describe.each([
  ["the safety gate", gate],
  ["memory", remembers],
  ["the extension that redacts card numbers", rigOf(() => redactCards)],
  ["one that keeps a diary", rigOf(diary, { records: ["page"] })],
])("%s", (_name, rig) => {
  test.each(extensionChecks().map(({ name, run }) => ({ name, run })))("$name", ({ run }) => run(rig));
});

describe("a broken extension is found", () => {
  const faults = async (rig: ExtensionRig): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const { name, run } of extensionChecks()) await run(rig).catch(() => found.push(name));
    return found;
  };

  test("one that writes outside of the commit", async () => {
    const outside = diary({
      answer: async ({ runtime, claim }, { draft, next }) => {
        const commit_id = runtime.ids.next("commit");
        await runtime.store.commit({
          ...{ commit_id, at: runtime.clock.now() },
          records: [{ kind: "page", key: commit_id, session_id: claim.session_id, data: {} }],
        });
        return next(draft);
      },
    });
    expect(await faults(rigOf(() => outside, { records: ["page"] }))).toEqual([expect.stringContaining("resumed")]);
  });

  test("one that remembers in its process what belongs to the session", async () => {
    const made = (): Extension => {
      const heard: string[] = [];
      return diary({ withdrawn: ({ before }) => ({ ...before, diary: [...heard] }), finished: ({ claim }) => void heard.push(claim.turn.trace_id) });
    };
    expect(await faults(rigOf(made))).toEqual([expect.stringContaining("withdrawal")]);
  });

  test("one that stores words of a person as nobody's", async () => {
    const careless = diary({
      answer: async ({ journal, claim, answered }, { draft, next }) => {
        journal.keep({ kind: "page", key: claim.turn.turn_id, data: { text: answered.map(({ text }) => text).join(" ") } });
        return next(draft);
      },
    });
    expect(await faults(rigOf(() => careless))).toEqual([expect.stringContaining("erasing")]);
  });

  test("one that takes a lock in a turn and gives it back after", async () => {
    const locks = diary({
      answer: async ({ runtime, claim, journal, signal }, { draft, next }) => {
        const locked = async (): Promise<boolean> =>
          (await runtime.store.list({ of: "records", kind: "lock", session_id: claim.session_id })).items.some(({ data }) => data["held"] === true);
        while (await locked()) await runtime.clock.sleep(20, signal);
        journal.keep({ kind: "lock", key: claim.session_id, session_id: claim.session_id, data: { held: true } });
        return next(draft);
      },
      finished: ({ runtime, claim }) =>
        void runtime.store.commit({
          ...{ commit_id: runtime.ids.next("commit"), at: runtime.clock.now() },
          records: [{ kind: "lock", key: claim.session_id, session_id: claim.session_id, data: { held: false } }],
        }),
    });
    const last = extensionChecks().at(-1)!;
    await expect(last.run(rigOf(() => locks, { patienceMs: 500 }))).rejects.toThrow(/nobody answers after "(answer|finished)"/);
  });
});
