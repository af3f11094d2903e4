/** Conversations with the companion as it comes, offline: every turn goes where it must, and every style of reply is shown what it may be. */
import { describe, expect, test } from "vitest";
import { matrixChecks } from "../../eval/companion/matrix.ts";
import { play } from "../../eval/companion/run.ts";
import { readTrajectories } from "../../eval/companion/trajectories.ts";

const files = [...readTrajectories()];
const failures = (checks: Awaited<ReturnType<typeof play>>) => checks.filter(({ ok }) => !ok);

describe.each(files)("%s", (_file, trajectories) => {
  test.each(trajectories)("$name", async (trajectory) => {
    expect(failures(await play(trajectory))).toEqual([]);
  });
});

test("a turn that goes elsewhere is seen", async () => {
  const wrong = await play({
    name: "elsewhere",
    incognito: false,
    turns: [{ say: "hello", expect: { route: "crisis" }, record: { level: 2 }, asks: "plan", reply: ["^no such words$"], never: ["."] }],
  });
  expect(failures(wrong).map(({ what }) => what)).toEqual(["route", "record.level", "asks", "reply", "never"]);
});

test("each style is shown what the table says", () => {
  expect(failures(matrixChecks())).toEqual([]);
});
