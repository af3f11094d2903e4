import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Assessment, SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";
import { combine } from "../../packages/throughline/src/safety/combine.ts";
import {
  advancePlan,
  afterReply,
  contextFrom,
  type CrisisPlan,
  isOver,
  isSticky,
  nextStep,
  numberOf,
  planOfEarlier,
  type PlanStep,
  type Says,
  windowMax,
  withdrawnPlan,
} from "../../packages/throughline/src/safety/crisis-plan.ts";
import type { ResourceLookup } from "../../packages/throughline/src/safety/resources/resource-table.ts";
import type { Screened } from "../../packages/throughline/src/safety/screen/screened.ts";
import { screenedAs } from "./found.ts";
import { found, nowhere, refused } from "./lookups.ts";
import { planWith } from "./plan-with.ts";

const start = Date.UTC(2026, 10, 21);
const minute = 60_000;

/** A turn of a conversation: what the screen finds, and what the look-up does. */
interface Said extends Partial<Screened> {
  readonly level: SafetyLevel;
  readonly lookup?: ResourceLookup;
  readonly regions?: readonly string[];
  readonly refused?: boolean;
  readonly isRequest?: boolean;
  readonly says?: Says;
  readonly episode?: number;
  /** When it is said; a minute after the one before by default. */
  readonly at?: number;
}

interface Taken {
  readonly plan: CrisisPlan | undefined;
  readonly step: PlanStep;
  readonly assessment: Assessment;
}

/** The steps of a conversation, one after the other, as a gate without a classifier takes them. */
function follow(turns: readonly Said[]): readonly Taken[] {
  let plan: CrisisPlan | undefined;
  return turns.map(({ lookup = nowhere, regions = [], refused = false, isRequest = false, says = {}, episode = 1, at, ...screened }, index) => {
    const now = at ?? start + index * minute;
    const found = screenedAs(screened.level, screened);
    const assessment = combine({ screened: found, path: "deterministic_only", plan, episode, now });
    const advanced = advancePlan(plan, { assessment, screened: found, regions, refused, says, episode, now });
    const step = nextStep(advanced, { assessment, lookup, isRequest });
    const resources = step.give.includes("resources") ? lookup.resources.map(({ id }) => id) : [];
    plan = advanced === undefined || assessment.level === 0 ? advanced : afterReply(advanced, { step, resources, number: numberOf(lookup) });
    return { plan, step, assessment };
  });
}

const steps = (turns: readonly Said[]): readonly PlanStep[] => follow(turns).map(({ step }) => step);
const wish: Said = { level: 2, concepts: ["wish_to_die"], risk_types: ["suicide"] };
const no: Said = { level: 0, answer: "no" };
const calm: Said = { level: 0 };

