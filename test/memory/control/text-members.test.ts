/** Every text member of a memory entry is either known to the functions that find and remove words, or listed here with the reason. */
import { describe, expect, test } from "vitest";
import type { Shape } from "../../../packages/throughline/src/kernel/descriptor.ts";
import type { Json, JsonObject } from "../../../packages/throughline/src/kernel/json.ts";
import { planForget } from "../../../packages/throughline/src/memory/control/forget.ts";
import { listingOf } from "../../../packages/throughline/src/memory/control/snapshot-listing.ts";
import { arcWithout, matching } from "../../../packages/throughline/src/memory/control/hidden-words.ts";
import { entries, ruleEntry, type EntryKind } from "../../../packages/throughline/src/memory/entry.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { applied, fact, memoryOf, snapshot } from "./build.ts";

/** Paths of the members that can hold free text: `mood.opened`, `themes.*`. */
function textPaths(node: Shape, path = ""): readonly string[] {
  const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (node.type === "text" || node.type === "json") return [path];
  if (node.type === "list" || node.type === "record" || node.type === "nullable")
    return textPaths(node.of, node.type === "nullable" ? path : below("*"));
  if (node.type === "object") return Object.entries(node.members).flatMap(([name, member]) => textPaths(member, below(name)));
  return node.type === "union" ? node.options.flatMap((option) => textPaths(option, path)) : [];
}

/** A value of the shape with `words` at the path, and without the optional members that are not on it. */
function valueWith(node: Shape, path: readonly string[], words: string): Json {
  const [name, ...rest] = path;
  const isHere = name !== undefined;
  switch (node.type) {
    case "text":
    case "json":
      return words;
    case "literals":
      return node.values[0] ?? null;
    case "boolean":
      return false;
    case "nullable":
      return isHere ? valueWith(node.of, path, words) : null;
    case "list":
      return isHere || node.filled === true ? [valueWith(node.of, rest, words)] : [];
    case "record":
      return isHere ? { one: valueWith(node.of, rest, words) } : {};
    case "object":
      return Object.fromEntries(
        Object.entries(node.members)
          .filter(([member, { optional }]) => member === name || optional !== true)
          .map(([member, shape]) => [member, valueWith(shape, member === name ? rest : [], member === name ? words : "plain")]),
      );
    case "union":
      throw new Error("No listed entry has a union.");
    default:
      return 1;
  }
}

const entryWith = (kind: EntryKind, node: Shape, path: string, words: string): JsonObject => ({
  ...(valueWith(node, path.split("."), words) as JsonObject),
  type: kind,
});

/** Members by whose words nobody searches for an entry. */
const notSearched: Readonly<Record<"fact" | "turn" | "arc" | "rule", readonly string[]>> = {
  // A vocabulary, and why the entry was written.
  fact: ["superseded_by", "policy", "category", "predicate", "subject.type", "object.type", "reason", "sources.*.session_id"],
  turn: ["superseded_by", "source.session_id", "speaker"],
  // A mood is one word of a feeling.
  arc: ["superseded_by", "policy", "session_id", "mood.opened", "mood.closed"],
  rule: ["id", "superseded_by", "sources.*.session_id"],
};

describe("a search for words to forget reads every text member, except the listed ones", () => {
  for (const kind of ["fact", "turn", "arc"] as const)
    test(kind, () => {
      const { node } = entries[kind];
      const missed = textPaths(node).filter((path) => {
        const data = entryWith(kind, node, path, "zebracorn");
        return matching(listingOf(memoryOf({ entry_id: "e", kind, data })), "zebracorn").length === 0;
      });
      expect(missed.toSorted()).toEqual(notSearched[kind].toSorted());
    });
  test("rule", () => {
    const missed = textPaths(ruleEntry.node).filter((path) => {
      const rule = valueWith(ruleEntry.node, path.split("."), "zebracorn");
      const data = { type: "profile", recall_enabled: true, rules: [rule], archived: [] };
      return matching(listingOf(memoryOf({ entry_id: "profile", kind: "profile", data })), "zebracorn").length === 0;
    });
    expect(missed.toSorted()).toEqual(notSearched.rule.toSorted());
  });
});

describe("a summary loses forgotten words in every text member, except the listed ones", () => {
  const said = "my sister Ana lives in Lyon";
  /** Ids, and the name of an approach, which an agent declares. */
  const notCleaned = ["approach", "policy", "session_id", "superseded_by"];
  const paths = textPaths(entries.arc.node);
  const leftBy = (clean: (data: JsonObject) => unknown): readonly string[] =>
    paths.filter((path) => JSON.stringify(clean(entryWith("arc", entries.arc.node, path, said)) ?? null).includes(said)).toSorted();

  test("when the words are forgotten", () => {
    const forget = (data: JsonObject): unknown => {
      const rows = applied([], [encodeEntry("fact:ana", fact(said, "Ana")), { entry_id: "arc:one", kind: "arc", data }]);
      const plan = planForget(snapshot(rows), ["fact:ana"], { now: 1, salt: "0123456789abcdef0123456789abcdef" });
      return applied(rows, plan.writes).filter(({ entry_id }) => entry_id === "arc:one");
    };
    expect(leftBy(forget)).toEqual(notCleaned);
  });
  test("when they are hidden from a prompt", () => {
    const hide = (data: JsonObject): unknown => {
      const [arc] = memoryOf({ entry_id: "arc:one", kind: "arc", data }).arcs;
      if (arc === undefined) throw new Error("The arc cannot be read.");
      return arcWithout(arc.entry, { quotes: [said], labels: [], names: [], kept: [] });
    };
    expect(leftBy(hide)).toEqual(notCleaned);
  });
});
