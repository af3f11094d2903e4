/** A database with a client that runs no turns, and workers that do. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root } from "../../scripts/root.ts";
import { createRuntime, openStore, type Runtime, type Session } from "../../packages/throughline/src/index.ts";
import { newFolder, start, type Live } from "./run-cli.ts";

/** Answers after the milliseconds that the message says, or once a file of the name that it says lies beside the module. */
export const agentModule = (version: number): string => `
import { existsSync } from "node:fs";
import { z } from ${JSON.stringify(join(root, "node_modules/zod/index.js"))};
import { defineAgent, defineState, input, loop, scripted } from ${JSON.stringify(join(root, "packages/throughline/src/index.ts"))};
const state = defineState({ message: input(z.string()) });
const model = scripted((request) => {
  const said = request.messages.at(-1)?.text ?? "";
  const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const gate = async () => { while (!existsSync(new URL(said, import.meta.url))) await delay(10); };
  return { text: ["after ", said], wait: () => (/^[0-9]+$/.test(said) ? delay(Number(said)) : gate()) };
});
export const agent = defineAgent({ name: "slow", version: ${version}, state, reply: loop({ model }), apology: "Sorry.", migrations: ${version === 1 ? "[]" : "[{ from: 1, to: 2, migrate: (old) => old }]"} });
`;

export interface Place {
  readonly cwd: string;
  readonly client: Runtime;
  readonly session: Session;
  readonly worker: (...words: string[]) => Promise<Live>;
  /** Lets the reply to the message of this text come. */
  readonly open: (gate: string) => void;
}

export async function place(): Promise<Place> {
  const cwd = newFolder();
  writeFileSync(join(cwd, "agent.ts"), agentModule(1));
  const { agent } = (await import(join(cwd, "agent.ts"))) as { readonly agent: Parameters<typeof createRuntime>[0]["agents"][number] };
  const store = await openStore(join(cwd, "app.db"));
  const client = await createRuntime({ store, agents: [agent], work: false });
  onTestFinished(async () => {
    await client.close();
    await store.close();
  });
  const worker = async (...words: string[]): Promise<Live> => {
    const live = start(["worker", "--agent", "agent.ts", "--store", "app.db", ...words], { cwd });
    await live.until("Ready: running slow (definition 1) on app.db");
    return live;
  };
  return { cwd, client, session: await client.sessions.create({ agent: "slow" }), worker, open: (gate) => writeFileSync(join(cwd, gate), "") };
}

/** Waits until a worker has the session's turn. */
export async function started(session: Session): Promise<void> {
  while ((await session.pending()).turns[0]?.status !== "running") await new Promise((resolve) => setTimeout(resolve, 5));
}
