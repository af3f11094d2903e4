/** A person's word at the command line: in a chat, over a pipe, and from beside. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Pending } from "../../packages/throughline/src/index.ts";
import { argumentsHash } from "../../packages/throughline/src/session.ts";
import { callNamed, chosenCall, describePending, howToDecide, wordOn } from "../../packages/server/src/cli/approvals.ts";
import { root } from "../../scripts/root.ts";
import { documentOf, newFolder, run } from "./run-cli.ts";

/** An agent that moves money when it is told to, and asks first. */
function withAgent(): { readonly folder: string; readonly agent: string } {
  const folder = newFolder();
  const agent = join(folder, "agent.ts");
  const index = JSON.stringify(pathToFileURL(join(root, "packages/throughline/src/index.ts")).href);
  writeFileSync(
    agent,
    `import { defineAgent, defineState, defineTool, input, loop, scripted } from ${index};
const text = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const transfer = defineTool({
  name: "transfer", description: "Moves money.", parameters: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  effects: "once", approval: { when: ({ amount }) => "Move " + amount + "?" }, execute: ({ amount }) => "moved " + amount,
});
const book = defineTool({
  name: "book", description: "Books.", parameters: { type: "object", properties: {} }, effects: "none",
  execute: async (_, { interrupt }) => "booked for " + JSON.stringify(await interrupt("How many?")),
});
const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last.role === "tool") return "It says: " + last.text;
  if (last.text.startsWith("move")) return { calls: [{ call_id: "x", name: "transfer", arguments: { amount: 5 } }] };
  if (last.text.startsWith("book")) return { calls: [{ call_id: "y", name: "book", arguments: {} }] };
  return "re:" + last.text;
});
export const agent = defineAgent({
  name: "bank", version: 1, state: defineState({ message: input(text) }), reply: loop({ model, tools: [transfer, book] }),
});
`,
  );
  return { folder, agent };
}

const session = (err: string): string => /ses_[0-9a-z]{26}/.exec(err)?.[0] ?? "";

describe("a chat over a pipe", () => {
  test("says what waits and how to decide, and goes on with the word", () => {
    const { folder, agent } = withAgent();
    const { out, err, code } = run(["chat", "--agent", agent], { cwd: folder, input: "move 5\n/pending\n/approve\nhello\n/approve\n" });
    expect([out, code]).toEqual(["It says: moved 5\nre:hello\n", 0]);
    expect(err).toContain("1. transfer wants to run");
    expect(err).toContain("Move 5?");
    expect(err).toContain("/approve · /approve --edit {…} · /reject why");
    expect(err).toContain("(approval.not_pending)");
  });

  test("is left with something pending, and decided by another process, each of the three ways", () => {
    const { folder, agent } = withAgent();
    const words: readonly (readonly [string, readonly string[], RegExp])[] = [
      ["move 5", ["approve", "--edit", '{"amount":2}', "--by", "Ada"], /moved 2$/m],
      ["move 5", ["reject", "--feedback", "Too much."], /It says: .*Too much\./],
      ["book", ["answer", "--answer", "four"], /It says: booked for "four"/],
    ];
    for (const [said, [word = "", ...rest], reply] of words) {
      const first = run(["chat", "--new", "--agent", agent], { cwd: folder, input: `${said}\n` });
      const id = session(first.err);
      expect(first.out).toBe("");
      expect(run(["sessions", "pending", id], { cwd: folder }).out).toMatch(/^1\. (?:transfer wants to run|book asks you)/);
      const call = word === "answer" ? "calls book({})" : 'calls transfer({"amount":5})';
      expect(run(["sessions", "show", id], { cwd: folder }).out).toContain(`  assistant\n  ${call}\n\n`);
      expect(run(["events", "list", id], { cwd: folder }).out).toContain(`assistant: ${call}`);
      expect(run(["sessions", "show", id], { cwd: folder }).out).toContain('{"pending":{"reason":"This call has not returned yet."}}');
      const made = run(["--json", "sessions", word, id, ...rest], { cwd: folder });
      expect(JSON.parse(made.out)).toMatchObject({ session_id: id });
      expect(run(["sessions", word, id, ...rest], { cwd: folder }).code).toBe(4);
      expect(run(["sessions", "pending", id], { cwd: folder }).out).toBe("No call waits; 1 turn is open.\n");
      expect(documentOf(["sessions", "pending", id], { cwd: folder })).toMatchObject({ calls: [], open_turns: [{ status: "running" }] });
      expect(run(["chat", "--session", id, "--agent", agent], { cwd: folder }).out).toMatch(reply);
      expect(run(["sessions", "pending", id], { cwd: folder }).out).toBe("Nothing waits.\n");
    }
  });

  test("is decided without the session's id where it is the most recent one", () => {
    for (const named of [[], ["1"]]) {
      const { folder, agent } = withAgent();
      const id = session(run(["chat", "--new", "--agent", agent], { cwd: folder, input: "move 5\n" }).err);
      expect(run(["sessions", "approve", "nobody", "1"], { cwd: folder })).toMatchObject({ code: 2, out: "" });
      expect(run(["sessions", "approve", "9"], { cwd: folder }).err).toContain('No call is named "9"');
      const made = run(["--json", "sessions", "approve", ...named], { cwd: folder });
      expect(JSON.parse(made.out)).toMatchObject({ session_id: id });
    }
  });
});

