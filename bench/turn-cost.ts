/** Bytes, commits, statements and fsyncs of a turn. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openStore } from "../packages/throughline/src/index.ts";
import { counting } from "../test/setup/counting-store.ts";
import { converse, recording, turnBytes } from "./conversation.ts";
import type { Engine } from "./engine.ts";
import { type Figure, type Measured, type Skipped, round } from "./figures.ts";

/** Marginal bytes of a turn: the slope between two lengths of a session. */
async function slope(engine: Engine, marks: readonly number[], turn: { readonly bytes: number; readonly keys: boolean }): Promise<readonly number[]> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const conversation = await converse(store, turn);
  const slopes: number[] = [];
  let before: { readonly turns: number; readonly size: number } | undefined;
  for (const turns of marks) {
    for (let left = turns - (before?.turns ?? 0); left > 0; left -= 100) {
      await conversation.turns(Math.min(left, 100));
      await database.tidy();
    }
    const size = await database.bytes();
    if (before !== undefined) slopes.push((size - before.size) / (turns - before.turns));
    before = { turns, size };
  }
  await conversation.close();
  await store.close();
  await database.remove();
  return slopes;
}

async function bytesOfTurn(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const [low, middle, high] = quick ? [100, 500, 900] : [100, 1550, 3000];
  const [early = Number.NaN, late = Number.NaN] = await slope(engine, [low, middle, high], { bytes: turnBytes, keys: false });
  const whole = (early + late) / 2;
  const details = { bytes_per_turn: Math.round(whole), from_turn: low, to_turn: high };
  const few = quick ? [100, 200] : [100, 600];
  const [keyed = Number.NaN] = await slope(engine, few, { bytes: turnBytes, keys: true });
  const [long = Number.NaN] = await slope(engine, few, { bytes: 3 * turnBytes, keys: false });
  return [
    {
      id: `${engine.name}.bytes_ratio`,
      what: `marginal bytes per turn, as a multiple of its ${turnBytes} bytes of text`,
      value: round(whole / turnBytes),
      unit: "x",
      limit: engine.limits.bytesRatio,
      timing: false,
      details,
    },
    {
      id: `${engine.name}.bytes_flat`,
      what: "the second half of the session against the first, bytes per turn",
      value: round(Math.max(early, late) / Math.min(early, late)),
      unit: "x",
      limit: 1.1,
      timing: false,
    },
    {
      id: `${engine.name}.bytes_ratio_keyed`,
      what: "bytes per turn when each message has an idempotency key",
      value: round(keyed / turnBytes),
      unit: "x",
      timing: false,
    },
    {
      id: `${engine.name}.bytes_ratio_long`,
      what: `bytes per turn for turns of ${3 * turnBytes} bytes of text`,
      value: round(long / (3 * turnBytes)),
      unit: "x",
      timing: false,
    },
  ];
}

const turnsCounted = 40;

/** fsyncs of turns in a process that is watched; undefined where it cannot be. */
function watchedFsyncs(): number | undefined {
  const script = fileURLToPath(new URL("fsync-turns.ts", import.meta.url));
  const run = spawnSync(
    "strace",
    ["-f", "-qq", "-e", "trace=fsync,fdatasync,write", "-e", "signal=none", process.execPath, script, String(turnsCounted)],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (run.status !== 0) return undefined;
  const from = run.stderr.indexOf(`"<begin>`);
  const to = run.stderr.indexOf(`"<end>`);
  return from < 0 || to < 0
    ? undefined
    : [...run.stderr.slice(from, to).matchAll(/(?:fsync|fdatasync)\(\d+\)? *(?:=|<unfinished)/g)].length / turnsCounted;
}

async function countsOfTurn(engine: Engine): Promise<Measured> {
  const database = await engine.create();
  await (await openStore(database.location)).close();
  const syncsBefore = await database.fsyncs();
  let statements = 0;
  const opened = counting(await openStore(database.location, { onStatement: () => void (statements += 1) }));
  const { store, changes } = recording(opened.store);
  const conversation = await converse(store);
  const turns: { readonly statements: number; readonly commits: number; readonly calls: number }[] = [];
  for (let turn = 0; turn < turnsCounted; turn++) {
    const before = { statements, commits: changes.length, calls: opened.calls.length };
    await conversation.turns(1);
    turns.push({ statements: statements - before.statements, commits: changes.length - before.commits, calls: opened.calls.length - before.calls });
  }
  // The median, because a turn on a busy machine may also renew its lease or read what another process wrote.
  const median = (of: "statements" | "commits" | "calls"): number => {
    const sorted = turns.map((turn) => turn[of]).toSorted((left, right) => left - right);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  await conversation.close();
  await store.close();
  const syncsAfter = await database.fsyncs();
  const told = syncsBefore === undefined || syncsAfter === undefined ? undefined : (syncsAfter - syncsBefore) / turnsCounted;
  const watched = engine.name === "sqlite" ? watchedFsyncs() : told;
  await database.remove();
  const figures: Figure[] = [
    {
      id: `${engine.name}.commits`,
      what: "commits of a plain reply",
      value: median("commits"),
      unit: "commits",
      limit: 3,
      timing: false,
    },
    {
      id: `${engine.name}.statements`,
      what: "statements of a plain reply, reads and the lease included",
      value: median("statements"),
      unit: "statements",
      ...(engine.name === "sqlite" ? { limit: 40 } : {}),
      timing: false,
    },
    {
      id: `${engine.name}.calls`,
      what: "calls of the store of a plain reply, its drafts included",
      value: median("calls"),
      unit: "calls",
      limit: 9,
      timing: false,
    },
  ];
  const skipped: Skipped[] = [];
  if (watched === undefined)
    skipped.push({
      id: `${engine.name}.fsyncs`,
      reason: engine.name === "sqlite" ? "strace is not there, or may not watch processes" : "the server is older than version 18",
    });
  else
    figures.push({
      id: `${engine.name}.fsyncs`,
      what: "fsyncs of a plain reply, that of the lease included",
      value: round(watched),
      unit: "fsyncs",
      timing: false,
    });
  return { figures, skipped };
}

export async function turnCost(engine: Engine, quick: boolean): Promise<Measured> {
  const bytes = await bytesOfTurn(engine, quick);
  const { figures, skipped } = await countsOfTurn(engine);
  return { figures: [...bytes, ...figures], skipped };
}
