/** What stands apart at a terminal, drawn from facts and width. */
import { EventEmitter } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { createPasteFilter, rowsOf } from "../../packages/server/src/cli/chat/line-editor.ts";
import {
  crisisReply,
  farewellLines,
  framed,
  levelInWords,
  type PanelFacts,
  panelInWords,
  panelLines,
} from "../../packages/server/src/cli/chat/panel.ts";
import { nameOf } from "../../packages/server/src/cli/chat/reply-view.ts";
import { createOutput } from "../../packages/server/src/cli/command-output.ts";
import { createScreen, drawnBelow } from "../../packages/server/src/cli/chat/chat-screen.ts";
import { widthOf } from "../../packages/server/src/cli/terminal-text.ts";

const bare = (_style: string, text: string): string => text;
const facts: PanelFacts = {
  ...{
    agent: "companion",
    answers: "rules, offline",
    route: "talk",
    style: "supportive",
    approach: "act",
    level: 0,
    exercise: "box breathing, step 2",
  },
  ...{ memories: ["my sister Marta lives in Turin", "Pepper the dog"], remembered: 14, incognito: false, tokens: 3_000, budget: 6_000 },
};
const at = (columns: number, rows = 30, more: Partial<PanelFacts> = {}): readonly string[] =>
  panelLines({ ...facts, ...more }, { columns, rows }, bare);

describe("the panel", () => {
  test("names every fact, at 80 and at 120 columns", () => {
    expect(at(80)).toEqual([
      "── companion · rules, offline ─────────────────────────────────────────────────",
      "route talk · style supportive · approach act · level 0 ordinary",
      "exercise box breathing, step 2 · budget ▓▓▓▓▓░░░░░ 3000 of 6000 tokens",
      "memories: my sister Marta lives in Turin; Pepper the dog (2 of 14)",
    ]);
    expect(at(120).slice(1)).toEqual([
      "route talk · style supportive · approach act · level 0 ordinary · exercise box breathing, step 2",
      "budget ▓▓▓▓▓░░░░░ 3000 of 6000 tokens",
      "memories: my sister Marta lives in Turin; Pepper the dog (2 of 14)",
    ]);
  });

  test("is narrower than any terminal, whatever is in it", () => {
    const odd = { memories: ["日本語の妹".repeat(9), "שלום עולם ".repeat(9), "👩‍👩‍👧‍👦".repeat(9)], exercise: "x".repeat(90), agent: "名".repeat(70) };
    for (let columns = 24; columns <= 160; columns += 1)
      for (const line of [...at(columns), ...at(columns, 30, odd)]) expect([columns, widthOf(line) < columns]).toEqual([columns, true]);
  });

  test("takes at most a third of the rows, and none of a small terminal", () => {
    for (let rows = 9; rows < 40; rows += 1) expect(at(30, rows).length).toBeLessThanOrEqual(Math.max(2, rows / 3));
    expect([at(80, 8), at(23)]).toEqual([[], []]);
    expect(at(80, 9)).not.toEqual([]);
  });

  test("says that nothing is known, recalled or kept", () => {
    const nothing = panelLines({ agent: "a", answers: "rules", memories: [], incognito: false }, { columns: 120, rows: 30 }, bare);
    expect(nothing.slice(1)).toEqual(["route none · style none · approach none · level none · exercise none · budget none used", "memories: none"]);
    expect(at(120, 30, { memories: [] }).at(-1)).toBe("memories: none recalled of 14");
    expect(at(120, 30, { incognito: true }).at(-1)).toBe("memories: off: this thread is incognito");
    expect(at(120, 30, { doing: "answering" })[0]).toContain("rules, offline · answering");
  });

  test("changes its color with the level, and never the color alone", () => {
    const styles = (level: number): ReadonlySet<string> => {
      const used = new Set<string>();
      panelLines({ ...facts, level }, { columns: 80, rows: 30 }, (style, text) => (used.add(style), text));
      return used;
    };
    expect([0, 1, 2, 3].map((level) => [...styles(level)])).toEqual([["green", "dim"], ["green", "dim"], ["red"], ["red"]]);
    expect([0, 1, 2, 3].map(levelInWords)).toEqual(["0 ordinary", "1 check-in", "2 crisis", "3 danger"]);
  });

  test("controls in what is shown do not reach the terminal", () => {
    const lines = at(80, 30, { memories: ["a\u001b[2Jb"], route: "x\u009b31m" });
    expect(lines.join("")).toBe(stripVTControlCharacters(lines.join("")));
    expect(lines.join("")).not.toContain("\u009b");
  });

  test("has the same in one sentence, without what there is not", () => {
    expect(panelInWords(facts)).toBe(
      "Status: answered by rules, offline, route talk, style supportive, approach act, level 0 ordinary, exercise box breathing, step 2, 3000 of 6000 tokens, memories recalled: my sister Marta lives in Turin; Pepper the dog.",
    );
    expect(panelInWords({ agent: "a", answers: "rules", route: "talk", memories: [], incognito: true })).toBe(
      "Status: answered by rules, route talk, this thread is incognito.",
    );
  });
});

