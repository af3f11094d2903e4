import { describe, expect, test } from "vitest";
import { speaksOfSelfHarm } from "../../examples/diary/care.ts";
import { extract } from "../../examples/diary/extract.ts";
import { averageBedtime, dayOf, streakOf } from "../../examples/diary/nights.ts";

/** Friday, 20 November 2026, nine in the morning, wherever the test runs. */
const now = new Date(2026, 10, 20, 9).getTime();

/** Everything found, in one line: name, then each night without its date when that is last night's, then goal and what to forget. */
function read(text: string, at = now): string {
  const { name, nights, goal, forget } = extract(text, at);
  const times = nights.map(({ date, bed, asleep, woke }) => [
    date === dayOf(at, 1) ? "" : date,
    bed === undefined ? "" : `bed ${bed}`,
    asleep === undefined ? "" : `asleep ${asleep}`,
    woke === undefined ? "" : `woke ${woke}`,
  ]);
  const facts = [
    name === undefined ? "" : `name ${name}`,
    ...times.flat(),
    goal === undefined ? "" : `goal ${goal}`,
    ...forget.map((what) => `forget ${what}`),
  ];
  return facts.filter((fact) => fact !== "").join(", ");
}

describe("names", () => {
  test.each([
    ["I'm Ada", "name Ada"],
    ["I’m Ada.", "name Ada"],
    ["Hi, I am Ada Lovelace!", "name Ada Lovelace"],
    ["my name is Ada", "name Ada"],
    ["My name's Jean-Luc and I slept at two", "name Jean-Luc, asleep 02:00"],
    ["my name is ada", "name Ada"],
    ["Please call me Zoë", "name Zoë"],
    ["It's Ada.", "name Ada"],
    ["this is O'Brien", "name O'Brien"],
    ["Actually, my name is Eve", "name Eve"],
    ["Мене звати Ада. I'm Ада", "name Ада"],
    ["my friend's name is Bob", ""],
    ["My friend is called Bob", ""],
    ["my name is not Bob", ""],
    ["My name isn't Bob", ""],
    ["Don't call me Bob", ""],
    ["call me later", ""],
    ["I'm tired", ""],
    ["I'm Tired.", ""],
    ["I'm hungry", ""],
    ["hi i'm ada", "name Ada"],
    ["Hello there, i am ada and I slept at two", "name Ada, asleep 02:00"],
    ["hi i'm tired", ""],
    ["hi i'm at home", ""],
    ["i'm ada", ""],
    ["I'm Ada's sister", ""],
    ["I'm German", ""],
    ["I'm Swedish speaking", ""],
    ["I'm in Berlin", ""],
    ["What is my name?", ""],
    ['She said "I\'m Bob" and left', ""],
    ["my name has five letters", ""],
    ["my dog's name is Rex and my name is Ada", "name Ada"],
    ["Please forget my name", "forget name"],
    ["Don't forget my name", ""],
    ["I always forget my name", ""],
    ["forget everything", "forget name, forget nights, forget goals"],
    ["It was a clear night and I want to remove the night table", ""],
  ])("%s", (text, found) => expect(read(text)).toBe(found));
});

describe("bedtimes", () => {
  test.each([
    ["went to bed at 23:40", "bed 23:40"],
    ["I went to bed at 23.40", "bed 23:40"],
    ["I went to bed at 11pm", "bed 23:00"],
    ["I went to bed at 11:30 p.m. and woke up at 7 a.m.", "bed 23:30, woke 07:00"],
    ["I slept at two", "asleep 02:00"],
    ["woke at 7", "woke 07:00"],
    ["asleep by half past eleven", "asleep 23:30"],
    ["I fell asleep around quarter to two", "asleep 01:45"],
    ["I fell asleep at a quarter past twelve", "asleep 00:15"],
    ["I woke up at ten to seven", "woke 06:50"],
    ["woke up at seven thirty", "woke 07:30"],
    ["I was up at twenty-five past six", "woke 06:25"],
    ["in bed by half eleven", "bed 23:30"],
    ["I went to bed at midnight", "bed 00:00"],
    ["I got up at noon", "woke 12:00"],
    ["I went to bed at 12 am", "bed 00:00"],
    ["I woke up at 12 pm", "woke 12:00"],
    ["I went to bed at 12:30", "bed 00:30"],
    ["I went to bed at twelve and got up at twelve", "bed 00:00, woke 12:00"],
    ["I went to bed at 7 in the morning", "bed 07:00"],
    ["I went to bed at 0:15", "bed 00:15"],
    ["I went to bed at 07:15", "bed 07:15"],
    ["I went to bed at 24:00", "bed 00:00"],
    ["I woke at six o'clock", "woke 06:00"],
    ["At 23:40 I went to bed", "bed 23:40"],
    ["Last night I finally went to bed at about 1", "bed 01:00"],
    ["I went to bed at 11, fell asleep at 11:30 and woke up at 6:45", "bed 23:00, asleep 23:30, woke 06:45"],
    ["I slept from 11 to 7", "asleep 23:00, woke 07:00"],
    ["slept between half past ten and six", "asleep 22:30, woke 06:00"],
    ["I slept until nine", "woke 09:00"],
    ["I was awake until 3", "asleep 03:00"],
    ["I didn't fall asleep until two", "asleep 02:00"],
    ["fell asleep at 11ish", "asleep 23:00"],
    ["bedtime: 22:15", "bed 22:15"],
    ["WENT TO BED AT 11PM", "bed 23:00"],
    ["It was late. I went to bed at 2.", "bed 02:00"],
    ["I'm Ada. Went to bed at 23:40, woke at 7.", "name Ada, bed 23:40, woke 07:00"],
    ["My friend came over but I went to bed at 10", "bed 22:00"],
  ])("%s", (text, found) => expect(read(text)).toBe(found));
});

