import { busy } from "./busy.ts";
import { claims } from "./claims.ts";
import { coldImport } from "./cold-import.ts";
import { encryptionCost } from "./encryption.ts";
import type { Engine } from "./engine.ts";
import type { Figure, Measured, Skipped } from "./figures.ts";
import { forks } from "./forks.ts";
import { gateCost } from "./gate.ts";
import { idle } from "./idle.ts";
import { agreement } from "./inspector-agree.ts";
import { inspector } from "./inspector.ts";
import { latency } from "./latency.ts";
import { memoryCost } from "./memory.ts";
import { postgres } from "./postgres.ts";
import { screenCost } from "./safety.ts";
import { service } from "./service.ts";
import { sqlite } from "./sqlite.ts";
import { stateGrowth } from "./state-growth.ts";
import { steps } from "./steps.ts";
import { turnCost } from "./turn-cost.ts";
import { webhooks } from "./webhooks.ts";

export interface MeasureOptions {
  /** Shorter sessions and fewer rounds: for tests. */
  readonly quick: boolean;
  readonly engines: readonly ("sqlite" | "postgres")[];
  /** How long the memory of the service is watched under load, on each engine: 1 by default, 1 second in a quick run. */
  readonly minutes?: number | undefined;
  /** Only the service, only webhooks, only memory, only the screen of the gate, or only the inspector. */
  readonly only?: "service" | "webhooks" | "memory" | "safety" | "inspector" | undefined;
  /** Told what is about to be measured. */
  readonly progress?: (what: string) => void;
}

/** Measures everything, one after the other. What cannot be measured here is skipped with a reason. */
export async function measure(options: MeasureOptions): Promise<Measured> {
  const { quick, only, minutes = quick ? 1 / 60 : 1, progress = () => {} } = options;
  const figures: Figure[] = [];
  if (only === undefined) {
    progress("import");
    figures.push(...coldImport(quick));
  }
  if (only === undefined || only === "memory") {
    progress("memory");
    figures.push(...(await memoryCost(quick)));
  }
  if (only === undefined || only === "safety") {
    progress("safety");
    figures.push(...screenCost(quick), ...(await gateCost(quick)));
  }
  const skipped: Skipped[] = [];
  if (only === undefined || only === "inspector") {
    progress("inspector");
    const seen = await inspector(quick);
    figures.push(...seen.figures);
    skipped.push(...seen.skipped);
  }
  for (const name of only === "memory" || only === "safety" ? [] : options.engines) {
    let engine: Engine;
    try {
      engine = name === "sqlite" ? sqlite : await postgres();
    } catch (error) {
      skipped.push({ id: name, reason: error instanceof Error ? error.message : String(error) });
      continue;
    }
    try {
      if (only === undefined || only === "webhooks") {
        progress(`${name}: webhooks`);
        figures.push(...(await webhooks(engine, quick)));
      }
      if (only === "webhooks") continue;
      if (only !== "service") {
        progress(`${name}: inspectors and a terminal`);
        figures.push(...(await agreement(engine, quick)));
      }
      if (only === "inspector") continue;
      progress(`${name}: service`);
      figures.push(...(await service(engine, quick, minutes)));
      if (only === "service") continue;
      progress(`${name}: cost of a turn`);
      const cost = await turnCost(engine, quick);
      progress(`${name}: latency`);
      figures.push(...cost.figures, ...(await latency(engine, quick)), ...(await stateGrowth(engine, quick)));
      progress(`${name}: encryption`);
      figures.push(...(await encryptionCost(engine, quick)));
      skipped.push(...cost.skipped);
      progress(`${name}: steps and tools`);
      figures.push(...(await steps(engine, quick)));
      progress(`${name}: claims`);
      figures.push(...(await claims(engine, quick)));
      progress(`${name}: forks`);
      figures.push(...(await forks(engine, quick)));
      progress(`${name}: many at once`);
      figures.push(...(await busy(engine, quick)));
      progress(`${name}: waiting`);
      figures.push(...(await idle(engine, quick)));
    } finally {
      await engine.close();
    }
  }
  return { figures, skipped };
}
