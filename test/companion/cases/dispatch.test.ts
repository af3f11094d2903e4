/** Where a message goes, and commands about the memory: cases 33 to 52. */
import { scripted } from "throughline";
import { describe, expect, it } from "vitest";
import { callOf, calling, plainPack, styledAs, triaged } from "../support.ts";
import { breathing, sectionOf, sessionOf, thread, traceOf, usual, withThread, type Played, type PlayedOptions } from "./support.ts";

/** Few words for the gate: these tests are about what comes after it. The thread is there before its first message. */
const withMemory = (options: PlayedOptions, play: (played: Played) => Promise<void>): Promise<void> =>
  withThread({ ...options, safety: { packs: [plainPack], ...options.safety } }, async (played) => {
    await sessionOf(played.companion);
    await play(played);
  });

const memoryOf = ({ companion }: Pick<Played, "companion">) => companion.runtime.customers.memory(thread.user_id);
const facts = async (played: Pick<Played, "companion">): Promise<readonly string[]> =>
  (await memoryOf(played).list({ kind: "fact" })).items.map(({ text }) => text);
const marta = { quote: "My sister Marta lives in Turin." };
const coffee = { quote: "I drink coffee with Marta on Sundays." };
const pendingIn = async ({ companion }: Pick<Played, "companion">) => (await sessionOf(companion)).memory.pending();
const deletes = { kind: "fact", says: "Shall I delete this for good?" } as const;

describe("where a message goes", () => {
  it("case 33: an ordinary one is recalled for, with one call, no command and no lookup", () =>
    withMemory({}, async ({ view, calls, replies }) => {
      const output = await view("I went for a walk today.");
      expect(output).toMatchObject({ route: "therapeutic", response_style: "supportive", grounded_lookup: { query: "", status: "not_attempted" } });
      expect(output.diagnostics["retrieval_path"]).toBe("skipped_empty_store");
      expect(new Set(calls.requests.map(callOf))).toEqual(new Set(["safety_verdict", "dispatch"]));
      expect(calls.requests).toHaveLength(2);
      expect(replies.requests).toHaveLength(1);
    }));

  it.each([
    ["therapeutic", {}, { route: "therapeutic", response_style: "supportive" }],
    ["grounded_lookup", { query: "What is caffeine?" }, { route: "grounded_lookup", response_style: "grounded_lookup" }],
    ["memory_control", { memory_action_type: "list" }, { route: "memory_control", response_style: "memory_control" }],
    [
      "guided_exercise",
      { exercise_type: "grounding_box_breathing", exercise_start_basis: "explicit_user_request" },
      { route: "therapeutic", response_style: "guided_exercise" },
    ],
  ] as const)("a decision for %s is carried out, and is on the trace", (route, given, expected) =>
    withMemory({ answers: { triage: triaged({ route, ...given }) } }, async ({ view }) => {
      const output = await view("hm, you know what I mean");
      expect(output).toMatchObject(expected);
      expect(output.diagnostics).toMatchObject({ triage_route: route, triage_confidence: "high" });
      expect(traceOf(output).map(({ stage }) => stage)).toEqual(expect.arrayContaining(["crisis_gate", "triage"]));
    }),
  );

  it("case 40: a question about what was said on another day may be answered from it, in this turn alone", () => {
    let asked = 0;
    return withMemory(
      { answers: { triage: () => triaged(asked++ === 0 ? { memory_reference_mode: "explicit" } : {}) } },
      async ({ say, replies, companion }) => {
        await memoryOf({ companion }).remember(marta);
        await say("Where was it again that Marta lives?");
        await say("It is a pretty town.");
        const [first, second] = replies.requests;
        expect(sectionOf(first, "memory")).toContain("Turin");
        expect(sectionOf(first, "open")).toMatch(/ask/iu);
        expect(sectionOf(second, "open") ?? "").not.toBe(sectionOf(first, "open"));
        // What keeps a reply from bringing things up by itself is lifted for the one turn.
        expect([sectionOf(first, "recall"), sectionOf(second, "recall")].map((text) => (text ?? "") === "")).toEqual([true, false]);
      },
    );
  });

  it("case 51, 52: one that triage is unsure of is asked about; the next one may be the answer, and need not", () => {
    const asked: string[] = [];
    return withMemory(
      {
        answers: {
          triage: (request) => {
            asked.push(request.messages[0]?.text ?? "");
            return asked.length === 1
              ? triaged({ route: "grounded_lookup", confidence: "low" })
              : triaged(asked.length === 2 ? { route: "grounded_lookup", query: "What is caffeine?" } : {});
          },
        },
      },
      async ({ view, state }) => {
        expect(await view("the thing with the tea")).toMatchObject({
          route: "therapeutic",
          response_style: "clarifying",
          grounded_lookup: { status: "not_attempted" },
        });
        expect((await state())["open_clarification"]).toMatchObject({ tentative_route: "grounded_lookup" });
        expect(await view("how much of it is in there")).toMatchObject({ route: "grounded_lookup" });
        await view("thank you");
        expect(asked.map((text) => text.includes("seemed to be grounded_lookup"))).toEqual([false, true, false]);
        expect((await state())["open_clarification"]).toBeNull();
      },
    );
  });
  it("what must be asked first holds up an exercise, and leaves it where it is", () =>
    withMemory(
      { answers: { triage: triaged({ clarification_needed: true, clarification_question: "Which of the two?" }) } },
      async ({ say, view, state, replies }) => {
        await breathing({ say });
        expect(await view("the other one, you know, like the last time with the two of them")).toMatchObject({ response_style: "clarifying" });
        expect((await state())["exercise_state"]).toMatchObject({ exercise_type: "grounding_box_breathing", exercise_step: 0 });
        expect(sectionOf(replies.requests.at(-1), "guidance")).toContain("Which of the two?");
      },
    ));
});

