/** How many events of webhooks two services deliver in a second, and how soon an event reaches its receiver. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createWebhooks } from "../packages/server/src/server.ts";
import { createRuntime, defineAgent, defineState, input, loop, openStore, rules } from "../packages/throughline/src/index.ts";
import { z } from "zod";
import type { Engine } from "./engine.ts";
import { type Figure, quantile, round } from "./figures.ts";

const agent = defineAgent({
  name: "diary",
  version: 1,
  state: defineState({ message: input(z.string()) }),
  reply: loop({ model: rules([() => "Noted."]) }),
});

/** A receiver that accepts everything. */
async function startReceiver() {
  let received = 0;
  let waiting: { readonly least: number; readonly resolve: () => void } | undefined;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.end();
      received += 1;
      if (waiting !== undefined && received >= waiting.least) waiting.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Resolves when it has got this many requests. */
    async count(least: number): Promise<void> {
      if (received < least) await new Promise<void>((resolve) => (waiting = { least, resolve }));
    },
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Posts events that nobody delivers yet, lets two services deliver them, and then posts one after the other. */
export async function webhooks(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const database = await engine.create();
  const receiver = await startReceiver();
  const open = async () => {
    const store = await openStore(database.location);
    const targets = [{ name: "bench", url: receiver.url, kinds: ["custom"] as const }];
    return { store, deliveries: createWebhooks({ store, agents: [agent], targets, allowHosts: ["127.0.0.1"] }) };
  };
  const [first, second] = [await open(), await open()];
  const runtime = await createRuntime({ store: first.deliveries.store, agents: [agent], work: false });
  try {
    // A target gets no events from before it is known.
    await first.deliveries.list();
    const [count, perSession, single] = quick ? [10, 5, 20] : [50, 20, 200];
    const sessions = await Promise.all(Array.from({ length: count }, () => runtime.sessions.create({ agent })));
    for (let value = 0; value < perSession; value++) await Promise.all(sessions.map((session) => session.postCustom(value)));
    const total = count * perSession;
    const began = performance.now();
    await Promise.all([first.deliveries.start(), second.deliveries.start()]);
    await receiver.count(total);
    const seconds = (performance.now() - began) / 1000;
    const lags: number[] = [];
    for (let index = 0; index < single; index++) {
      await sessions[index % count]?.postCustom(index);
      const committed = performance.now();
      await receiver.count(total + index + 1);
      lags.push(performance.now() - committed);
    }
    const what = "from the commit of an event until its receiver has it";
    return [
      {
        ...{
          id: `${engine.name}.webhooks`,
          what: `events that two services deliver in a second, of ${count} sessions`,
          unit: "events/s",
          timing: true,
        },
        value: round(total / seconds),
      },
      { id: `${engine.name}.webhook_lag`, what: `${what}, median`, value: round(quantile(lags, 0.5)), unit: "ms", timing: true },
      { id: `${engine.name}.webhook_lag_p99`, what: `${what}, 99 of 100`, value: round(quantile(lags, 0.99)), unit: "ms", timing: true },
    ];
  } finally {
    await Promise.all([first.deliveries.close(), second.deliveries.close()]);
    await runtime.close();
    await Promise.all([first.store.close(), second.store.close()]);
    receiver.close();
    await database.remove();
  }
}
