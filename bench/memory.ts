/** What memory costs, and what it finds, beside others in the same run. */
import { rankedEvidence } from "../eval/outcome.ts";
import { memoryOf, rowsOf } from "../eval/fixture-memory.ts";
import { goldOf } from "../eval/fixture-run.ts";
import { readFixtures } from "../eval/fixtures.ts";
import { mean, recallAt } from "../eval/metrics.ts";
import type { Engine, Opened } from "../eval/engine.ts";
import { product } from "../eval/product.ts";
import { defaultWeights } from "../packages/throughline/src/memory/recall/weights.ts";
import { unitOf, type MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";
import { type Figure, median, quantile, round } from "./figures.ts";
import { build } from "./memory-build.ts";
import { others } from "./memory-engines.ts";
import { type KnownItem, remembered } from "./memory-texts.ts";

/** Milliseconds that 19 of 20 recalls may take, by the number of entries. */
const recallLimits: readonly { readonly size: number; readonly name: string; readonly limit: number }[] = [
  { size: 1_000, name: "1k", limit: 1 },
  { size: 10_000, name: "10k", limit: 3 },
  { size: 100_000, name: "100k", limit: 50 },
];
/** More than this many are not put into what takes minutes for them. */
const mostForOthers = 10_000;

interface Speed {
  readonly buildMs: number;
  readonly p50: number;
  readonly p95: number;
  /** Share of the questions whose answer is among the first ten. */
  readonly found: number;
}

/**
 * All questions are asked three times, one after the other, and of each its middle time counts: what else the machine does is not what a recall costs. None is
 * asked twice in a row: who remembers the last question would win.
 */
function speedOf(engine: Engine, units: readonly MemoryUnit[], asked: readonly KnownItem[]): Speed & { readonly opened: Opened } {
  const began = performance.now();
  const opened = engine.open(units);
  const buildMs = performance.now() - began;
  const hits = asked.map(({ text, now, answer }) => (opened.search({ text, now, limit: 10 }).includes(answer) ? 1 : 0));
  const passes = [1, 2, 3].map(() =>
    asked.map(({ text, now }) => {
      const at = performance.now();
      opened.search({ text, now, limit: 50 });
      return performance.now() - at;
    }),
  );
  const times = asked.map((_, place) => median(passes.map((pass) => pass[place] ?? 0)));
  return { opened, buildMs, p50: quantile(times, 0.5), p95: quantile(times, 0.95), found: mean(hits) };
}

const percent = (share: number): string => `${round(share * 100)} %`;
const sideBySide = (speed: Speed): string => `p95 ${round(speed.p95)} ms, built in ${round(speed.buildMs)} ms, found ${percent(speed.found)}`;

function recalls(quick: boolean): readonly Figure[] {
  const sizes = quick ? recallLimits.slice(0, 2) : recallLimits;
  return sizes.map(({ size, name, limit }): Figure => {
    const { units, asked } = remembered(size, quick ? 100 : 400);
    const own = speedOf(product(), units, asked);
    const beside =
      size > (quick ? 1_000 : mostForOthers)
        ? []
        : others.map((engine) => [engine.name, sideBySide(speedOf(engine, units, asked.slice(0, 100)))] as const);
    return {
      id: `memory.recall_${name}`,
      what: `19 of 20 recalls from ${size.toLocaleString("en")} entries of one owner`,
      value: round(own.p95),
      unit: "ms",
      limit,
      timing: true,
      details: { p50: round(own.p50), built_ms: round(own.buildMs), found: percent(own.found), ...Object.fromEntries(beside) },
    };
  });
}

function adding(): Figure {
  const { units } = remembered(11_000, 0);
  const opened = product().open(units.slice(0, 10_000));
  const added = units.slice(10_000).map((unit) => {
    const began = performance.now();
    opened.add?.(unit);
    return performance.now() - began;
  });
  const what = "adding an entry to 10,000";
  return { id: "memory.add", what, value: round(mean(added)), unit: "ms", limit: 0.2, timing: true, details: { p95: round(quantile(added, 0.95)) } };
}

async function building(quick: boolean): Promise<readonly Figure[]> {
  const built = await build(remembered(10_000, 0).units, quick ? 3 : 9);
  // The best of the rounds: the others were held up by something else.
  const [ms, slice, held] = [
    Math.min(...built.map((one) => one.ms)),
    Math.min(...built.map((one) => one.sliceMs)),
    Math.min(...built.map((one) => one.heldMs)),
  ];
  return [
    {
      id: "memory.build_10k",
      what: "reading a memory of 10,000 entries into an index",
      value: round(ms),
      unit: "ms",
      limit: 600,
      timing: true,
    },
    {
      id: "memory.slice",
      what: "the longest that this works without a turn of the event loop, less V8's garbage collections",
      value: round(slice),
      unit: "ms",
      limit: 10,
      timing: true,
      details: { with_collections: round(held) },
    },
  ];
}

/** Recall of the fixtures' evidence among ten results: every engine ranks the same units, of which none was replaced. */
function foundByAll(): Figure {
  const engines = [product(), ...others];
  const shares = new Map<string, number[]>(engines.map(({ name }) => [name, []]));
  for (const fixture of readFixtures()) {
    const at = fixture.queries.find(({ class: name }) => name === "single")?.now ?? "";
    const view = memoryOf(rowsOf(fixture, Date.parse(at)), defaultWeights);
    const kept = [...view.of("fact"), ...view.of("turn")].flatMap((one) => unitOf(one) ?? []);
    const evidence = new Map(kept.map(({ id, sources = [id] }) => [id, sources]));
    const asked = fixture.queries.filter((query) => query.now === at && query.class !== "rule" && goldOf(fixture, query).length > 0);
    for (const engine of engines) {
      const opened = engine.open(kept);
      for (const query of asked) {
        const ranked = rankedEvidence(opened.search({ text: query.text, now: Date.parse(at), limit: 50 }), (id) => evidence.get(id) ?? []);
        const gold = goldOf(fixture, query).map((message) => `turn:${message}`);
        shares.get(engine.name)?.push(recallAt(ranked, gold, 10));
      }
    }
  }
  const [own = 0, ...rest] = [...shares.values()].map(mean);
  const details = Object.fromEntries([...shares].map(([name, values]) => [name, percent(mean(values))]));
  const what = "recall among ten of the best of the others, of our own: the fixtures, all languages and classes";
  return { id: "memory.found", what, value: round(Math.max(...rest) / own), unit: "×", limit: 1, timing: false, details };
}

/** What memory costs and finds. */
export async function memoryCost(quick: boolean): Promise<readonly Figure[]> {
  return [...recalls(quick), adding(), ...(await building(quick)), foundByAll()];
}
