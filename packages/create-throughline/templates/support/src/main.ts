import { createRuntime, openStore, type TurnStream } from "throughline";
import { offline, support } from "./agent.ts";
import { languageModel } from "./model.ts";
import { demoShop } from "./shop.ts";
import { ask, show } from "./terminal.ts";

const model = languageModel() ?? offline;
const agent = support(model, demoShop());
const runtime = await createRuntime({ store: await openStore("./support.db"), agents: [agent] });
// The same conversation after every restart.
const session = await runtime.sessions.open({ agent, customer: "me" });

/** Prints a turn. You play the customer and the person who approves: while calls wait for approval, it asks for a decision on each. */
async function answer(turn: TurnStream): Promise<void> {
  let { offset, result } = await show(turn);
  while (result.status === "paused") {
    for (const call of (await session.pending()).calls) {
      const decision = await ask(`approve › ${call.name} ${JSON.stringify(call.arguments)} (y/n) `);
      // Without a decision the turn waits, also across restarts.
      if (decision === undefined) return;
      await (/^y/i.test(decision) ? session.approve(call) : session.reject(call, "The shop does not refund this order."));
    }
    ({ offset, result } = await show(session.follow(result.turn_id ?? result.offset, { after: offset })));
  }
}

console.log(`${model.name} replies. Tell it about a problem with order A-17, or ask for a refund. End with Ctrl-D.`);
// If the process was killed in the middle of a turn, the turn goes on now.
const [last] = (await session.turns({ limit: 1 })).items;
if (last !== undefined && last.status !== "ended") await answer(session.follow(last.turn_id));
for (let text = await ask("you › "); text !== undefined; text = await ask("you › ")) if (text.trim() !== "") await answer(session.stream(text));
await runtime.close();