describe("following a crisis through", () => {
  test("nothing is kept of a conversation in which nothing was found", () => {
    expect(follow([calm, calm]).map(({ plan, step }) => ({ plan, step }))).toEqual([
      { plan: undefined, step: { give: [] } },
      { plan: undefined, step: { give: [] } },
    ]);
  });

  test("case 20: level 1 asks directly, and names no help", () => {
    expect(steps([{ level: 1 }])).toEqual([{ ask: "suicide", give: [] }]);
  });

  test("level 1 again asks something else, and nothing of how or when", () => {
    expect(steps([{ level: 1 }, { level: 1, answer: "evasion" }, { level: 1 }, { level: 1 }]).map(({ ask }) => ask)).toEqual([
      ...["suicide", "someone", "suicide", "someone"],
    ]);
  });

  test("a no with a laugh, and a request, are asked nothing more before a crisis, as long as no words were found and the question was asked", () => {
    const evading: Said = { level: 1, answer: "evasion" };
    const found = [{ id: "en/hopeless", strength: "soft", span: [0, 4] }] as const;
    const last = (turns: readonly Said[]): PlanStep["ask"] => steps(turns).at(-1)?.ask;
    expect(last([{ level: 1 }, { level: 1, answer: "no" }])).toBeUndefined();
    expect(last([{ level: 1 }, { ...evading, isRequest: true }])).toBeUndefined();
    expect(last([{ level: 1 }, evading])).toBe("someone");
    expect(last([{ level: 1, isRequest: true }])).toBe("suicide");
    for (const said of [{ ...evading, isRequest: true }, { level: 1, answer: "no" } as const])
      expect(last([{ level: 1 }, { ...said, matches: found }])).toBe("someone");
    expect(last([wish, { ...evading, isRequest: true }])).toBe("location");
  });

  test("a yes to the direct question opens a crisis, and it is not asked again", () => {
    const [, { plan, step } = expect.fail()] = follow([{ level: 1 }, { level: 2, answer: "yes" }]);
    expect(plan?.answers).toEqual({ suicide: "yes" });
    expect(step).toEqual({ ask: "plan", give: ["resources", "human_care"] });
  });

  describe("a danger that learned weights alone found", () => {
    const weighed: Said = { level: 2, matches: [{ id: "en/words", strength: "soft", span: [0, 4] }], risk_types: ["suicide"] };

    test("is asked about directly, and ends with a no", () => {
      const turns = follow([weighed, no, calm, calm]);
      expect(turns[0]?.step.ask).toBe("suicide");
      expect(turns[1]?.plan).toMatchObject({ highest: 0, window: [], answers: { suicide: "no" }, discussed: true });
      expect(turns[1]?.plan?.doubtful).toBeUndefined();
      for (const { step } of turns.slice(1)) expect(step).toEqual({ give: [] });
    });

    test("does not open the next session after that no", () => {
      const later = { ...calm, episode: 2, at: start + 30 * 60 * minute };
      expect(steps([weighed, no, later]).at(-1)).toEqual({ give: [] });
      expect(steps([weighed, calm, later]).at(-1)).toEqual({ give: [] });
    });

    test("is asked about once: whoever talks about something else is let go on, until a new sign", () => {
      const evading: Said = { level: 1, answer: "evasion" };
      for (const turns of [
        [weighed, evading, calm, calm],
        [weighed, calm, evading, calm],
        [{ ...weighed, level: 1 }, evading, calm, calm],
      ] as const) {
        expect(steps(turns).map(({ ask }) => ask)).toEqual(["suicide", undefined, undefined, undefined]);
        for (const { give } of steps(turns).slice(1)) expect(give).toEqual([]);
      }
      expect(steps([weighed, calm, weighed]).at(-1)?.ask).toBe("suicide");
      expect(steps([weighed, calm, { level: 2, answer: "yes" }]).at(-1)?.ask).toBe("plan");
      expect(steps([weighed, calm, wish]).at(-1)?.ask).toBe("plan");
    });

    test("stays open after an evasion, a yes, a no with a sign, and once words or a classifier found it too", () => {
      const words: Said = { level: 2, matches: [{ id: "en/wish_to_die", strength: "hard", span: [0, 4] }], concepts: ["wish_to_die"] };
      for (const turns of [
        [weighed, { level: 0, answer: "evasion" }],
        [weighed, { level: 2, answer: "yes" }],
        [weighed, { ...weighed, answer: "no" }],
        [weighed, words, no],
        [words, weighed, no],
        [{ ...weighed, matches: [...(weighed.matches ?? []), ...(words.matches ?? [])] }, no],
      ] as const)
        expect(follow(turns).at(-1)?.plan?.highest).toBe(2);
    });

    test("is asked about again when a new sign comes after it", () => {
      expect(steps([weighed, no, calm, wish]).at(-1)?.ask).toBe("plan");
      expect(steps([weighed, no, calm, weighed]).at(-1)?.ask).toBe("suicide");
    });
  });

  test("self-harm without words of suicide is asked about suicide first", () => {
    expect(steps([{ level: 2, concepts: ["injure_self"], risk_types: ["self_harm"] }])[0]?.ask).toBe("suicide");
  });

  test("after a no to it nobody who has hurt themselves is asked how or when, only what is within reach and who is there", () => {
    const harm: Said = { level: 2, concepts: ["injure_self"], risk_types: ["self_harm"] };
    expect(steps([harm, no, no, calm, calm, calm]).map(({ ask }) => ask)).toEqual(["suicide", "location", "means", "someone", "willing", "barriers"]);
    // Not in who has said it in plain words: that is not unsaid.
    expect(steps([wish, no]).map(({ ask }) => ask)).toEqual(["plan", "location"]);
    expect(steps([harm, no, wish]).at(-1)?.ask).toBe("plan");
  });

  test("level 2 goes on to plan, means, time, people, willingness and barriers, one per turn, with the place asked for once", () => {
    const asks = steps([wish, wish, wish, wish, wish, wish, wish, wish, wish]).map(({ ask }) => ask);
    expect(asks).toEqual(["plan", "location", "means", "time", "someone", "willing", "barriers", "plan", "means"]);
  });

  test("what was evaded is asked again after the others, and then how things are, until something is settled", () => {
    const asks = steps([wish, ...Array.from({ length: 24 }, () => calm)]).map(({ ask }) => ask);
    expect(asks.filter((ask, index) => ask !== undefined && ask === asks[index - 1])).toEqual([]);
    expect(asks.slice(0, 14)).toEqual([
      ...["plan", "location", "means", "time", "someone", "willing", "barriers"],
      ...["plan", "means", "time", "someone", "willing", "barriers", "willing"],
    ]);
    expect(asks.slice(18, 24)).toEqual(["check_in", "willing", "check_in", "someone", "check_in", "barriers"]);
    const better = steps([wish, ...Array.from({ length: 24 }, () => calm), { ...calm, says: { reassures: true } }, calm, wish]).map(({ ask }) => ask);
    expect(better.slice(25, 27)).toEqual([undefined, undefined]);
    expect(better.at(-1)).toBeDefined();
  });

  test("goes on after the level has gone down, and a no settles what it was asked of", () => {
    const taken = follow([wish, no, no, no, calm, { level: 0, answer: "yes" }, calm, calm]);
    expect(taken.map(({ assessment }) => assessment.level)).toEqual([2, 1, 1, 1, 1, 1, 1, 1]);
    expect(taken.map(({ step }) => step.ask)).toEqual(["plan", "location", "means", "someone", "willing", "someone", undefined, undefined]);
    expect(taken.at(-1)?.plan?.answers).toMatchObject({ suicide: "yes", plan: "no", means: "no", someone: "unknown", willing: "yes" });
  });

  test("gives each thing once: services, human care, the limits of an AI, something to do", () => {
    const gives = steps([wish, wish, wish, wish, wish].map((said) => ({ ...said, lookup: found }))).map(({ give }) => give);
    expect(gives).toEqual([
      ["resources", "emergency_if", "human_care"],
      ["resources_again", "ai_limits"],
      ["resources_again", "coping"],
      ["resources_again"],
      ["resources_again"],
    ]);
  });

  test("names services when the place is known, also on the way out, and the directories once", () => {
    const gives = steps([wish, wish, { level: 0, lookup: found, regions: ["US"] }, calm]).map(({ give }) => give);
    expect(gives).toEqual([["resources", "human_care"], ["resources_again", "ai_limits"], ["resources", "emergency_if", "coping"], []]);
  });

  test("the place is asked for once, never after a refusal, and never where it is known", () => {
    const asks = (turns: readonly Said[]): number => steps(turns).filter(({ ask }) => ask === "location").length;
    expect(asks(Array.from({ length: 12 }, () => wish))).toBe(1);
    expect(asks(Array.from({ length: 12 }, () => ({ ...wish, lookup: refused, refused: true })))).toBe(0);
    expect(asks([{ ...wish, refused: true }, ...Array.from({ length: 10 }, () => wish)])).toBe(0);
    expect(asks(Array.from({ length: 12 }, () => ({ ...wish, lookup: found, regions: ["US"] })))).toBe(0);
  });

  test("level 3: emergency help, somebody there, distance and services in the first reply, and no question about place or means", () => {
    const [first, second] = steps([{ level: 3, concepts: ["means_in_hand"] }, { level: 3 }]);
    expect(first).toEqual({ ask: "someone", give: ["emergency", "someone", "distance", "resources", "ai_limits"] });
    expect(second).toEqual({ ask: "willing", give: ["emergency", "someone", "resources_again"] });
  });

  test("a quieter turn right after danger still asks for company, and none after it asks how or when", () => {
    const taken = follow([{ level: 3, concepts: ["kill_self"] }, no, calm, calm]);
    expect(taken.map(({ step }) => step.ask)).toEqual(["someone", "location", "willing", "barriers"]);
    expect(taken.map(({ step }) => step.give)).toEqual([
      ["emergency", "someone", "distance", "resources", "ai_limits"],
      ["someone", "resources_again", "human_care"],
      ["coping"],
      [],
    ]);
    expect(steps([{ level: 3 }, { level: 0, answer: "yes" }])[1]?.give).not.toContain("someone");
  });

  test("after danger the number of the place is given once the place is known, and while something is under way until somebody is reached", () => {
    const act: Said = { level: 3, concepts: ["act_done"] };
    const urged = (turns: readonly Said[]): readonly boolean[] => steps(turns).map(({ give }) => give.includes("emergency"));
    const there: Said = { level: 0, lookup: found, regions: ["US"] };
    expect(urged([{ level: 3, concepts: ["kill_self"] }, calm, there, { ...there, regions: [] }])).toEqual([true, false, true, false]);
    expect(urged([act, calm, calm, calm, calm, calm])).toEqual([true, true, true, true, true, true]);
    expect(steps([act, calm, calm, calm]).some(({ give }) => give.includes("coping"))).toBe(false);
    // Whoever will call has been reached.
    const agrees: Said = { level: 0, answer: "yes" };
    expect(urged([act, calm, calm, agrees, calm])).toEqual([true, true, true, false, false]);
    // Who feels fine after they agreed may not call.
    expect(urged([act, calm, calm, agrees, { ...calm, says: { reassures: true } }, calm])).toEqual([true, true, true, false, true, true]);
    expect(urged([{ ...wish, lookup: nowhere }, there])).toEqual([false, false]);
  });

  test("what was heard is the place or a plain answer, of this turn alone", () => {
    const taken = follow([wish, no, { level: 0, regions: ["US"], lookup: found }, { level: 0, regions: ["US"], lookup: found }, calm]);
    expect(taken.map(({ plan }) => plan?.heard)).toEqual([undefined, "plan", "place", undefined, undefined]);
  });

  test("who has reached someone without a name is heard where it answers the question, or after they agreed", () => {
    const called: Said = { level: 0, says: { reached: "someone" } };
    const heard = (turns: readonly Said[]): readonly unknown[] => follow(turns).map(({ plan }) => plan?.heard);
    expect(heard([wish, { ...called, answer: "yes" }])[1]).toBe("reached");
    expect(heard([wish, called])[1]).toBeUndefined();
    expect(heard([{ level: 3 }, no, calm, { level: 0, answer: "yes" }, called]).at(-1)).toBe("reached");
  });

  test("whoever asks that nobody be told or called hears again that a program can do neither", () => {
    const secrecy: Said = { level: 1, matches: [{ id: "en/secrecy", strength: "soft", span: [0, 4] }] };
    expect(steps([wish, calm, calm, secrecy]).at(-1)?.give).toEqual(["ai_limits"]);
  });

  test("whoever has means is asked once to put them out of reach", () => {
    const gives = steps([wish, { ...wish, concepts: ["means_in_hand"] }, wish, wish]).map(({ give }) => give.includes("distance"));
    expect(gives).toEqual([false, true, false, false]);
    expect(steps([{ level: 3, concepts: ["means_in_hand"] }, wish]).map(({ give }) => give.includes("distance"))).toEqual([true, false]);
  });

  test("who writes of somebody in danger now is not asked what they know, but to call", () => {
    expect(steps([{ level: 3, subject: "other" }])[0]?.ask).toBe("willing");
  });

  test("a crisis that gets graver is given help again, and asked again what was denied", () => {
    const [, , , rise, again] = follow([wish, no, { level: 0, answer: "no" }, { level: 3, concepts: ["act_done"] }, wish]);
    expect(rise?.step.give).toEqual(["emergency", "someone", "distance", "resources", "ai_limits"].filter((give) => give !== "ai_limits"));
    expect(rise?.plan?.answers).toMatchObject({ plan: "yes", means: "yes", time: "yes" });
    expect(again?.step.give).toContain("resources_again");
  });

  test("a level 3 after a quieter turn is a first one again", () => {
    expect(steps([{ level: 3 }, wish, { level: 3 }]).at(-1)?.give).toEqual(expect.arrayContaining(["emergency", "someone", "distance"]));
  });

  test("what is said once of plan, means or time is not unsaid", () => {
    const { plan } = follow([{ ...wish, concepts: ["wish_to_die", "plan"] }, wish, no]).at(-1) ?? {};
    expect(plan?.answers).toMatchObject({ suicide: "yes", plan: "yes" });
  });

  test("who writes of another person is asked about them alone, and about themselves once they speak of themselves", () => {
    const own = { id: "en/injure_self", strength: "hard", span: [0, 9] } as const;
    const other: Said = { level: 2, subject: "other", matches: [own], risk_types: ["suicide"] };
    const taken = follow([other, other, other, other, { level: 2, matches: [own], concepts: ["injure_self"] }]);
    expect(taken.map(({ step }) => step.ask)).toEqual(["suicide", "location", "willing", "barriers", "suicide"]);
    expect(taken.map(({ plan }) => plan?.subject)).toEqual(["other", "other", "other", "other", "self"]);
  });

  test("a yes to the question about another person is not asked for again", () => {
    const asks = steps([{ level: 1, subject: "other" }, { level: 2, answer: "yes" }, calm, calm]).map(({ ask }) => ask);
    expect(asks).toEqual(["suicide", "location", "willing", "barriers"]);
  });

  test("a crisis of the writer's own stays theirs when they speak of somebody else", () => {
    expect(follow([wish, { level: 1, subject: "other" }, calm]).map(({ plan }) => plan?.subject)).toEqual(["self", "self", "self"]);
  });

  test("a turn that cannot be screened goes on with what is open", () => {
    const [{ plan } = expect.fail()] = follow([wish]);
    const assessment = combine({ screened: undefined, path: "deterministic_only", plan, now: start });
    const advanced = advancePlan(plan, { assessment, screened: undefined, regions: [], refused: false, now: start });
    expect(nextStep(advanced, { assessment, lookup: nowhere }).ask).toBe("location");
  });
});

