/** Posts messages and writes a mark to its standard output after each acknowledgement: for a test that watches the order of system calls. */
import { writeSync } from "node:fs";
import { createRuntime, defineAgent, defineState, input, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import { z } from "zod";

const [path = "", durability = "full"] = process.argv.slice(2);
const store = await openStore(path, { durability: durability === "relaxed" ? "relaxed" : "full" });
const agent = defineAgent({
  name: "a",
  version: 1,
  state: defineState({ message: input(z.string()) }),
  reply: loop({ model: scripted(() => "ok") }),
});
// Nobody answers: the only writes between two marks are those of accepting a message.
const runtime = await createRuntime({ store, agents: [agent], work: false });
const session = await runtime.sessions.create({ agent: "a" });
for (let number = 1; number <= 20; number++) {
  writeSync(1, `<begin ${number}>\n`);
  await session.post(`message ${number}`, { idempotencyKey: `k-${number}` });
  writeSync(1, `<ack ${number}>\n`);
}
// Not closed: closing copies the log of writes into the database, which is not what is watched.
process.exit();
