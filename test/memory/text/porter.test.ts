import { describe, expect, test } from "vitest";
import { porter } from "../../../packages/throughline/src/memory/text/porter.ts";

/** The examples of the paper, by the step that they are of; each goes through all steps. */
const golden = {
  "1a": "caresses caress ponies poni ties ti caress caress cats cat",
  "1b": "feed feed agreed agre plastered plaster bled bled motoring motor sing sing",
  "1b, after an ending":
    "conflated conflat troubled troubl sized size hopping hop tanned tan falling fall hissing hiss fizzed fizz failing fail filing file",
  "1c": "happy happi sky sky",
  "2": "relational relat conditional condit rational ration valenci valenc hesitanci hesit digitizer digit conformabli conform radicalli radic differentli differ vileli vile analogousli analog vietnamization vietnam predication predic operator oper feudalism feudal decisiveness decis hopefulness hope callousness callous formaliti formal sensitiviti sensit sensibiliti sensibl",
  "3": "triplicate triplic formative form formalize formal electriciti electr electrical electr hopeful hope goodness good",
  "4": "revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop adjustable adjust defensible defens irritant irrit replacement replac adjustment adjust dependent depend adoption adopt homologou homolog communism commun activate activ angulariti angular homologous homolog effective effect bowdlerize bowdler",
  "5": "probate probat rate rate cease ceas controll control roll roll",
  all: "oscillators oscil generalizations gener",
  "short words": "as as is is by by a a",
  "later corrections": "possibly possibl archaeology archaeolog",
};

describe("the stemmer of the paper", () => {
  test.each(Object.entries(golden))("step %s", (_step, list) => {
    const words = list.split(" ");
    const seen = words.map((word, index) => (index % 2 === 0 ? porter(word) : word));
    expect(seen.filter((_, index) => index % 2 === 0)).toEqual(words.filter((_, index) => index % 2 === 1));
  });
});