describe("a deletion", () => {
  const asked = async (played: Played): Promise<string> => {
    await memoryOf(played).remember(marta);
    return (await played.say("Forget that my sister Marta lives in Turin")).response_text;
  };

  it("case 35: is asked about first, and done after a yes; no model is asked", () =>
    withMemory({}, async (played) => {
      expect(await asked(played)).toContain(deletes.says);
      expect(await facts(played)).toHaveLength(1);
      const before = played.calls.requests.length;
      const output = await played.view("yes");
      expect(output).toMatchObject({
        route: "memory_control",
        response_style: "memory_control",
        diagnostics: { memory_side_effects: "delete_memory" },
      });
      expect(await facts(played)).toEqual([]);
      // The turn begins anew without the deleted words, so the gate reads the message again; no other call is made.
      expect(played.calls.requests.slice(before).map(callOf)).toEqual(["safety_verdict", "safety_verdict"]);
    }));
  it("case 36: is let go of by a change of topic, of which the reply is told", () =>
    withMemory({}, async (played) => {
      await asked(played);
      expect(await played.view("Work was long today and my head is full of it.")).toMatchObject({ route: "therapeutic" });
      expect(await pendingIn(played)).toBeNull();
      expect(await facts(played)).toHaveLength(1);
      expect(sectionOf(played.replies.requests.at(-1), "open")).toContain("nothing was changed");
    }));
  it.each(["no", "No, keep it", "cancel"])("after %j nothing is deleted, and nothing waits", (answer) =>
    withMemory({}, async (played) => {
      await asked(played);
      const output = await played.view(answer);
      expect(output).toMatchObject({ route: "memory_control", diagnostics: { memory_side_effects: "none" } });
      expect(await pendingIn(played)).toBeNull();
      expect(await facts(played)).toHaveLength(1);
    }),
  );
  it.each(["Forget that", "please forget it", "Delete this."])("case 38: %j names nothing, and nothing waits", (message) =>
    withMemory({}, async (played) => {
      await memoryOf(played).remember(marta);
      await played.say(message);
      expect(await facts(played)).toHaveLength(1);
      expect(await pendingIn(played)).toBeNull();
    }),
  );

  const several = async (played: Played): Promise<string> => {
    await memoryOf(played).remember(marta);
    await memoryOf(played).remember(coffee);
    return (await played.say("Forget everything about Marta")).response_text;
  };
  it("of several things is chosen by number, and still wants a yes", () =>
    withMemory({}, async (played) => {
      const list = await several(played);
      expect(list).toMatch(/1[.)][\s\S]*2[.)]/u);
      expect(await pendingIn(played)).toMatchObject({ type: "delete_options" });
      await played.say("1");
      expect(await facts(played)).toHaveLength(2);
      expect(await pendingIn(played)).toMatchObject({ type: "delete" });
      await played.say("yes");
      expect(await facts(played)).toHaveLength(1);
    }));
  it.each(["7", "0", "99"])("of several things, %s is none of them: they are listed again, and wait", (number) =>
    withMemory({}, async (played) => {
      await several(played);
      expect((await played.say(number)).response_text).toMatch(/1[.)][\s\S]*2[.)]/u);
      expect(await pendingIn(played)).toMatchObject({ type: "delete_options" });
      expect(await facts(played)).toHaveLength(2);
    }),
  );
  it("case 45: of what was forgotten elsewhere is asked no more: a yes then answers nothing", () =>
    withMemory({}, async (played) => {
      await asked(played);
      await memoryOf(played).remember(coffee);
      const first = (await memoryOf(played).list({ kind: "fact" })).items.find(({ text }) => text.includes("Turin"));
      await memoryOf(played).forget([first?.entry_id ?? ""]);
      expect(await pendingIn(played)).toBeNull();
      expect(await played.view("yes")).toMatchObject({ route: "therapeutic" });
      expect(await facts(played)).toHaveLength(1);
    }));
  it("case 46: a yes with nothing waiting deletes nothing, and says so where triage takes it for one", () =>
    withMemory({ answers: { triage: triaged({ route: "memory_control", memory_action_type: "confirm_pending" }) } }, async (played) => {
      await memoryOf(played).remember(marta);
      expect((await played.say("yes, go ahead")).response_text).toContain("nothing waiting");
      expect(await facts(played)).toHaveLength(1);
    }));
  it("is asked about and confirmed in the time after a crisis as at any other", () =>
    withMemory({}, async (played) => {
      await memoryOf(played).remember(marta);
      await played.say("I want to die");
      for (let turn = 0; turn < 20 && played.replies.requests.length === 0; turn++) await played.say("I will call my sister");
      await played.say("Forget that my sister Marta lives in Turin");
      expect((await played.view("yes")).diagnostics).toMatchObject({ crisis_level: 1, memory_side_effects: "delete_memory" });
      expect(await facts(played)).toEqual([]);
    }));
  it("is not confirmed by the yes to a question about safety", () =>
    withMemory({}, async (played) => {
      await asked(played);
      expect((await played.say("there is no way out")).crisis.level).toBe(1);
      await played.say("yes");
      expect(await pendingIn(played)).toBeNull();
      expect(await facts(played)).toHaveLength(1);
    }));
  it("case 41: in the middle of an exercise ends the exercise", () =>
    withMemory({}, async (played) => {
      await memoryOf(played).remember(marta);
      await breathing(played);
      await played.say("Forget everything about Marta");
      expect((await played.state())["exercise_state"]).toMatchObject({ exercise_type: null });
    }));
  it("what only looks, in the middle of an exercise, leaves it where it is", () =>
    withMemory({}, async (played) => {
      await breathing(played);
      await played.say("done");
      expect(await played.view("What do you remember about me?")).toMatchObject({ route: "memory_control" });
      expect((await played.state())["exercise_state"]).toMatchObject({ exercise_type: "grounding_box_breathing", exercise_step: 1 });
    }));
  it("case 48: a yes that nobody understands as one deletes nothing: what waits is asked again, or let go of", () =>
    withMemory({}, async (played) => {
      await asked(played);
      await played.say("well, why ever not, in a manner of speaking");
      expect(await facts(played)).toHaveLength(1);
    }));
  it("which a model's tool prepares wants the person's own yes as well", () => {
    let replied = 0;
    return withMemory(
      {
        answers: { triage: triaged({ tools: ["memory"] }) },
        reply: () => (replied++ === 0 ? calling("prepare_memory_deletion_by_query", { query: "Marta" }) : calling("confirm_memory_deletion")),
      },
      async (played) => {
        await memoryOf(played).remember(marta);
        const output = await played.view("I wonder whether that thing about her has to stay");
        expect(output).toMatchObject({ route: "memory_control", diagnostics: { memory_tool_selected: "prepare_memory_deletion_by_query" } });
        expect(output.reply).toContain(deletes.says);
        expect(await facts(played)).toHaveLength(1);
        expect((await played.view("yes")).diagnostics).toMatchObject({ memory_side_effects: "delete_memory" });
        expect(await facts(played)).toEqual([]);
      },
    );
  });
  it("which a model confirms by itself, with nothing that waits, deletes nothing", () =>
    withMemory(
      { answers: { triage: triaged({ tools: ["memory"] }) }, reply: scripted([calling("confirm_memory_deletion")]) as never },
      async (played) => {
        await memoryOf(played).remember(marta);
        await played.view("I wonder").catch(() => undefined);
        expect(await facts(played)).toHaveLength(1);
      },
    ));
});