describe("a reply that is set apart", () => {
  const reply = "One.\n\n- " + "two ".repeat(60) + "\n日本語".repeat(30);
  test.each([40, 80, 120])("fits in %i columns, with a bar before each line", (columns) => {
    const lines = crisisReply(reply, { level: 3, name: "companion", columns, plain: false, paint: bare }).split("\n");
    expect(lines[0]).toMatch(/^┏━ SAFETY REPLY OF COMPANION/u);
    expect(lines.at(-1)).toMatch(/^┗━ End of the safety reply ━*/u);
    expect(lines.slice(1, -1).every((line) => line === "┃" || line.startsWith("┃ "))).toBe(true);
    for (const line of lines) expect(widthOf(line)).toBeLessThan(columns);
  });

  test("is in words alone for screen readers", () => {
    expect(crisisReply("Call.", { level: 3, name: "companion", columns: 80, plain: true, paint: bare })).toBe(
      "Safety reply of companion, an AI, level 3 danger.\nCall.\nEnd of the safety reply.",
    );
  });

  test("a frame paints its bars and not its text", () => {
    const painted = framed("text", { columns: 30, title: "T", end: "E", paint: (part) => `<${part}>` }).split("\n");
    expect(painted[1]).toBe("<┃> text");
  });
});

test("a farewell names what is new, and leaves out what is not there", () => {
  const nothing = {
    episode: 1,
    finalized: false,
    summary: null,
    detail: "Nothing.",
    themes: [],
    mood_opened: null,
    mood_closed: null,
    turn_count: 0,
  };
  const empty = { ...nothing, open_loops: [], resolved_threads: [], memories: [], quotes: [] };
  expect(farewellLines(empty)).toEqual(["Nothing."]);
  expect(
    farewellLines({
      ...empty,
      ...{ detail: "Remembered: 1 fact.", summary: "We spoke.", themes: ["work", "sleep"], mood_opened: "low", mood_closed: "calm" },
      ...{ open_loops: ["call Marta"], resolved_threads: ["the exam"], memories: ["my sister is Marta"], quotes: ["a", "b", "c", "d", "e", "f"] },
    }),
  ).toEqual([
    ...["Remembered: 1 fact.", "We spoke.", "New memories:", "- my sister is Marta"],
    ...["Kept word for word:", "- a", "- b", "- c", "- d", "- and 2 more: /memory"],
    ...["Themes: work, sleep", "Mood: low → calm", "Open:", "- call Marta", "Resolved:", "- the exam"],
  ]);
  expect([nameOf('2026-11-23 "my dog"'), nameOf("2026-11-23 a summary"), nameOf("rule")]).toEqual(["my dog", "a summary", "rule"]);
});

describe("the screen", () => {
  test("draws the panel below the typed line, and returns to the cursor", () => {
    expect(drawnBelow([], undefined)).toBe("");
    expect(drawnBelow(["a", "b"], undefined)).toBe("\u001bD\u001bD\u001b[2A\u001b7\r\n\u001b[Ja\r\nb\u001b8");
    expect(drawnBelow(["a"], { below: 2 })).toBe("\u001bD\u001bD\u001bD\u001b[3A\u001b7\u001b[2B\r\n\u001b[Ja\u001b8");
  });

  test("draws the panel anew only after what moves to another row, and removes it at the end", async () => {
    let written = "";
    const stream = Object.assign(new EventEmitter(), { isTTY: true, columns: 80, rows: 24, write: (text: string) => ((written += text), true) });
    const { out } = createOutput({ stdout: stream as never, stderr: stream as never }, { json: false, environment: { NO_COLOR: "1" } });
    const screen = createScreen(out);
    const taken = async (): Promise<string> => {
      await Promise.resolve();
      const text = written;
      written = "";
      return text.replaceAll("\u001b", "^").replaceAll(/\^\[\?2026[hl]/gu, "|");
    };
    screen.show(({ columns, rows }) => [`panel ${columns} x ${rows}`]);
    expect(await taken()).toBe("|^D^[1A^7\r\n^[Jpanel 80 x 24^8|");
    screen.channel.write("one ");
    screen.channel.write("two");
    expect(await taken()).toBe("one two");
    screen.channel.line(".");
    expect(await taken()).toBe("|^[J.\n^D^[1A^7\r\n^[Jpanel 80 x 24^8|");
    stream.columns = 40;
    stream.emit("resize");
    expect(await taken()).toContain("panel 40 x 24");
    screen.channel.line("word ".repeat(12).trim());
    expect(await taken()).toContain("word word word word word word word\nword");
    screen.close();
    expect(await taken()).toBe("^[J");
    stream.emit("resize");
    screen.channel.line("end");
    expect(await taken()).toBe("end\n");
  });

  test.each([
    ["", 0],
    ["x".repeat(9), 0],
    ["x".repeat(10), 1],
    ["x".repeat(11), 1],
    [`${"x".repeat(9)}日`, 1],
    ["\u001b[1mx\u001b[22m", 0],
    ["日本語日本語", 1],
  ])("counts the breaks of %j at ten columns", (text, rows) => {
    expect(rowsOf(text, 10)).toBe(rows);
  });
});

test("pasted text is taken apart from what is typed, wherever the stream of keys is cut", () => {
  const stream = "ab\u001b[200~one\rtwo\u001b[201~c\u001b[A\u001b[200~\u001b[201~d";
  for (let cut = 0; cut <= stream.length; cut += 1) {
    // An escape alone is taken as the key.
    if (stream.slice(cut - 1).startsWith("\u001b[200~")) continue;
    const got: string[] = [];
    const filter = createPasteFilter({ typed: (text) => void got.push(text), pasted: (text) => void got.push(`<${text}>`) });
    filter(stream.slice(0, cut));
    filter(stream.slice(cut));
    expect(got.join("")).toBe("ab<one\rtwo>c\u001b[A<>d");
  }
});

test("an escape key alone is not held back", () => {
  const got: string[] = [];
  createPasteFilter({ typed: (text) => void got.push(text), pasted: () => {} })("\u001b");
  expect(got).toEqual(["\u001b"]);
});
