/**
 * Two tools that share state: `factorial` writes what it found to a field, and `calculator` takes it from there. The model asks for both in one reply and
 * never handles the number; the calculator waits for the factorial, because it reads what that writes.
 *
 *     throughline chat --agent examples/tools-factorial/agent.ts
 *     > Calculate the factorial of 5, then multiply it by 2
 */
import { defineAgent, defineState, defineTool, input, loop, reduced, scripted } from "throughline";
import { z } from "zod";

const Calculation = defineState({
  message: input(z.string()),
  factorial_result: reduced(z.number(), { show: "output" }),
  calc_result: reduced(z.number(), { show: "output" }),
});

const factorial = defineTool({
  name: "factorial",
  description: "Calculates the factorial of a whole number.",
  parameters: z.object({ n: z.int().min(0).max(170) }),
  state: Calculation,
  outputsToState: { factorial_result: { source: "result" } },
  effects: "none",
  execute: ({ n }) => ({ result: Array.from({ length: n }, (_none, index) => index + 1).reduce((product, factor) => product * factor, 1) }),
});

const operations = {
  plus: (left: number, right: number): number => left + right,
  times: (left: number, right: number): number => left * right,
};

const calculator = defineTool({
  name: "calculator",
  description: "Adds a number to the factorial that was calculated last, or multiplies it.",
  parameters: z.object({ left: z.number(), operation: z.enum(["plus", "times"]), right: z.number() }),
  state: Calculation,
  inputsFromState: { factorial_result: "left" },
  outputsToState: { calc_result: { source: "result" } },
  effects: "none",
  execute: ({ left, operation, right }) => ({ result: operations[operation](left, right) }),
});

/** Stands in for a language model, offline: it reads the request as one would, and decides by rule. `openaiCompatible` or `aiSdk` take its place. */
const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return `The result is ${(JSON.parse(last.text) as { result: number }).result}.`;
  const [, n, operation, right] = /factorial of (\d+)(?:.* (multiply|add) .*?(\d+))?/.exec(last?.text ?? "") ?? [];
  if (n === undefined) return "I calculate factorials, and what follows from them.";
  const asked = { operation: operation === "add" ? "plus" : "times", right: Number(right) };
  return {
    calls: [
      { call_id: "first", name: "factorial", arguments: { n: Number(n) } },
      ...(operation === undefined ? [] : [{ call_id: "second", name: "calculator", arguments: asked }]),
    ],
  };
});

export const agent = defineAgent({ name: "calculation", version: 1, state: Calculation, reply: loop({ model, tools: [factorial, calculator] }) });
