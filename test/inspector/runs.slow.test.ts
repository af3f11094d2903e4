/** The screen of runs and routines: what the API says of each run, where it stands, and its cancellation. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { createCallbacks } from "../../packages/server/src/server/webhooks/callbacks.ts";
import { type Agent, defineAgent, defineState, input, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { openServer } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";
import { type Watched, watchedPage } from "./inspector-world.ts";
import { qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };
const hostile = `<img src=x onerror=alert(1)> ${"x".repeat(200)}`;

const state = defineState({ message: input(z.string()), ...routineFields() });
const echoing = defineRoutine({
  ...{ id: "echo", title: hostile, state, autonomous: { callback_hosts: ["127.0.0.1"] } },
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  nodes: { emit: { emit_output: { output: ({ input: given }) => ({ text: given.text }) } } },
});
const waiting = defineRoutine({
  ...{ id: "parcel", title: "Wait for the parcel", description: "Waits, then says so.", version: 3, state, autonomous: { timeout_seconds: 7_200 } },
  input: z.object({ order: z.string() }),
  output: z.object({ arrived: z.boolean() }),
  nodes: {
    sort: { branch: {}, next: [{ to: "arrival", when: { value: "input.order", set: true } }, { to: "emit" }] },
    arrival: { wait: { event: "parcel.arrived", seconds: 3_600 }, next: "emit", error: "end" },
    emit: { emit_output: { output: () => ({ arrived: true }) } },
  },
});
const agent: Agent = defineAgent({
  ...{ name: "shop", version: 1, state, extensions: [routines({ routines: [echoing, waiting] })] },
  reply: loop({ model: scripted(() => "") }),
});

describe.skipIf(browser === undefined)("the runs screen", () => {
  let world: Awaited<ReturnType<typeof openServer>>;
  /** The session of the waiting runs. */
  let session: string;
  let parcel: string;
  let echoed: string;
  let called: string;
  beforeAll(async () => {
    const store = await openStore(":memory:");
    const secrets = ["whsec_c2VjcmV0IGNhbmFyeSBvZiB0aGlydHktdHdvIGJ5dGVz"];
    const callbacks = createCallbacks({ runtime: { store }, secrets, allowHosts: ["127.0.0.1"], pollMs: 50 });
    world = await openServer({ store, callbacks, agents: [agent], inspector: true, runtime: { pollMs: 50, callbacks: true } });
    const { runs, sessions } = world.runtime;
    session = (await sessions.open({ agent: "shop", customer: "ada" })).id;
    parcel = (await runs.start("parcel", { order: hostile }, { session_id: session })).id;
    echoed = (await runs.start("echo", { text: hostile })).id;
    // Nobody listens there, so this one stays pending, and its session with it.
    called = (await runs.start("echo", { text: "call" }, { callback_url: "http://127.0.0.1:9/" })).id;
    await vi.waitFor(async () => expect(await runs.get(parcel)).toMatchObject({ status: "waiting" }), settled);
    await vi.waitFor(async () => expect(await runs.get(echoed)).toHaveProperty("erasure"), settled);
  });
  afterAll(async () => {
    await world.close();
    await world.store.close();
  });
  const open = async (query = "", key?: string): Promise<Watched> => {
    const watched = await watchedPage(browser!, world.url);
    onTestFinished(() => watched.context.close());
    if (key !== undefined) await watched.context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    await watched.page.goto(`${world.url}/inspector/runs${query}`);
    return watched;
  };
  const column = (page: Page, name: string): Promise<readonly string[]> => page.locator(`#runs .rows .cell.${name}`).allInnerTexts();

  test("lists the runs of the API, by status and by routine", async () => {
    const { page, faults } = await open();
    const { items } = await world.runtime.runs.list();
    await expect.poll(() => column(page, "status"), settled).toEqual(items.map(({ status }) => status));
    await page.getByRole("button", { name: "waiting", exact: true }).click();
    await expect.poll(() => column(page, "routine"), settled).toEqual(["parcel"]);
    expect(new URL(page.url()).searchParams.get("status")).toBe("waiting");
    await page.goBack();
    await expect.poll(async () => (await column(page, "routine")).length, settled).toBe(items.length);
    await page.keyboard.press("/");
    await page.keyboard.type("echo");
    await expect.poll(() => column(page, "routine"), settled).toEqual(["echo", "echo"]);
    await page.getByRole("searchbox").fill("nothing");
    await page.getByRole("heading", { name: "No run fits" }).waitFor();
    // The field has what the address has.
    await page.getByRole("button", { name: "waiting", exact: true }).click();
    await page.getByRole("searchbox").fill("parcel");
    await expect.poll(() => column(page, "routine"), settled).toEqual(["parcel"]);
    await page.goBack();
    await page.getByRole("heading", { name: "No run fits" }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("nothing");
    expect(faults).toEqual([]);
  });

  test("shows where a run waits, for what and until when, with its input", async () => {
    const { page, faults } = await open("?status=waiting");
    await page.locator("#runs .rows .row").first().waitFor();
    await page.keyboard.press("j");
    const facts = page.locator(".records .scroll");
    await page.getByText("parcel: arrival").waitFor();
    const shown = await facts.innerText();
    for (const text of [parcel, "parcel, version 3", "waits: parcel.arrived", "Waits until", "Times out at", "stays after the run"])
      expect(shown).toContain(text);
    expect(await page.locator("section[aria-label=Input] pre").innerText()).toBe(JSON.stringify({ order: hostile }, null, 2));
    const here = page.locator(".graph > [aria-current=step]");
    expect(await here.locator(".node-name").innerText()).toBe("arrival");
    expect(await here.innerText()).toContain("1 visit");
    expect(await page.locator(".graph .node-name").allInnerTexts()).toEqual(["sort", "arrival", "emit"]);
    expect(await page.locator(".graph > li").first().innerText()).toContain("when input.order is set");
    await page.locator(".graph").getByRole("button", { name: "emit" }).first().click();
    expect(await page.evaluate("document.activeElement.id")).toBe("node-emit");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`sessions/${session}$`));
    expect(faults).toEqual([]);
  });

  test("shows the output, the callback and the receipt of a run that is over", async () => {
    const { page, faults } = await open(`?item=${echoed}`);
    const run = await world.runtime.runs.get(echoed);
    await page.locator("section[aria-label=Output] pre").waitFor();
    expect(await page.locator("section[aria-label=Output] pre").innerText()).toBe(JSON.stringify(run.output, null, 2));
    const shown = await page.locator(".records .scroll").innerText();
    for (const text of [run.erasure?.id ?? "?", "was deleted with", "The session of the run was deleted with its input."])
      expect(shown).toContain(text);
    expect(await page.getByRole("button", { name: /^Cancel/ }).count()).toBe(0);
    await page.locator("#runs .rows .row").first().waitFor();
    await page.goto(`${world.url}/inspector/runs?item=${called}`);
    const callback = page.locator(".event-facts div", { hasText: "Callback" });
    await callback.waitFor();
    expect(await callback.innerText()).toContain("pending");
    expect(faults).toEqual([]);
  });

  test("cancels a run after a confirmation", async () => {
    const other = await world.runtime.sessions.open({ agent: "shop", customer: "bob" });
    const { id } = await world.runtime.runs.start("parcel", { order: "8" }, { session_id: other.id });
    const { page, faults } = await open(`?item=${id}`);
    await page.getByRole("button", { name: /^Cancel…/ }).waitFor();
    await page.keyboard.press("x");
    await page.getByText("What its tools did is not undone.").waitFor();
    await page.keyboard.press("Escape");
    expect((await world.runtime.runs.get(id)).finished_at).toBeUndefined();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Cancel this run" }).click();
    await expect.poll(async () => (await world.runtime.runs.get(id)).status, settled).toBe("cancelled");
    await page.locator(".event-facts .badge", { hasText: "cancelled" }).waitFor();
    await page.getByRole("heading", { name: "Why it ended" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("keeps the question of a confirmation when the run is read meanwhile", async () => {
    const { page, faults } = await open();
    const held: (() => void)[] = [];
    await page.route(`**/v1/runs/${parcel}`, async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await page.goto(`${world.url}/inspector/runs?item=${parcel}`);
    await page.getByRole("button", { name: /^Cancel…/ }).waitFor();
    await page.keyboard.press("x");
    await page.getByText("What its tools did is not undone.").waitFor();
    for (const release of held) release();
    await page.getByText("parcel: arrival").waitFor();
    expect(await page.getByText("What its tools did is not undone.").isVisible()).toBe(true);
    expect(faults).toEqual([]);
  });

  test("sends the end of a run again to an address, from the keys, the palette and the button", async () => {
    const receiver = await startReceiver();
    const { page, faults } = await open(`?item=${echoed}`);
    await page.getByRole("button", { name: /^Send to an address…/ }).waitFor();
    await page.keyboard.press("s");
    const address = page.getByLabel("Address of the receiver");
    await address.fill("https://evil.example/");
    await page.keyboard.press("Enter");
    await page.getByText("allows no callback to the host").waitFor();
    // What was typed is still there.
    expect(await address.inputValue()).toBe("https://evil.example/");
    await address.fill(receiver.url);
    await page.getByRole("button", { name: "Send the end of the run" }).click();
    await receiver.count(1);
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ type: "run.completed", run: { id: echoed, output: { text: hostile } } });
    const callback = page.locator(".event-facts div", { hasText: "Callback" });
    await expect.poll(() => callback.innerText(), settled).toContain("delivered");
    await page.getByRole("button", { name: /^Send again…/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command palette" }).fill("Send again");
    await page.keyboard.press("Enter");
    await address.fill(receiver.url);
    await page.keyboard.press("Enter");
    await receiver.count(2);
    expect(new Set(receiver.received.map(({ body, headers }) => `${String(headers["webhook-id"])} ${body}`)).size).toBe(1);
    await page.getByRole("button", { name: /^Send again…/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test("shows the routines of the agents as graphs", async () => {
    const { page, faults } = await open();
    await page.locator("#runs").waitFor();
    await page.keyboard.press("2");
    const rows = page.locator("#routines .rows .row");
    await expect.poll(() => rows.count(), settled).toBe(2);
    await rows.nth(1).click();
    await page.getByText("Waits, then says so.").waitFor();
    expect(await page.locator(".graph .on-error").innerText()).toContain("if it fails");
    await page.getByRole("link", { name: "Show its runs" }).click();
    await expect.poll(async () => new Set(await column(page, "routine")), settled).toEqual(new Set(["parcel"]));
    expect(faults).toEqual([]);
  });

  test("has no serious fault, in both themes and all widths", async () => {
    expect(
      await qualityFaults(browser!, world.url, [
        { path: "runs", ready: "#runs .rows .row" },
        { path: `runs?item=${parcel}`, ready: ".graph" },
        { path: `runs?item=${echoed}`, ready: "section[aria-label=Output]" },
        { path: "runs?tab=routines&item=shop%20echo", ready: ".graph" },
        { path: "runs?status=queued", ready: ".empty" },
      ]),
    ).toEqual([]);
  });

  // Last: from the first key on, the service needs one.
  test("shows what a key may see, and names the scope that it lacks", async () => {
    const { key } = await createKey(world.store, { name: "reader", scopes: ["sessions:read"] });
    const { page } = await open(`?item=${parcel}`, key);
    await page.getByText("The key lacks the scope state:read, which this needs.").waitFor();
    expect(await page.locator("section[aria-label=Input] pre").count()).toBe(1);
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Cancel this run" }).click();
    await page.getByText("The key lacks the scope sessions:write, which this needs.").first().waitFor();
    expect(await page.getByRole("button", { name: /^Cancel…/ }).isDisabled()).toBe(true);
    await page.keyboard.press("2");
    await page.getByRole("heading", { name: "No routine to show" }).waitFor();
    const writer = await createKey(world.store, { name: "writer", scopes: ["sessions:write"] });
    const other = await open("", writer.key);
    await other.page.getByText("The key lacks the scope sessions:read, which this needs.").waitFor();
  });
});
