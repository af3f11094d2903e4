/** Whether a turn costs more when the session's state is large. */
import { z } from "zod";
import {
  append,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
} from "../packages/throughline/src/index.ts";
import type { Engine } from "./engine.ts";
import { type Figure, median, round } from "./figures.ts";

const entry = z.object({ text: z.string(), at: z.number() });
const state = defineState({ message: input(z.string()), list: reduced(z.array(entry), { reduce: append() }) });
const note = stage("note", { state, writes: ["list"] }, ({ state: { message } }) => ({ list: [{ text: message, at: 1 }] }));

/** Compares turns of a session whose state has a list of 12,000 entries with turns of one that began with none, in turns. */
export async function stateGrowth(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const agent = defineAgent({ name: "list", version: 1, state, stages: [note], reply: loop({ model: scripted(() => "Noted.") }) });
  const runtime = await createRuntime({ store, agents: [agent] });
  const [small, large] = [await runtime.sessions.create({ agent: "list" }), await runtime.sessions.create({ agent: "list" })];
  for (let at = 0; at < 12_000; at += 2_000)
    await large.edit({ list: Array.from({ length: 2_000 }, (_, index) => ({ text: `entry ${at + index}`, at: index })) });
  const times = { small: [] as number[], large: [] as number[] };
  const rounds = quick ? 30 : 200;
  for (let number = -20; number < rounds; number++)
    for (const [name, session] of [["small", small] as const, ["large", large] as const]) {
      const began = performance.now();
      await session.send(`message ${number}`);
      if (number >= 0) times[name].push(performance.now() - began);
    }
  await runtime.close();
  await store.close();
  await database.remove();
  return [
    {
      id: `${engine.name}.state_growth`,
      what: "a turn with a list of 12,000 entries in its state, against one with a short list",
      value: round(median(times.large) / median(times.small)),
      unit: "x",
      limit: 1.3,
      timing: true,
      details: { large_ms: round(median(times.large)), small_ms: round(median(times.small)) },
    },
  ];
}
