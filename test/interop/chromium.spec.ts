/** The example page in a browser, and the browser's own EventSource over connections that are cut. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { wireKinds } from "../../packages/server/src/protocol/wire-event.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { hostileProxy } from "../client/hostile-proxy.ts";
import { findChromium, openPage } from "./chromium.ts";
import { startService } from "./service.ts";

const program = findChromium() ?? "";
if (program === "") console.log("Chromium is not installed, so the example page is not looked at in it: name it in CHROMIUM.");
const pictures = fileURLToPath(new URL("node_modules/.pictures/", import.meta.url));

const settled = { timeout: 15_000, interval: 50 };

describe.skipIf(program === "")("in Chromium", () => {
  test("the page shows a conversation, hands it over and back, and comes back after cuts", async () => {
    const { url } = await startService({ demo: true, limits: { heartbeatMs: 100 } });
    const page = await openPage(program, `${url}/demo/`);
    const text = (id: string): Promise<unknown> => page.evaluate(`document.getElementById(${JSON.stringify(id)})?.innerText`);
    const type = (id: string, value: string): Promise<unknown> =>
      page.evaluate(
        `{ const field = document.getElementById(${JSON.stringify(id)}); field.value = ${JSON.stringify(value)}; field.form.requestSubmit(); }`,
      );
    await expect.poll(() => page.evaluate("document.getElementById('agent')?.value"), settled).toBe("a1");
    await page.evaluate("document.getElementById('open').requestSubmit()");
    await expect.poll(() => text("connection"), settled).toBe("connected");
    await expect.poll(() => page.evaluate("document.querySelector('#say button').disabled"), settled).toBe(false);
    expect(await page.evaluate("document.activeElement.id")).toBe("message");
    await type("message", "hello <img src=x onerror=alert(1)>");
    await expect.poll(() => text("log"), settled).toContain("re:hello <img src=x onerror=alert(1)>");
    await page.evaluate("document.getElementById('take-over').click()");
    await expect.poll(() => text("standing"), settled).toBe("Grace has taken over.");
    await type("answer-text", "I am here");
    await expect.poll(() => text("log"), settled).toContain("I am here");
    await page.evaluate("document.getElementById('back').requestSubmit()");
    await expect.poll(() => text("standing"), settled).toBe("The agent answers.");
    await page.evaluate("document.getElementById('variable-name').value = 'tier'");
    await type("variable-value", "gold");
    await expect.poll(() => text("variables"), settled).toContain('tier = "gold"');
    expect(await text("problem")).toBe("");
    mkdirSync(pictures, { recursive: true });
    for (const dark of [false, true])
      for (const width of [1280, 390]) {
        await page.show({ width, height: 900, dark });
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        writeFileSync(`${pictures}${dark ? "dark" : "light"}-${width}.png`, await page.screenshot());
      }
    expect(page.faults).toEqual([]);
  }, 60_000);

  test("its EventSource and our client lose and double nothing over connections that are cut", async () => {
    const { url } = await startService({ demo: true, limits: { heartbeatMs: 100 } });
    const client = createClient({ baseUrl: url });
    const session = await client.sessions.open({ agent: "a1", key: "one" });
    // A browser takes headers that are cut for all there are, and an EventSource gives up then for good: it is cut in the middle of what is streamed.
    const proxy = await hostileProxy(url, createChooser(5), { fates: ["passed"], leastBytes: 1_000 });
    onTestFinished(() => proxy.close());
    const page = await openPage(program, `${proxy.url}/demo/`);
    await expect.poll(() => page.evaluate("document.getElementById('agent')?.value"), settled).toBe("a1");
    await page.evaluate(`(async () => {
      const { createClient } = await import("/demo/client.js");
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
