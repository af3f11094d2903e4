/** What the fixtures say, as lines that a person reads. */
import type { FixtureReport } from "./gates.ts";

const row = (name: string, cells: readonly (number | string)[]): string =>
  `${name.padEnd(20)}${cells.map((value) => String(value).padStart(11)).join("")}`;

/** Figures by class, then what must hold. */
export const fixtureTable = ({ by_class, gates }: FixtureReport): string =>
  [
    row("percent", ["R@10", "MRR", "in prompt", "kept", "n"]),
    ...Object.entries(by_class).map(([name, { recall_at_10, mrr, in_prompt, kept, n }]) => row(name, [recall_at_10, mrr, in_prompt, kept, n])),
    "",
    ...gates.map(({ name, value, limit, ok }) => `${ok ? "PASS" : "FAIL"}  ${name}: ${value} (${limit})`),
  ].join("\n");
