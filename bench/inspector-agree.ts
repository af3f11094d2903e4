/** How long two inspectors and a terminal take to show what was written, while a worker is killed and another goes on. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { createServer } from "../packages/server/src/server.ts";
import { createRuntime, openStore } from "../packages/throughline/src/index.ts";
import { workedAgent } from "../test/inspector/worker-process.ts";
import { startBrowser } from "../test/setup/browser.ts";
import type { Engine } from "./engine.ts";
import { type Figure, median, quantile, round } from "./figures.ts";

/** Looks in each frame which offset the list has come to. */
const watch = `
  const seen = (globalThis.seen = []);
  const frame = () => {
    const head = Number(document.querySelector("#events [aria-selected=true] .offset")?.textContent ?? 0);
    while (seen.length <= head) seen.push(Date.now());
    requestAnimationFrame(frame);
  };
  frame();
`;

const kinds = "message,tool,custom,status,state,turn,session,assessment";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A process that runs turns, ready for work. */
async function startWorker(location: string): Promise<ChildProcess> {
  const child = fork(pathOf("../test/inspector/worker-process.ts"), [location], { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  return child;
}

/** A service that runs no turns, and an inspector of a session on it. */
async function startService(location: string) {
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [workedAgent], work: false });
  const server = await createServer({ runtime, agents: [workedAgent], port: 0, inspector: true });
  const { url } = await server.listen();
  const close = async (): Promise<void> => {
    await server.close({ drainMs: 0 });
    await runtime.close({ drainMs: 0 });
    await store.close();
  };
  return { runtime, url, close };
}

async function inspect(browser: Browser, url: string, session: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${url}/inspector/sessions/${session}?log=timeline`);
  await page.locator("#events [aria-selected=true] .kind").waitFor();
  await page.evaluate(watch);
  return page;
}

/** `throughline events tail`: calls back for each offset that it prints. */
async function tail(location: string, onOffset: (offset: number) => void): Promise<ChildProcess> {
  const words = ["events", "tail", "--db", location, "--after", "0", "--json", "--kinds", kinds];
  const child = spawn(process.execPath, [pathOf("../packages/server/src/cli/main.ts"), ...words], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve) =>
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("{")) return;
      onOffset((JSON.parse(line) as { readonly event: { readonly offset: number } }).event.offset);
      resolve();
    }),
  );
  return child;
}

/** Measures from the commit of each event to the last of the three that shows it. */
export async function agreement(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const browser = await startBrowser();
  // Without a browser the figures of the inspector are skipped, with the reason.
  if (typeof browser === "string") return [];
  const database = await engine.create();
  const closers: (() => Promise<unknown>)[] = [() => browser.close(), () => database.remove()];
  const end = (child: ChildProcess): void => void closers.push(async () => void (child.kill("SIGKILL") && (await once(child, "exit"))));
  try {
    const services = [await startService(database.location), await startService(database.location)] as const;
    for (const { close } of services) closers.push(close);
    const [{ runtime }] = services;
    const session = await runtime.sessions.create({ agent: workedAgent.name });
    const printed: number[] = [];
    const print = (offset: number): void => {
      while (printed.length <= offset) printed.push(Date.now());
    };
    end(await tail(database.location, print));
    const pages = await Promise.all(services.map(({ url }) => inspect(browser, url, session.id)));
    const victim = await startWorker(database.location);
    end(victim);
    const { head: first } = await session.info();
    victim.once("message", () => void victim.kill("SIGKILL"));
    await session.post("slow reply");
    for (let note = 0; note < (quick ? 20 : 150); note++) {
      await session.postCustom({ note });
      await delay(20);
      if (note === 10) end(await startWorker(database.location));
    }
    while ((await session.turns()).items.some(({ status }) => status !== "ended")) await delay(50);
    const events = await Array.fromAsync(session.events({ minOffset: first + 1, follow: false }));
    const head = events.at(-1)?.offset ?? 0;
    while (printed.length <= head) await delay(20);
    const shown: (readonly number[])[] = [];
    for (const page of pages) {
      let seen: readonly number[] = [];
      while (seen.length <= head) seen = await page.evaluate<readonly number[]>("seen");
      shown.push(seen);
    }
    const [one, two] = shown;
    const behind = (times: readonly number[] | undefined): readonly number[] =>
      events.map(({ offset, created_at }) => (times?.[offset] ?? Infinity) - created_at);
    const [first_inspector, second_inspector, terminal] = [behind(one), behind(two), behind(printed)];
    const last = terminal.map((value, index) => Math.max(value, first_inspector[index] ?? 0, second_inspector[index] ?? 0));
    const p95 = (values: readonly number[]): number => round(quantile(values, 0.95));
    return [
      {
        ...{ id: `inspector.${engine.name}_agree`, what: "a worker is killed: from a commit until two inspectors and a terminal show it, p95" },
        ...{ value: p95(last), unit: "ms", limit: 1_000, timing: true },
        details: {
          ...{ p50: round(median(last)), longest: round(Math.max(...last)) },
          ...{ inspectors_p95: `${p95(first_inspector)} and ${p95(second_inspector)}`, terminal_p95: p95(terminal), events: events.length },
        },
      },
    ];
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}
