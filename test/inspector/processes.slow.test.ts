/** Inspectors over processes that come and go: workers elsewhere, a worker that is killed, connections that break. What is shown is the log. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { start } from "../cli/run-cli.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { databases, newLocation, startServer, type TestServer } from "../setup/server.ts";
import { watchedPage } from "./inspector-world.ts";
import { workedAgent } from "./worker-process.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs, interval: 30 };
const allKinds = "message,tool,custom,status,state,turn,session,assessment";

/** A process that runs turns, ready for work. */
async function startWorker(location: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("worker-process.ts", import.meta.url)), [location], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

/** A service that runs no turns. */
const startService = (location: string): Promise<TestServer> =>
  startServer({ location, agents: [workedAgent], inspector: true, runtime: { work: false, pollMs: 50 } });

interface Item {
  readonly offset: number;
  readonly kind: string;
  readonly created_at: number;
}

const eventsOf = async ({ request }: TestServer, id: string): Promise<readonly Item[]> =>
  ((await request("GET", `/v1/sessions/${id}/events?limit=1000&kinds=${allKinds}`)).body as { readonly items: readonly Item[] }).items;

/** The id of a new session. */
const created = async ({ request }: TestServer, title = "A session"): Promise<string> =>
  ((await request("POST", "/v1/sessions", { agent: "desk", title })).body as { readonly id: string }).id;

async function inspectorAt(url: string, path: string): Promise<Page> {
  const { page, context, faults } = await watchedPage(browser!, url);
  onTestFinished(async () => {
    await context.close();
    expect(faults.filter((fault) => !/ERR_|Failed to fetch/.test(fault))).toEqual([]);
  });
  await page.goto(`${url}/inspector/${path}`);
  return page;
}

/** The messages of the conversation, and the value of a field of the state. */
const messagesOf = (page: Page): Promise<readonly string[]> => page.locator(".entry.message:not(.draft) .long-text").allInnerTexts();
const fieldOf = (page: Page, name: string): Promise<string> =>
  page
    .locator("#state .row")
    .filter({ has: page.locator(`.name:text-is("${name}")`) })
    .locator(".value")
    .innerText();

