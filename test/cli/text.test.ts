import { describe, expect, test } from "vitest";
import { changeLine, changesBetween, describeChanges } from "../../packages/server/src/cli/describe-event.ts";
import {
  ago,
  clip,
  createWrapper,
  cut,
  described,
  fitted,
  jsonText,
  printable,
  table,
  widthOf,
  wrapped,
} from "../../packages/server/src/cli/terminal-text.ts";
import { messageOf, parseSlash } from "../../packages/server/src/cli/chat/slash.ts";
import { locationOf, shown, withoutSecret } from "../../packages/server/src/cli/database-location.ts";

describe("text at a terminal", () => {
  test.each([
    ["plain", "plain"],
    ["a\u001b[31mb\u0007", "a[31mb"],
    ["a\r\nb\rc\td", "a\nbc\td"],
    ["\u009b2J\u202eabc", "2Jabc"],
    ["Zoë 日本 👍🏽", "Zoë 日本 👍🏽"],
  ])("%j is printed as %j", (text, safe) => expect(printable(text)).toBe(safe));

  test.each([
    ["abc", 3],
    ["日本", 4],
    ["e\u0301", 1],
    ["👍", 2],
    ["", 0],
  ])("%j is %i columns wide", (text, width) => expect(widthOf(text)).toBe(width));

  test("JSON keeps every character, none of which steers the terminal", () => {
    const value = { text: "\u001b[2J\u009b2J\u202e\n", plain: "é" };
    expect(jsonText(value)).toBe('{"text":"\\u001b[2J\\u009b2J\\u202e\\n","plain":"é"}');
    expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  });
  test("clips to columns, not characters, and says so", () => {
    expect([clip("one\n two", 20), clip("日本語の文", 7), cut("a  b", 4), cut("abcdef", 3)]).toEqual(["one two", "日本語…", "a  b", "ab…"]);
  });
  test("columns are as wide as their widest cell", () => {
    expect(
      table([
        ["a", "bb", "c"],
        ["日本", "b", ""],
      ]),
    ).toBe("a     bb  c\n日本  b");
  });
  test.each([
    [0, "now"],
    [1_500, "1 s ago"],
    [61_000, "1 min ago"],
    [7_200_000, "2 h ago"],
    [200_000_000, "2 d ago"],
    [-5_000, "now"],
  ])("%i ms before is %s", (ms, text) => expect(ago(1_000_000_000_000 - ms, 1_000_000_000_000)).toBe(text));
});

describe("wrapping", () => {
  test("breaks between words, also where words come in pieces", () => {
    let out = "";
    const wrapper = createWrapper((text) => (out += text), { column: 5, columns: () => 20 });
    for (const piece of ["one two th", "ree four", " five\nsix  ", "seven"]) wrapper.write(piece);
    wrapper.end();
    expect(out).toBe("one two three\nfour five\nsix  seven\n");
  });
  test("the lines of an item of a list begin below its text, and those after it do not", () => {
    expect(wrapped("- one two three four five six\nseven eight nine ten eleven", 20)).toBe(
      "- one two three four\n  five six\nseven eight nine ten\neleven",
    );
    expect(wrapped("one - two three four five", 20)).toBe("one - two three four\nfive");
  });

  test("a word that is too long stands on a line of its own", () => expect(wrapped(`a ${"b".repeat(30)} c`, 20)).toBe(`a\n${"b".repeat(30)}\nc`));
  test("text without spaces is broken and shown as it comes", () => {
    let out = "";
    const wrapper = createWrapper((text) => (out += text), { column: 0, columns: () => 20 });
    wrapper.write("今日は");
    expect(out).toBe("今日");
    wrapper.write("眠れました。abc");
    wrapper.end();
    expect(out).toBe("今日は眠れまし\nた。abc\n");
  });
  test("follows a terminal that is resized", () => {
    let out = "";
    let columns = 40;
    const wrapper = createWrapper((text) => (out += text), { column: 0, columns: () => columns });
    wrapper.write("one two three four ");
    columns = 20;
    wrapper.write("five six ");
    wrapper.end();
    expect(out).toBe("one two three four\nfive six\n");
  });
});