describe("what stands in the way", () => {
  const bothers: Said = { level: 0, answer: "evasion", says: { barrier: "burden" } };
  const until = (question: string): readonly Said[] => {
    const asks = steps([wish, ...Array.from({ length: 10 }, () => no)]).map(({ ask }) => ask);
    return [wish, ...Array.from({ length: asks.indexOf(question as never) }, () => no)];
  };

  test("a barrier is heard whatever was asked, is answered once, and reaching out is asked about again", () => {
    const [{ plan, step } = expect.fail(), later] = follow([...until("willing"), bothers, bothers]).slice(-2);
    expect(plan).toMatchObject({ heard: "barriers", barrier: "burden", answers: { willing: "no", barriers: "yes" } });
    expect(step.ask).not.toBe("willing");
    expect(later?.plan?.barrier).toBeUndefined();
    expect(later?.step.ask).toBe("willing");
    expect(follow([wish, bothers]).at(-1)?.plan).toMatchObject({ heard: "barriers", barrier: "burden" });
  });

  test("no barrier is heard before a crisis, beside a sign that is not an answer, or in a promise to call", () => {
    const sign: Said = { ...bothers, level: 2, matches: [{ id: "en/burden", strength: "hard", span: [0, 4] }] };
    for (const turns of [
      [{ level: 1 } as const, bothers],
      [wish, sign],
      [...until("willing"), { ...bothers, says: { barrier: "burden", will_reach: true } } as const],
    ])
      expect(follow(turns).at(-1)?.plan?.barrier).toBeUndefined();
  });

  test("anything at length that answers what makes it hard is a barrier", () => {
    const other: Said = { level: 0, answer: "evasion", says: { barrier: "other" } };
    expect(follow([...until("barriers"), other]).at(-1)?.plan).toMatchObject({ barrier: "other" });
    expect(follow([...until("means"), other]).at(-1)?.plan?.barrier).toBeUndefined();
  });

  test("company and a promise to call are heard in other words, also later", () => {
    const evades: Said = { level: 0, answer: "evasion" };
    expect(follow([...until("someone"), { ...evades, says: { company: true } }]).at(-1)?.plan).toMatchObject({
      heard: "someone",
      answers: { someone: "yes" },
    });
    const alone = follow([...until("someone"), { ...evades, says: { company: false } }]).at(-1);
    expect(alone?.plan).toMatchObject({ heard: "someone", answers: { someone: "no" } });
    expect(alone?.step.give).toContain("someone");
    expect(follow([...until("willing"), evades, { ...evades, says: { will_reach: true } }]).at(-1)?.plan).toMatchObject({
      ...{ heard: "willing", answers: { willing: "yes" } },
    });
    expect(follow([wish, { ...evades, says: { will_reach: true } }]).at(-1)?.plan?.answers.willing).toBeUndefined();
  });
});