describe.skipIf(browser === undefined).each(databases)("with a worker in another process on %s", (database) => {
  test("from the list to a session, its live tail and its state", async () => {
    const location = await newLocation(database);
    const service = await startService(location);
    await startWorker(location);
    const id = await created(service, "Worked elsewhere");
    const post = (text: string) => service.request("POST", `/v1/sessions/${id}/events`, { kind: "message", source: "customer", text });
    await post("hello");
    const page = await inspectorAt(service.url, "");
    await page.getByRole("link", { name: "Worked elsewhere" }).click();
    await expect.poll(() => messagesOf(page), settled).toEqual(["hello", "You said hello."]);
    await expect.poll(() => fieldOf(page, "topic"), settled).toBe('"hello"');
    await post("slow is fine");
    await expect.poll(() => messagesOf(page), settled).toEqual(["hello", "You said hello.", "slow is fine", "You said slow is fine."]);
    await expect.poll(() => fieldOf(page, "count"), settled).toBe("2");
    await page.keyboard.press("t");
    const last = (await eventsOf(service, id)).at(-1)?.offset;
    await expect.poll(() => page.locator("#events [aria-selected=true] .offset").innerText(), settled).toBe(String(last));
  });

  test("two inspectors and a terminal agree while a worker is killed, and show the log when it is quiet", async () => {
    const location = await newLocation(database);
    const [one, two] = [await startService(location), await startService(location)];
    const victim = await startWorker(location);
    const id = await created(one);
    const terminal = start(["events", "tail", "--db", location, "--after", "0", "--json", "--kinds", allKinds], { cwd: "." });
    const pages = [await inspectorAt(one.url, `sessions/${id}?log=timeline`), await inspectorAt(two.url, `sessions/${id}?log=timeline`)];
    for (const page of pages) await page.getByText("Live", { exact: true }).first().waitFor();
    await terminal.until('"created"');
    const printed = (): readonly number[] =>
      terminal
        .text()
        .split("\n")
        .filter((line) => line.endsWith("}") && line.startsWith("{"))
        .map((line) => (JSON.parse(line) as { readonly event: { readonly offset: number } }).event.offset);
    const shownHead = async (page: Page): Promise<number> => Number(await page.locator("#events [aria-selected=true] .offset").innerText());

    const snapshots: (readonly number[])[] = [];
    const over = new AbortController();
    onTestFinished(() => over.abort());
    const looking = (async () => {
      while (!over.signal.aborted) {
        snapshots.push([...(await Promise.all(pages.map(shownHead))), printed().at(-1) ?? 0]);
        await delay(30);
      }
    })();
    const posting = (async () => {
      for (let note = 0; note < 60 && !over.signal.aborted; note++)
        await one.request("POST", `/v1/sessions/${id}/events`, { kind: "custom", data: { note } });
    })();
    const killed = new Promise<void>((resolve) => victim.once("message", () => (victim.kill("SIGKILL"), resolve())));
    await two.request("POST", `/v1/sessions/${id}/events`, { kind: "message", source: "customer", text: "slow reply" });
    await killed;
    await startWorker(location);
    await posting;
    const completed = async (): Promise<boolean> => (await eventsOf(one, id)).some((event) => JSON.stringify(event).includes('"completed"'));
    await expect.poll(completed, settled).toBe(true);
    const events = await eventsOf(one, id);
    const head = events.at(-1)?.offset ?? 0;
    // Quiet: all show the same log, and nothing twice.
    await expect.poll(async () => [...(await Promise.all(pages.map(shownHead))), printed().at(-1)], settled).toEqual([head, head, head]);
    over.abort();
    await looking;
    expect(printed()).toEqual(events.map(({ offset }) => offset));
    // The notes after the reply may have left it out of the rows that are shown.
    const reply = events.find((event) => JSON.stringify(event).includes("You said slow reply."))?.offset;
    for (const page of pages) {
      await page.getByText(`${events.length} events`, { exact: true }).waitFor();
      const address = new URL(page.url());
      address.search = `?at=${reply}`;
      await page.goto(address.href);
      await expect.poll(async () => (await messagesOf(page)).at(-1), settled).toBe("You said slow reply.");
      await expect.poll(() => fieldOf(page, "topic"), settled).toBe('"slow reply"');
    }
    // What one had shown, another had missed for that long in the log's own time. It depends on how busy the machine is, so it is printed only.
    const times = new Map(events.map(({ offset, created_at }) => [offset, created_at]));
    const behind = snapshots.map((heads) => {
      const [least, most] = [Math.min(...heads), Math.max(...heads)];
      return least === most ? 0 : (times.get(most) ?? 0) - (times.get(least + 1) ?? 0);
    });
    behind.sort((a, b) => a - b);
    console.log(`${behind.length} looks: 90 % of them differed by ${behind[Math.floor(behind.length * 0.9)]} ms or less.`);
    // They followed while it went on.
    expect(new Set(snapshots.map((heads) => Math.min(...heads))).size).toBeGreaterThan(2);
  });
});

describe.skipIf(browser === undefined)("over connections that break", () => {
  test("the live tail loses nothing and doubles nothing", async () => {
    const location = await newLocation("SQLite");
    const service = await startService(location);
    const sockets = new Set<Socket>();
    let isOpen = true;
    const proxy = createServer((client) => {
      if (!isOpen) return void client.destroy();
      const behind = connect(Number(new URL(service.url).port), "127.0.0.1");
      for (const socket of [client, behind]) {
        sockets.add(socket);
        socket.on("error", () => {}).on("close", () => (sockets.delete(socket), client.destroy(), behind.destroy()));
      }
      client.pipe(behind).pipe(client);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    });
    const id = await created(service);
    const page = await inspectorAt(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, `sessions/${id}`);
    await page.getByText("Live", { exact: true }).first().waitFor();
    const cut = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    const entries = (): Promise<readonly string[]> => page.locator(".entry.custom .note-text").allInnerTexts();
    const wanted: string[] = [];
    for (let note = 0; note < 36; note++) {
      await service.request("POST", `/v1/sessions/${id}/events`, { kind: "custom", data: { note } });
      wanted.push(`{"note":${note}}`);
      // Cut while events come, cut when they are shown, and away for a while.
      if (note % 6 === 2) cut();
      if (note % 12 === 5 && isOpen) await expect.poll(entries, settled).toEqual(wanted);
      if (note === 15) {
        isOpen = false;
        cut();
        await page.getByText("The service cannot be reached").waitFor();
      }
      if (note === 20) {
        isOpen = true;
        await page.getByRole("button", { name: "Try now" }).click();
      }
    }
    await expect.poll(entries, settled).toEqual(wanted);
    await page.keyboard.press("t");
    await page.getByText(`${(await eventsOf(service, id)).length} events`, { exact: true }).waitFor();
  });
});
