/** A real tokenizer behind the port of token counters: js-tiktoken's encoding of GPT-4o and later. */
import { Tiktoken } from "js-tiktoken/lite";
import o200k_base from "js-tiktoken/ranks/o200k_base";
import { describe, expect, it } from "vitest";
import { charactersOverFour, tiktokenCounter } from "../../packages/throughline/src/context.ts";

const counter = tiktokenCounter("o200k_base", new Tiktoken(o200k_base));

describe("a real tokenizer", () => {
  it.each([
    ["", 0],
    ["hello world", 2],
    ["The quick brown fox jumps over the lazy dog.", 10],
  ])("%j has %d tokens", (text, tokens) => {
    expect(counter.count(text)).toBe(tokens);
  });

  it("counts marks that a person wrote as text, and does not throw at them", () => {
    expect(counter.count("<|endoftext|>")).toBeGreaterThan(1);
  });

  it("counts what the rule of thumb counts too low", () => {
    expect(counter.count("我姐姐住在里斯本，她会拉大提琴。")).toBeGreaterThan(charactersOverFour.count("我姐姐住在里斯本，她会拉大提琴。"));
  });
});
