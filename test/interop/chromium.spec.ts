/** The browser's own EventSource, and our client, over connections that are cut. */
import { rolldown } from "rolldown";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { wireKinds } from "../../packages/server/src/protocol/wire-event.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { hostileProxy } from "../client/hostile-proxy.ts";
import { root } from "../../scripts/root.ts";
import { findChromium, openPage } from "./chromium.ts";
import { startService } from "./service.ts";

const program = findChromium() ?? "";
if (program === "") console.log("Chromium is not installed, so cuts are not looked at in it: name it in CHROMIUM.");

describe.skipIf(program === "")("in Chromium", () => {
  test("its EventSource and our client lose and double nothing over connections that are cut", async () => {
    const { url } = await startService({ demo: true, limits: { heartbeatMs: 100 } });
    const client = createClient({ baseUrl: url });
    const session = await client.sessions.open({ agent: "a1", key: "one" });
    // A browser takes headers that are cut for all there are, and an EventSource gives up then for good: it is cut in the middle of what is streamed.
    const proxy = await hostileProxy(url, createChooser(5), { fates: ["passed"], leastBytes: 1_000 });
    onTestFinished(() => proxy.close());
    const page = await openPage(program, `${proxy.url}/demo/`);
    await expect.poll(() => page.evaluate("document.getElementById('chat')?.childElementCount"), { timeout: 15_000 }).toBe(1);
    const bundle = await rolldown({ input: `${root}/packages/client/src/client.ts`, platform: "browser" });
    const { output } = await bundle.generate({ format: "iife", name: "throughline" });
    await page.evaluate(`(async () => {
      ${output[0].code}
      const { createClient } = throughline;
      const own = [], ours = [];
      globalThis.seen = () => ({ own, ours });
      const source = new EventSource("/v1/sessions/${session.id}/events?format=sse");
      for (const kind of ${JSON.stringify(wireKinds)}) source.addEventListener(kind, ({ data }) => own.push(JSON.parse(data).offset));
      (async () => { for await (const { offset } of createClient({ baseUrl: location.origin }).sessions.get("${session.id}").events()) ours.push(offset); })();
    })()`);
    await session.send("first");
    proxy.become(["cut", "cut", "cut", "lost"]);
    for (let index = 0; index < 4; index++) {
      await session.send(`${index}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const offsets = (await session.page({ limit: 1000 })).items.map(({ offset }) => offset);
    const seen = async (): Promise<{ readonly own: readonly number[]; readonly ours: readonly number[] }> => (await page.evaluate("seen()")) as never;
    await expect
      .poll(async () => Object.values(await seen()).map((all) => (all as number[]).at(-1)), { timeout: 60_000, interval: 100 })
      .toEqual([offsets.at(-1), offsets.at(-1)]);
    expect(await seen()).toEqual({ own: offsets, ours: offsets });
    expect(proxy.harm.cut, JSON.stringify(proxy.harm)).toBeGreaterThan(3);
  }, 180_000);
});