describe("a new sign", () => {
  const sign: Said = { level: 1, matches: [{ id: "en/hopeless", strength: "soft", span: [0, 4] }] };

  test("is asked about again once all was settled, or after three quiet turns, and no earlier no holds against it", () => {
    const settled = follow([wish, ...Array.from({ length: 20 }, () => no), sign]);
    expect(settled.at(-2)?.plan?.asked).toContain("barriers");
    expect(settled.at(-1)).toMatchObject({ step: { ask: "plan" }, plan: { answers: { suicide: "yes" } } });
    const quiet = follow([wish, no, no, no, { ...wish, level: 2, matches: sign.matches ?? [] }]);
    expect(quiet.at(-1)).toMatchObject({ step: { ask: "plan" } });
    expect(quiet.at(-1)?.plan?.answers).toEqual({ suicide: "yes", someone: "unknown" });
  });

  test("right after the last one goes on with what is open", () => {
    expect(steps([wish, no, { ...wish, matches: sign.matches ?? [] }]).map(({ ask }) => ask)).toEqual(["plan", "location", "means"]);
  });
});

describe("the country", () => {
  const none: ResourceLookup = { ...nowhere, status: "no_verified_results", regions: ["XX"], location: "XX" };

  test("brings its emergency number once, also where no service is verified, and never beside the call of a level 3", () => {
    const gives = (turns: readonly Said[]): readonly boolean[] => steps(turns).map(({ give }) => give.includes("emergency_if"));
    expect(gives([wish, { ...wish, lookup: none }, { ...wish, lookup: none }])).toEqual([false, true, false]);
    expect(gives([{ ...wish, lookup: found }, calm])).toEqual([true, false]);
    expect(
      gives([
        { level: 3, lookup: found },
        { ...wish, lookup: found },
      ]),
    ).toEqual([false, false]);
  });
});

