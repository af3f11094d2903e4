/** What must hold on the fixtures, whatever else a change improves. */
import { createHash } from "node:crypto";
import type { RetrievalWeights } from "../packages/throughline/src/memory/recall/weights.ts";
import { type Baseline, recallOf } from "./baseline.ts";
import { compare, isDrop } from "./compare.ts";
import { type Answered, answers, ownClasses, stray } from "./fixture-run.ts";
import { forgotten } from "./fixture-forget.ts";
import { type Fixture, queryClasses } from "./fixtures.ts";
import { mean } from "./metrics.ts";
import { percent } from "./report.ts";

/** Something that must hold. */
export interface Gate {
  readonly name: string;
  readonly value: number | string;
  /** What it may be, in words. */
  readonly limit: string;
  readonly ok: boolean;
}

/** Figures of one class of queries. */
export interface ClassFigures {
  readonly n: number;
  readonly recall_at_10: number;
  readonly mrr: number;
  /** Share of the evidence that is in the prompt, within the default budget. */
  readonly in_prompt: number;
  /** Share of the queries that get anything. */
  readonly kept: number;
}

/** What the fixtures say. */
export interface FixtureReport {
  readonly unit: "percent";
  readonly by_class: Readonly<Record<string, ClassFigures>>;
  readonly floor: { readonly own_kept: number; readonly foreign_rejected: number; readonly own: number; readonly foreign: number };
  readonly gates: readonly Gate[];
  readonly ranking_sha256: string;
}

const reciprocal = (ranks: readonly (number | null)[]): number =>
  1 / Math.min(Number.POSITIVE_INFINITY, ...ranks.map((rank) => rank ?? Number.POSITIVE_INFINITY));

function classFigures(some: readonly Answered[]): ClassFigures {
  const asked = some.filter(({ ranks }) => ranks.length > 0);
  return {
    n: some.length,
    recall_at_10: percent(mean(asked.map(({ ranks }) => recallOf(ranks)))),
    mrr: percent(mean(asked.map(({ ranks }) => reciprocal(ranks)))),
    in_prompt: percent(mean(asked.map(({ shown }) => shown.filter((rank) => rank !== null).length / shown.length))),
    kept: percent(mean(some.map(({ isKept }) => (isKept ? 1 : 0)))),
  };
}

/** A digest of every ranking: one place that changed changes it. */
export const digestOf = (answered: readonly Answered[]): string =>
  createHash("sha256")
    .update(answered.map(({ id, found }) => `${id} ${found.join(" ")}\n`).join(""))
    .digest("hex");

/** Whether recall has become worse than it was, by more than a point and more than chance. */
function dropGate(answered: readonly Answered[], baseline: Baseline | undefined): Gate {
  const known = answered.flatMap(({ id, ranks }) => {
    const before = baseline?.ranks[id];
    return before === undefined || before.length === 0 || ranks.length === 0 ? [] : [[recallOf(before), recallOf(ranks)] as const];
  });
  const comparison = compare(
    known.map(([before]) => before),
    known.map(([, after]) => after),
  );
  const value = `${percent(comparison.difference)} points, p ${comparison.p.toFixed(3)}, ${known.length} queries`;
  return { name: "recall against the baseline", value, limit: "no drop of more than a point with p < .05", ok: !isDrop(comparison) };
}

/** Runs everything that is asked of the fixtures. */
export function fixtureReport(fixtures: readonly Fixture[], weights: RetrievalWeights, baseline: Baseline | undefined): FixtureReport {
  const answered = answers(fixtures, weights);
  const strayed = stray(fixtures, weights);
  const own = answered.filter(({ class: name }) => ownClasses.includes(name));
  const ownKept = percent(mean(own.map(({ isKept }) => (isKept ? 1 : 0))));
  const foreignRejected = percent(strayed.rejected / strayed.asked);
  const superseded = answered.flatMap((one) => one.superseded).length;
  const remains = forgotten(fixtures, weights);
  const digest = digestOf(answered);
  return {
    unit: "percent",
    by_class: Object.fromEntries(queryClasses.map((name) => [name, classFigures(answered.filter((one) => one.class === name))])),
    floor: { own_kept: ownKept, foreign_rejected: foreignRejected, own: own.length, foreign: strayed.asked },
    gates: [
      { name: "replaced facts that are shown", value: superseded, limit: "0", ok: superseded === 0 },
      { name: "entries of another owner", value: strayed.leaks.length, limit: "0", ok: strayed.leaks.length === 0 },
      { name: "own questions kept", value: ownKept, limit: "at least 95 %", ok: ownKept >= 95 },
      { name: "foreign questions rejected", value: foreignRejected, limit: "at least 30 %", ok: foreignRejected >= 30 },
      { name: "traces of what was forgotten", value: remains.length, limit: "0", ok: remains.length === 0 },
      dropGate(answered, baseline),
      {
        name: "rankings as in the baseline",
        value: digest.slice(0, 16),
        limit: baseline?.ranking_sha256.slice(0, 16) ?? "none",
        ok: baseline === undefined || digest === baseline.ranking_sha256,
      },
    ],
    ranking_sha256: digest,
  };
}
