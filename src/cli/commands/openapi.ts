import { ThroughlineError } from "../../kernel/error.ts";
import { scripted } from "../../model/scripted.ts";
import { openStore } from "../../open-store.ts";
import { defineAgent } from "../../runtime/agent/define-agent.ts";
import { loop } from "../../runtime/loop/loop.ts";
import { createRuntime } from "../../runtime/runtime.ts";
import { createServer } from "../../server/create-server.ts";
import { defineState } from "../../state/define.ts";
import type { PlainContext } from "../context.ts";

/** A runtime needs one; the document names none. */
const nobody = defineAgent({ name: "nobody", version: 1, state: defineState({}), reply: loop({ model: scripted([]) }) });

/** `openapi`: the document as the service itself gives it, from one that holds nothing. */
export async function printOpenApi({ output }: PlainContext): Promise<void> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [nobody], work: false });
  try {
    const server = await createServer({ runtime, store, agents: [] });
    const answer = await server.fetch(new Request("http://127.0.0.1:8420/openapi.json"));
    if (!answer.ok) throw new ThroughlineError("internal", `The service answered with ${answer.status} when it was asked for its document.`);
    output.document(await answer.json());
  } finally {
    await runtime.close();
    await store.close();
  }
}