describe("the next session", () => {
  const day = 24 * 60 * minute;
  const at = (days: number): number => start + days * day;
  const later = (days: number, more: Partial<Said> = {}): Said => ({ level: 0, episode: 2, at: at(days), ...more });
  const asks = (turns: readonly Said[]): readonly unknown[] => follow(turns).map(({ step }) => step.ask);

  test("opens with it for seven days, at level 1, with nothing else", () => {
    for (const days of [0.01, 2, 6.9]) {
      const [, { step, assessment } = expect.fail()] = follow([{ ...wish, lookup: found, regions: ["US"] }, later(days, { lookup: found })]);
      expect([step, assessment.level, assessment.grounds]).toEqual([{ ask: "last_time", give: [] }, 1, ["open_plan"]]);
    }
    expect(follow([wish, later(7.1)]).at(-1)).toMatchObject({ step: { give: [] } });
    expect(asks([wish, later(7.1)])).toEqual(["plan", undefined]);
    expect(asks([{ level: 1 }, later(0.01)]).at(-1)).not.toBe("last_time");
  });

  test("a no ends it, for the sessions after it too", () => {
    const taken = follow([
      wish,
      later(2),
      later(2, { answer: "no", at: at(2) + minute }),
      later(2, { at: at(2) + 2 * minute }),
      later(3, { episode: 3 }),
    ]);
    expect(taken.map(({ step }) => step.ask)).toEqual(["plan", "last_time", undefined, undefined, undefined]);
    expect(taken[2]?.plan).toMatchObject({ heard: "last_time", discussed: true });
  });

  test("a yes is a crisis again, with all its questions and help", () => {
    const taken = follow([{ ...wish, lookup: found }, later(2), later(2, { level: 2, answer: "yes", at: at(2) + minute, lookup: found })]);
    expect(taken.at(-1)).toMatchObject({ step: { ask: "plan", give: ["resources", "emergency_if", "human_care"] } });
    expect(taken.at(-1)?.plan).not.toHaveProperty("earlier");
  });

  test("an evasion is followed by the direct question once, and the next session opens with it again", () => {
    const evades = (minutes: number): Said => later(2, { level: 1, answer: "evasion", at: at(2) + minutes * minute });
    expect(asks([wish, later(2), evades(1), evades(2), later(2, { at: at(2) + 3 * minute }), later(3, { episode: 3 })])).toEqual([
      ...["plan", "last_time", "suicide", undefined, undefined, "last_time"],
    ]);
  });

  test("a sign at its beginning is answered as one", () => {
    const again = { ...wish, matches: [{ id: "en/wish_to_die", strength: "hard" as const, span: [0, 4] as const }] };
    expect(asks([wish, later(2, again)]).at(-1)).toBe("plan");
  });

  test("within a day the plan goes on after a word that is no answer", () => {
    expect(asks([wish, no, later(0.01), later(0.01, { answer: "evasion", at: at(0.02) })]).at(-1)).not.toBeUndefined();
  });

  test("the data of an earlier session is a plan only if it is whole", () => {
    const kept = { highest: 3, subject: "other", risk_types: ["suicide", "?"], last_high_at: start, regions: ["US"], language: "de" };
    expect(planOfEarlier(kept)).toMatchObject({
      highest: 3,
      subject: "other",
      risk_types: ["suicide"],
      regions: ["US"],
      language: "de",
      last_high_at: start,
    });
    for (const bad of [{ ...kept, highest: 1 }, { ...kept, last_high_at: "x" }, { ...kept, regions: null }, { ...kept, risk_types: 1 }, {}])
      expect(planOfEarlier(bad)).toBeUndefined();
  });
});