const pending = (call_id: string, kind: Pending["kind"], extra: Partial<Pending> = {}): Pending => ({
  ...{ call_id, name: "transfer", kind, index: 0, by: "transfer", arguments: { amount: 5 }, arguments_hash: argumentsHash({ amount: 5 }) },
  ...{ turn_id: "trn_x" as Pending["turn_id"], asked_at: 0 },
  ...extra,
});
const channel = { paint: (_: unknown, text: string) => text, columns: () => 80 };

describe("a line", () => {
  test("names the call only where there are several, so that a number can be an answer", () => {
    const [one, two] = [pending("a", "question"), pending("b", "approval")];
    expect(chosenCall([one], "4 people")).toEqual({ call: one, rest: "4 people" });
    expect(chosenCall([one], "1")).toEqual({ call: one, rest: "1" });
    expect(chosenCall([two], "1")).toEqual({ call: two, rest: "" });
    expect(chosenCall([one, two], "2 too much")).toEqual({ call: two, rest: "too much" });
    expect(chosenCall([one, two], "b")).toEqual({ call: two, rest: "" });
    for (const line of ["", "3", "0", "too much"]) expect(() => chosenCall([one, two], line)).toThrow("2 calls wait");
    expect(() => chosenCall([], "")).toThrow("No call waits");
    expect(() => callNamed([one], "9")).toThrow('"9"');
  });

  test("is a word with all that the session wants to know", () => {
    const call = pending("a", "approval");
    const named = { call_id: "a", index: 0, arguments_hash: call.arguments_hash };
    expect(wordOn("approve", call, "")).toEqual({ ...named, decision: "approve" });
    expect(wordOn("approve", call, '--edit {"amount": 2}')).toEqual({ ...named, decision: "edit", arguments: { amount: 2 } });
    expect(wordOn("reject", call, "too much")).toEqual({ ...named, decision: "reject", feedback: "too much" });
    expect(wordOn("answer", call, "--json 4")).toEqual({ ...named, decision: "answer", answer: 4 });
    expect(() => wordOn("approve", call, "please")).toThrow("--edit");
    expect(() => wordOn("approve", call, "--edit [1]")).toThrow("JSON object");
    expect(() => wordOn("approve", call, "--edit {")).toThrow("not JSON");
    expect(() => wordOn("answer", call, "")).toThrow("text of the answer");
  });

  test("of what waits says who asks, what, with which arguments, and for how long", () => {
    const calls = [pending("a", "approval", { question: "Move 5?", expires_at: 600_000 }), pending("b", "question", { question: { seats: true } })];
    expect(describePending(calls, channel, 0).split("\n")).toEqual([
      ...["1. transfer wants to run · rejected automatically in 10 min", "   Move 5?", '   with {"amount":5}'],
      ...["2. transfer asks you", '   {"seats":true}', '   with {"amount":5}'],
    ]);
    expect(howToDecide(calls)).toContain("/approve <number> · /approve <number> --edit {…} · /answer <number> … · /reject <number> why");
  });
});
