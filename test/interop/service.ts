/** A service to run others' clients against: on a port of its own, with an agent that answers a message m with `re:m`. */
import { onTestFinished } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  recentMessages,
  rules,
  type Runtime,
} from "../../packages/throughline/src/index.ts";
import { createServer, type ServerOptions } from "../../packages/server/src/server.ts";

/** Ends with the test. */
export async function startService(options: Partial<ServerOptions> = {}): Promise<{ readonly url: string; readonly runtime: Runtime }> {
  const echo = defineAgent({
    name: "a1",
    version: 1,
    state: defineState({ message: input(z.string()) }),
    stages: [],
    reply: loop({ model: rules([({ text }) => `re:${text}`]) }),
    sections: [recentMessages],
  });
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [echo], pollMs: 200 });
  const server = await createServer({ runtime, agents: [echo], port: 0, ...options });
  const { url } = await server.listen();
  onTestFinished(async () => {
    await server.close({ drainMs: 500 });
    await runtime.close({ drainMs: 500 });
    await store.close();
  });
  return { url, runtime };
}