describe("the end of a crisis", () => {
  const day = 24 * 60 * minute;

  test("is six turns or a day after it was last grave, whichever is longer", () => {
    const quick = follow([wish, ...Array.from({ length: 20 }, () => calm)]);
    expect(quick.map(({ assessment }) => assessment.level)).toEqual([2, ...Array.from({ length: 20 }, () => 1)]);
    const slow = follow([wish, ...Array.from({ length: 9 }, (_, index) => ({ ...calm, at: start + (index + 1) * day }))]);
    // Without a classifier the window of ten turns is asked about as well.
    expect(slow.map(({ assessment }) => assessment.override)).toEqual([
      "none",
      ...["sticky", "sticky", "sticky", "sticky", "sticky", "sticky"],
      ...["floor", "floor", "floor"],
    ]);
    expect(slow.map(({ plan }) => plan !== undefined && isSticky(plan, start + 30 * day))).toEqual([
      ...[true, true, true, true, true, true, false, false, false, false],
    ]);
  });

  test("forgets what was asked and given, and not where the person is or what they refused", () => {
    const before = planWith({
      ...{ highest: 2, last_high_at: start, turns_since_high: 6, asked: ["suicide", "plan"], answers: { suicide: "yes" }, given: ["us-988"] },
      ...{ human_care_given: true, regions: ["US"], location_refused: true, replies: 7 },
    });
    const assessment = combine({ screened: screenedAs(2), path: "deterministic_only", plan: before, now: start + 2 * day });
    expect(isOver(before, start + 2 * day)).toBe(true);
    expect(advancePlan(before, { assessment, screened: screenedAs(2), regions: [], refused: false, now: start + 2 * day })).toMatchObject({
      ...{ highest: 2, asked: [], answers: {}, given: [], human_care_given: false },
      ...{ regions: ["US"], location_refused: true, replies: 7, turns_since_high: 0 },
    });
  });

  test("an unclear moment is over after six turns, and can then be asked about again", () => {
    expect(steps([{ level: 1 }, ...Array.from({ length: 16 }, () => calm), { level: 1 }]).at(-1)?.ask).toBe("suicide");
  });

  test("a floor does not hold itself up", () => {
    const taken = follow([{ level: 1 }, ...Array.from({ length: 12 }, () => calm)]);
    expect(taken.map(({ assessment }) => assessment.level)).toEqual([1, ...Array.from({ length: 10 }, () => 1), 0, 0]);
    expect(taken.at(-1)?.plan?.window.every(({ level }) => level === 0)).toBe(true);
  });

  test("an unclear moment is over with a no to the direct question", () => {
    const taken = follow([{ level: 1 }, no, calm]);
    expect(taken.map(({ assessment }) => assessment.level)).toEqual([1, 0, 0]);
    expect(taken.map(({ step }) => step.ask)).toEqual(["suicide", undefined, undefined]);
  });

  test("a no does not hold beside words of warning, or before them", () => {
    expect(follow([{ level: 1 }, { level: 1, answer: "no" }, calm]).map(({ assessment }) => assessment.level)).toEqual([1, 1, 1]);
    const later = follow([{ level: 1 }, no, calm, { level: 1 }, calm]);
    expect(later.map(({ assessment }) => assessment.level)).toEqual([1, 0, 0, 1, 1]);
    expect(later.map(({ step }) => step.ask)).toEqual(["suicide", undefined, undefined, "suicide", "someone"]);
  });
});