describe("changes of a state", () => {
  const before = { name: "Ada", list: [{ a: 1 }], tags: ["x"], gone: 1, same: { deep: [1] } };
  const after = { name: "Bo", list: [{ a: 1 }, { a: 2 }], tags: ["x", "y"], same: { deep: [1] }, fresh: true };
  test("are the fields that differ", () => {
    expect(changesBetween(before, after)).toEqual([
      { field: "name", before: "Ada", after: "Bo" },
      { field: "list", before: [{ a: 1 }], after: [{ a: 1 }, { a: 2 }] },
      { field: "tags", before: ["x"], after: ["x", "y"] },
      { field: "fresh", after: true },
      { field: "gone", before: 1 },
    ]);
    expect(changesBetween({ a: null }, {})).toEqual([{ field: "a", before: null }]);
  });
  test("in one line", () => {
    expect(changeLine(changesBetween(before, after), 200)).toBe("state +5: name = Bo, list +1, tags = x, y, fresh = true, gone cleared");
    expect(changeLine(changesBetween(before, after), 40)).toBe("state +5: name = Bo, list +1, 3 more");
    expect(changeLine([{ field: "text", after: "x".repeat(500) }], 80).length).toBeLessThan(80);
    expect(changeLine([{ field: "text", before: 1, after: "\u001b[2J" }], 80)).toBe("state +1: text = [2J");
  });
  test("of an object the members that differ, and of a longer list what it has got", () => {
    const before = { plan: { asked: ["plan"], level: 2, window: [{ at: 1 }], given: { a: true, b: false } } };
    const after = { plan: { asked: ["plan"], level: 3, window: [{ at: 1 }, { at: 2 }], given: { a: true, b: true } } };
    expect(describeChanges(changesBetween(before, after), (_style, text) => text)).toBe(
      'plan.level: 2 → 3\nplan.window: + {"at":2}\nplan.given.b: false → true',
    );
  });

  test("old → new", () => {
    const plain = (_style: string, text: string): string => text;
    expect(describeChanges([{ field: "said", after: ["\u009b2J"] }], plain)).toBe('said: (none) → ["\\u009b2J"]');
    expect(
      describeChanges(
        [
          { field: "name", before: "Ada", after: "Bo" },
          { field: "n", after: 1 },
        ],
        plain,
      ),
    ).toBe("name: Ada → Bo\nn: (none) → 1");
    expect(describeChanges([{ field: "long", before: "x".repeat(80), after: "y" }], plain)).toBe(`long:\n  - ${"x".repeat(80)}\n  + y`);
  });
});

describe("a location", () => {
  test("is the option, else the environment, else the default", () => {
    const environment = { THROUGHLINE_DB: " env.db " };
    expect([locationOf("a.db", environment), locationOf(undefined, environment), locationOf(undefined, { THROUGHLINE_DB: "" })]).toEqual([
      "a.db",
      "env.db",
      "./.throughline/throughline.db",
    ]);
    expect(() => locationOf(" ", {})).toThrow(expect.objectContaining({ code: "cli.usage" }));
  });
  test.each([
    ["postgres://me:secret@host:5432/db", "postgres://me@host:5432/db"],
    ["postgres://me:se%40cr:et@host/db?password=other", "postgres://me@host/db?password=***"],
    ["postgres://:secret@host/db", "postgres://@host/db"],
    ["postgres://host/db", "postgres://host/db"],
    ["./a.db", "./a.db"],
  ])("%s is shown as %s", (location, text) => expect(shown(location)).toBe(text));
  test("a password is taken out of a text, as it is written and as it is meant, and not where it is another word", () => {
    expect(withoutSecret("login p@ss1 or p%40ss1 to postgres://me:p%40ss1@h/db", "postgres://me:p%40ss1@h/db")).toBe(
      "login *** or *** to postgres://me@h/db",
    );
    expect(withoutSecret("run throughline :throughline@", "postgres://throughline:throughline@h/db")).toBe("run throughline :***@");
    expect(withoutSecret("a b", "./a")).toBe("a b");
  });
});

describe("commands of a chat", () => {
  test.each([
    ["/state", { name: "state", argument: "" }],
    ["  /REWIND  2 ", { name: "rewind", argument: "2" }],
    ["/quit", { name: "exit", argument: "" }],
    ["/nonsense", "unknown"],
    ["/constructor", "unknown"],
    ["//state", undefined],
    ["/etc/hosts", undefined],
    ["/ state", undefined],
    ["state", undefined],
  ])("%j", (line, command) => expect(parseSlash(line)).toEqual(command));
  test("two slashes protect a message that begins with one", () =>
    expect([messageOf("//state"), messageOf(" plain ")]).toEqual(["/state", " plain "]));
});

describe("texts for narrow terminals", () => {
  test("lines that are too wide break between words; others stay as they are", () => {
    expect(fitted("a  b\n  one two three four five six\nend", 22)).toBe("a  b\n  one two three four\nfive six\nend");
  });

  test("values of names stand below each other", () => {
    expect(
      described(
        [
          ["a", "one two three four five six"],
          ["name", "x"],
        ],
        26,
      ),
    ).toBe("a     one two three four\n      five six\nname  x");
  });
});
