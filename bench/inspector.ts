/** How fast the inspector is in Chromium: long logs and many sessions, from the address to what a person sees. */
import type { Browser, Page } from "playwright-core";
import { createServer } from "../packages/server/src/server.ts";
import { createRuntime, openStore } from "../packages/throughline/src/index.ts";
import { startBrowser } from "../test/setup/browser.ts";
import { type Figure, median, quantile, round, type Measured } from "./figures.ts";
import { inspectedAgent, writeLogs, writeSessions } from "./inspector-data.ts";
import { sqlite } from "./sqlite.ts";

/** What is measured in the page, as source: the page's policy allows no functions from elsewhere. */
const frame = "const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));";

/** Milliseconds between frames while a list jumps to a random place in each. */
const scroll = (id: string, frames: number): string => `(async () => {
  ${frame}
  const list = document.getElementById(${JSON.stringify(id)});
  const times = [];
  let last = await frame();
  for (let count = 0; count < ${frames}; count++) {
    list.scrollTop = Math.random() * list.scrollHeight;
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  return times;
})()`;

/** Milliseconds until the list stands at a random offset, until its line is there, and until its state has come. */
const scrub = (head: number, rounds: number): string => `(async () => {
  ${frame}
  const slider = document.querySelector("input[type=range]");
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  const row = () => document.querySelector("#events [aria-selected=true]");
  const stateOf = (at) => performance.getEntriesByType("resource").find(({ name, responseEnd }) => name.includes("/state?at=" + at + "&") && responseEnd > 0);
  const found = { list: [], line: [], state: [] };
  for (let count = 0; count < ${rounds}; count++) {
    const at = Math.floor(Math.random() * ${head});
    performance.clearResourceTimings();
    const began = performance.now();
    set.call(slider, String(at));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    do await frame(); while (row()?.querySelector(".offset")?.textContent !== String(at));
    found.list.push(performance.now() - began);
    while (row()?.querySelector(".kind") == null) await frame();
    found.line.push(performance.now() - began);
    while (stateOf(at) === undefined) await frame();
    found.state.push(stateOf(at).responseEnd - began);
  }
  return found;
})()`;

interface Look {
  readonly name: string;
  readonly what: string;
  readonly url: string;
  /** The list, and the row that shows that the page is ready. */
  readonly list: string;
  readonly ready: string;
  /** The last offset of a log; undefined for the list of sessions. */
  readonly head: number | undefined;
  readonly quick: boolean;
}

/** Megabytes of the page's heap, after what is not in use was collected. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { readonly usedSize: number };
  return usedSize / 1024 / 1024;
}

async function look(browser: Browser, { name, what, url, list, ready, head, quick }: Look): Promise<readonly Figure[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  let requests = 0;
  page.on("request", () => void (requests += 1));
  const readies: number[] = [];
  // The first visit makes the service ready.
  for (let visit = 0; visit < (quick ? 2 : 8); visit++) {
    requests = 0;
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    if (visit > 0) readies.push(await page.evaluate<number>("performance.now()"));
  }
  const opened = requests;
  const frames = await page.evaluate<readonly number[]>(scroll(list, quick ? 30 : 300));
  const scrubs =
    head === undefined ? undefined : await page.evaluate<Record<"list" | "line" | "state", readonly number[]>>(scrub(head, quick ? 10 : 120));
  const rows = await page.locator("[role=option], [role=row]").count();
  if (head !== undefined) {
    // A filter reads every line of the log.
    await page.locator("#event-filter").fill("kind:message");
    await page.locator(".count", { hasText: /^[\d,]+ of [\d,]+ events$/ }).waitFor();
  }
  const megabytes = await heapOf(page);
  await context.close();
  const figure = (id: string, text: string, value: number, limit: number, timing: boolean, details: Figure["details"] = {}): Figure => ({
    ...{ id: `inspector.${name}_${id}`, what: `${what}: ${text}`, value: round(value), unit: id === "heap" ? "MB" : "ms", limit, timing, details },
  });
  return [
    figure("ready", "from the address to the list", median(readies), 1_000, true, { p95: round(quantile(readies, 0.95)), requests: opened }),
    figure("scroll", "a frame while the list jumps, p95", quantile(frames, 0.95), 34, true, { p50: round(median(frames)), rows }),
    ...(scrubs === undefined
      ? []
      : [
          figure("scrub", "from the slider to the list at that offset, p95", quantile(scrubs.list, 0.95), 60, true, {
            p50: round(median(scrubs.list)),
            line_p95: round(quantile(scrubs.line, 0.95)),
            state_p95: round(quantile(scrubs.state, 0.95)),
          }),
        ]),
    figure("heap", head === undefined ? "heap of the page" : "heap of the page with every line", megabytes, 60, false),
  ];
}

/** Measures the inspector over a service with long logs and many sessions. */
export async function inspector(quick: boolean): Promise<Measured> {
  const browser = await startBrowser();
  if (typeof browser === "string") return { figures: [], skipped: [{ id: "inspector", reason: browser }] };
  const database = await sqlite.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const runtime = await createRuntime({ store, agents: [inspectedAgent] });
  const server = await createServer({ runtime, agents: [inspectedAgent], port: 0, inspector: true });
  try {
    const lengths = quick ? [1_000, 3_000] : [10_000, 100_000];
    const sessions = quick ? 300 : 20_000;
    const logs = await writeLogs(runtime, lengths);
    await writeSessions(runtime, sessions);
    const { url } = await server.listen();
    const figures: Figure[] = [];
    for (const [index, id] of logs.entries()) {
      const { head } = await (await runtime.sessions.get(id)).info();
      const thousands = (lengths[index] ?? 0) / 1000;
      const where = { url: `${url}/inspector/sessions/${id}?log=timeline`, list: "events", ready: "#events [aria-selected=true] .kind", head };
      figures.push(...(await look(browser, { ...where, name: `${thousands}k`, what: `a log of ${lengths[index]} events`, quick })));
    }
    const where = { url: `${url}/inspector/`, list: "sessions", ready: "#sessions .rows .row", head: undefined };
    figures.push(...(await look(browser, { ...where, name: "list", what: `${sessions} sessions`, quick })));
    return { figures, skipped: [] };
  } finally {
    await browser.close();
    await server.close({ drainMs: 0 });
    await runtime.close({ drainMs: 0 });
    await store.close();
    await database.remove();
  }
}