describe("what the screen is told of the turns before", () => {
  test("what was asked, how grave it was, how often it was unclear", () => {
    expect(contextFrom(undefined)).toEqual({});
    expect(contextFrom(follow([{ level: 1 }, { level: 1 }]).at(-1)?.plan)).toEqual({ asked: "someone", highest: 1, unclear: 2 });
    expect(contextFrom(follow([wish, { level: 0, lookup: found }]).at(-1)?.plan)).toMatchObject({ asked: "means", highest: 2, unclear: 0 });
    expect(contextFrom(planWith({ last_asked: "barriers" }))).toHaveProperty("asked", "barriers");
    expect([
      windowMax(undefined),
      windowMax(
        planWith({
          window: [
            { level: 3, at: 0 },
            { level: 1, at: 1 },
          ],
        }),
      ),
    ]).toEqual([0, 3]);
  });

  test("a question is answered in the next turn or not at all", () => {
    expect(contextFrom(follow([{ level: 1 }, calm]).at(-1)?.plan)).toMatchObject({ highest: 1 });
    const { plan } = follow([{ level: 1 }])[0] ?? {};
    const assessment = { ...combine({ screened: screenedAs(0), path: "union", plan, now: start }), level: 0 as const };
    expect(advancePlan(plan, { assessment, screened: screenedAs(0), regions: [], refused: false, now: start })).not.toHaveProperty("last_asked");
  });
});