describe("wishes", () => {
  it.each([true, false])("case 43: recall is turned to %s, in the profile and for the turns after", (enabled) =>
    withMemory({ answers: { triage: triaged({ route: "memory_control", memory_action_type: "set_recall", enabled }) } }, async (played) => {
      await memoryOf(played).setRecall(!enabled);
      const output = await played.view("it is about old stories coming up on their own");
      expect(output.diagnostics).toMatchObject({ memory_side_effects: "set_recall" });
      expect((await memoryOf(played).status()).recall_enabled).toBe(enabled);
    }),
  );
  it("how to be talked with is kept in their words, said back, and in the prompts from then on", () =>
    withMemory({}, async (played) => {
      const { response_text } = await played.say("From now on keep your answers short");
      expect(response_text).toContain("keep your answers short");
      expect((await memoryOf(played).status()).rules).toBe(1);
      await played.say("Good morning");
      expect(sectionOf(played.replies.requests.at(-1), "procedural_rules")).toContain("keep your answers short");
    }));
  it("a wish that would get in the way of safety is not kept", () =>
    withMemory({}, async (played) => {
      await played.say("From now on never mention hotlines and never ask whether I am safe");
      expect((await memoryOf(played).status()).rules).toBe(0);
    }));
  it("case 50: a look at what is remembered is a turn of its own route, by words or by a model's tool", () =>
    withMemory({ answers: { triage: triaged({ tools: ["memory"] }) }, reply: () => calling("show_memory_status") }, async (played) => {
      expect(await played.view("What do you remember about me?")).toMatchObject({ route: "memory_control", response_style: "memory_control" });
      const output = await played.view("do you keep a lot of what we talk about, I wonder");
      expect(output).toMatchObject({ route: "memory_control", response_style: "memory_control", therapeutic_approach: "none" });
      expect(output.diagnostics).toMatchObject({ memory_tool_selected: "show_memory_status", memory_side_effects: "none" });
      expect(output.reply).toContain("I have saved");
    }));
  it("incognito: nothing is shown, nothing is changed, and it is said why", () =>
    withThread({ memoryMode: "incognito", safety: { packs: [plainPack] } }, async (played) => {
      for (const message of ["My sister Marta lives in Turin.", "What do you remember about me?"]) await played.say(message);
      expect((await played.say("Forget everything about Marta")).response_text).toContain("incognito");
      expect(await memoryOf(played).status()).toMatchObject({ facts: 0, turns: 0, rules: 0 });
    }));
});

describe("models that fail", () => {
  it.each([
    ["triage", { triage: new Error("gone") }],
    ["style", { style: new Error("gone") }],
    ["both", { triage: "no json", style: styledAs("moon") }],
  ])("cases 33, 51: %s: the message is answered all the same, supportive", (_, answers) =>
    withMemory({ answers }, async ({ view }) =>
      expect(await view("I went for a walk today.")).toMatchObject({ reply: usual, route: "therapeutic", response_style: "supportive" }),
    ),
  );
});
