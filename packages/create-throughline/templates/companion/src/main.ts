import { createInterface } from "node:readline";
import { welcome } from "@throughline/companion/agent";
import { openStore } from "throughline";
import { startCompanion } from "./agent.ts";
import { languageModel } from "./model.ts";

const companion = await startCompanion(await openStore("./companion.db"), languageModel());
// The same conversation, with the same memory, after every restart.
const thread = { session_id: "evenings", user_id: "me", installed_skills: ["floating"] };

console.log(`${welcome} End with Ctrl-D.`);
const prompt = "you › ";
process.stdout.write(prompt);
for await (const message of createInterface({ input: process.stdin })) {
  if (message.trim() !== "") {
    const { output } = await companion.runTurn({ ...thread, message });
    console.log(`companion › ${output.response_text}`);
  }
  process.stdout.write(prompt);
}
await companion.close();