describe("laws of the plan", () => {
  const said = fc.record<Said>({
    level: fc.constantFrom<SafetyLevel[]>(0, 1, 2, 3),
    subject: fc.constantFrom("self", "other"),
    concepts: fc.subarray(["wish_to_die", "plan", "means_in_hand", "time_near", "alone_now", "act_done"]),
    lookup: fc.constantFrom(nowhere, found, refused),
    distress: fc.boolean(),
  });

  test("no reply asks for the place twice, at level 3, or after a refusal; nothing is given at level 0; help only where a crisis is open", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 30 }), (turns) => {
        const taken = follow(turns);
        const places = taken.filter(({ step }) => step.ask === "location");
        if (places.some(({ assessment, plan }) => assessment.level === 3 || plan?.location_refused === true)) return false;
        if (taken.some(({ assessment, step }) => assessment.level === 0 && (step.give.length > 0 || step.ask !== undefined))) return false;
        if (taken.some(({ plan, step }) => (plan?.highest ?? 0) < 2 && step.give.length > 0)) return false;
        return places.length <= 1;
      }),
    );
  });

  test("level 3 always urges, and level 1 that was found always asks as long as no crisis is open", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 20 }), (turns) =>
        follow(turns).every(({ assessment, plan, step }) => {
          if (assessment.level === 3) return step.give.includes("emergency") && step.give.includes("someone");
          return assessment.level !== 1 || (plan?.highest ?? 0) >= 2 || assessment.override === "floor" || step.ask !== undefined;
        }),
      ),
    );
  });

  const evades: Said = { level: 0, answer: "evasion" };
  const agrees: Said = { level: 0, says: { will_reach: true } };

  test("a crisis asks one question in each reply until it is settled, and none twice in a row", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Said[]>(wish, no, calm, evades, agrees), { maxLength: 40 }), (turns) => {
        const taken = follow([wish, ...turns]);
        const asks = taken.map(({ step }) => step.ask);
        const isOpen = taken.every(({ plan, step }) => step.ask !== undefined || plan?.answers.willing === "yes");
        return isOpen && asks.every((ask, index) => ask === undefined || ask !== asks[index - 1]);
      }),
    );
  });

  test("once the person agreed to reach out, and the rest was asked, it asks no more", () => {
    const rest = Array.from({ length: 15 }, () => calm);
    expect(follow([wish, ...rest, agrees, ...rest]).at(-1)?.step).toEqual({ give: [] });
  });
});

test("a withdrawal gives a plan of an older version the members that it lacks", () => {
  const { ai_limits_given: _given, replies: _replies, ...older } = planWith();
  const plan = withdrawnPlan(older as CrisisPlan, planWith({ highest: 3, last_high_at: start }));
  expect(plan).toMatchObject({ highest: 3, ai_limits_given: false, replies: 0 });
});
