import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { callTable, playScenes, requestTokens, withTable } from "../../scripts/companion/call-table.ts";

it(
  "docs/reference/companion.md has the calls and tokens of every kind of turn, within what a turn may take",
  { retry: 2, timeout: 60_000 },
  async () => {
    const played = await playScenes();
    const page = readFileSync("docs/reference/companion.md", "utf8");
    expect(withTable(page, callTable(played))).toBe(page);
    const third = played.find(({ route }) => route === "conversation, third turn");
    expect(third?.calls.reduce((sum, { body }) => sum + requestTokens(body), 0)).toBeLessThanOrEqual(2_800);
    for (const { route, calls } of played) {
      const reply = calls.findLast(({ name }) => name === "reply" || name === "lookup_answer");
      expect([route, reply?.round ?? 1]).toEqual([route, 1]);
    }
  },
);