describe("what is no bedtime", () => {
  test.each([
    "I didn't go to bed at all",
    "I did not go to bed at 11",
    "I never went to bed at 11",
    "I wasn't asleep by 2",
    "my friend went to bed at 10",
    "my friend came over and went to bed at 10",
    "Bob came over and went to bed at 10",
    "She woke at 7",
    "my son fell asleep at 8",
    "Did I go to bed at 11?",
    "I should go to bed at 11",
    "If I went to bed at 10 and woke at 6 I'd be happy",
    "I usually went to bed at 11",
    "I'll be in bed by 11",
    "I slept 8 hours",
    "I slept in at 7 days a week",
    "I went to bed at 25:00",
    "I went to bed at 13 percent battery",
    "I gave up at 7",
    "I threw up at 3",
    "I put the baby to bed at 7",
    'He wrote "I went to bed at 3"',
    "my meeting is at 11",
    "I went to bed",
    "I dreamt I woke at 5",
    "wake me up at 7",
    "",
  ])("%s", (text) => expect(read(text)).toBe(""));
});

describe("which night", () => {
  test.each([
    ["I went to bed at 23:00", "2026-11-19"],
    ["Yesterday I went to bed at 23:00", "2026-11-19"],
    ["On Wednesday I went to bed at 23:00", "2026-11-18"],
    ["Friday night I went to bed at 23:00", "2026-11-13"],
    ["Two nights ago I went to bed at 23:00", "2026-11-18"],
    ["The night before last I went to bed at 23:00", "2026-11-18"],
    ["On 2026-11-01 I went to bed at 23:00", "2026-11-01"],
    ["On 2027-11-01 I went to bed at 23:00", "2026-11-19"],
  ])("%s", (text, date) => expect(extract(text, now).nights.map((night) => night.date)).toEqual([date]));

  test("tonight is today in the evening, and yesterday after midnight", () => {
    const at = (hour: number): string | undefined =>
      extract("I went to bed at 23:00 tonight", new Date(2026, 10, 20, hour).getTime()).nights[0]?.date;
    expect([at(23), at(1)]).toEqual(["2026-11-20", "2026-11-19"]);
  });
  test("several nights in one message", () => {
    const found = extract("On Tuesday I went to bed at 23:00. On Wednesday I went to bed at 1. Woke at 8.", now).nights;
    expect(found).toEqual([
      { date: "2026-11-17", bed: "23:00" },
      { date: "2026-11-18", bed: "01:00", woke: "08:00" },
    ]);
  });
});

describe("goals", () => {
  test.each([
    ["I want to be asleep by 11", "goal be asleep by 11"],
    ["My goal is to leave my phone outside.", "goal leave my phone outside"],
    ["I'd like to sleep eight hours, please", "goal sleep eight hours"],
    ["I want to go home", ""],
    ["I don't want to sleep", ""],
    ["I want to know when I went to bed", ""],
  ])("%s", (text, found) => expect(read(text)).toBe(found));
});

describe("counting", () => {
  const nights = (...days: readonly number[]): { date: string; bed: string }[] => days.map((ago) => ({ date: dayOf(now, ago), bed: "23:00" }));
  test.each([
    ["none", nights(), 0],
    ["last night", nights(1), 1],
    ["three in a row, in any order", nights(2, 1, 3), 3],
    ["a gap", nights(1, 3, 4), 1],
    ["too long ago", nights(2, 3), 0],
    ["tonight counts", nights(0, 1), 2],
  ])("a streak: %s", (_what, list, count) => expect(streakOf(list, now)).toBe(count));

  test("an average lies between the evenings, not at noon", () => {
    const at = (...times: readonly string[]): string | undefined => averageBedtime(times.map((bed, index) => ({ date: dayOf(now, index), bed })));
    expect([at("23:30", "00:30"), at("22:00"), at("23:00", "23:01"), at()]).toEqual(["00:00", "22:00", "23:01", undefined]);
    expect(
      averageBedtime([
        { date: dayOf(now), asleep: "01:00" },
        { date: dayOf(now, 1), woke: "07:00" },
      ]),
    ).toBe("01:00");
  });
});

describe("care", () => {
  test.each([
    "I want to die",
    "i wanna die",
    "I've been thinking about suicide",
    "I want to kill myself",
    "I am hurting myself",
    "I don’t want to live",
    "I want to sleep and never wake up",
    "I wish I were dead",
    "I'd be better off dead",
    "I feel like I can't go on",
  ])("%s", (text) => expect(speaksOfSelfHarm(text)).toBe(true));
  test.each([
    "I'm dying to sleep",
    "this deadline is killing me",
    "I died laughing",
    "I cut myself shaving",
    "my phone is dead",
    "I went to bed at 11",
    "I want to live longer",
  ])("not: %s", (text) => expect(speaksOfSelfHarm(text)).toBe(false));
});
