/** The transcript of the pages is what the companion says, and it shows everything there is to show. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { transcriptPage } from "../../scripts/transcript/page.ts";
import { play, type PlayedSession } from "../../scripts/transcript/play.ts";
import { conversation } from "../../scripts/transcript/script.ts";
import { missingIn, touchedIn } from "../../scripts/transcript/touched.ts";
import { root } from "../../scripts/root.ts";

describe("the transcript", () => {
  let sessions: readonly PlayedSession[] = [];
  beforeAll(async () => {
    sessions = await play(conversation);
  }, 60_000);
  const itemsThat = (is: string): number => sessions.flatMap(({ items }) => items).filter((item) => item.is === is).length;

  test("is what the companion says, to the byte", () => {
    expect(transcriptPage(sessions), "run `npm run transcript`, and read what has changed").toBe(
      readFileSync(join(root, "docs/reference/transcript.md"), "utf8"),
    );
  });
  test("has 60 turns, 5 sessions and 3 restarts", () => {
    expect([itemsThat("turn"), sessions.length, itemsThat("restart")]).toEqual([60, 5, 3]);
  });
  test("touches every route, style, approach, outcome of an exercise, command about the memory and level", () => {
    expect(missingIn(touchedIn(sessions))).toEqual([]);
  });
  test("what is not played is missed", () => {
    const calm = sessions.filter(({ number }) => number !== 4);
    expect(missingIn(touchedIn(calm))).toEqual(expect.arrayContaining(["route: crisis", "level: 3", "style: safety_check", "help: emergency"]));
  });
});
