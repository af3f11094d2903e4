/** The memory screen: entries and their evidence as the API has them, the real retriever, and every action on an entry. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { agent as companion } from "../../packages/companion/src/agent.ts";
import type { Session } from "../../packages/throughline/src/index.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { openServer } from "../setup/server.ts";
import { type Watched, watchedPage } from "./inspector-world.ts";
import { auditedOperations, qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };
const path = "/v1/customers/ada/memory";

interface Entry {
  readonly entry_id: string;
  readonly text: string;
  readonly kind: string;
  readonly in_force: boolean;
  readonly entry: { readonly quote?: string; readonly superseded_by?: string; readonly sources?: readonly { readonly offset: number }[] };
}

describe.skipIf(browser === undefined)("the memory screen", () => {
  let world: Awaited<ReturnType<typeof openServer>>;
  let session: Session;
  beforeAll(async () => {
    world = await openServer({ agents: [companion], inspector: true });
    session = await world.runtime.sessions.open({ agent: companion.name, customer: "ada" });
    await session.send("Please remember that my name is Ada and I live in Turin.");
    for (const quote of ["I play the violin on Sundays", "My sister is called Clara"]) await world.request("POST", `${path}/facts`, { quote });
    await world.request("POST", `${path}/rules`, { text: "Keep answers short" });
  });
  afterAll(() => world.close());
  const open = async (query = "", url = world.url): Promise<Watched> => {
    const watched = await watchedPage(browser!, url);
    onTestFinished(() => watched.context.close());
    await watched.page.goto(`${url}/inspector/customers/ada/memory${query}`);
    return watched;
  };
  const entries = async (query = ""): Promise<readonly Entry[]> => {
    const answer = await world.request("GET", `${path}/entries?limit=100${query}`);
    return (answer.body as { readonly items: readonly Entry[] }).items;
  };
  const entryWith = async (words: string, query = ""): Promise<Entry> => {
    const found = (await entries(query)).find(({ text }) => text.includes(words));
    if (found === undefined) throw new Error(`No entry has ${words}.`);
    return found;
  };
  const rows = (page: Page): Promise<readonly string[]> => page.locator("#entries .rows .row bdi").allInnerTexts();

  test("lists the entries of the API, by kind, by words and newest first", async () => {
    const { page, faults } = await open();
    const all = await entries();
    expect(all.length).toBeGreaterThanOrEqual(3);
    await expect.poll(() => rows(page), settled).toEqual(all.map(({ text }) => text).toReversed());
    await page.keyboard.press("4");
    await expect.poll(() => rows(page), settled).toEqual([expect.stringContaining("Keep answers short")]);
    await page.keyboard.press("0");
    await page.keyboard.press("/");
    await page.keyboard.type("violin sundays");
    await expect.poll(() => rows(page), settled).toEqual([expect.stringContaining("violin")]);
    await page.getByRole("searchbox").fill("nothing of this");
    await page.getByRole("heading", { name: "No entry matches" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("links the evidence of an entry to its offset in the log", async () => {
    const { page, faults } = await open();
    const sourced = await entryWith("Turin", "&kind=fact");
    await page.goto(`${world.url}/inspector/customers/ada/memory?entry=${sourced.entry_id}`);
    expect(await page.locator("blockquote").innerText()).toBe(sourced.entry.quote);
    const link = page.locator(".evidence a").first();
    await link.waitFor();
    const text = await link.innerText();
    await link.click();
    await page.waitForURL(/sessions\/ses_\w+\?at=\d+/);
    const address = new URL(page.url());
    expect(text).toBe(`${address.pathname.split("/").at(-1) ?? ""} at #${address.searchParams.get("at") ?? ""}`);
    // What was written directly has no place in a log.
    await page.goto(`${world.url}/inspector/customers/ada/memory?entry=${(await entryWith("violin")).entry_id}`);
    await page.getByText("Written directly, not in a session").waitFor();
    expect(await page.locator(".evidence a").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("recalls with the retriever of turns, and shows what the API says", async () => {
    const { page, faults } = await open();
    await page.locator("#entries .row").first().waitFor();
    await page.keyboard.press("t");
    await page.keyboard.type("Shall I play the violin?");
    await page.keyboard.press("Enter");
    const answer = await world.request("POST", `${path}/recall`, { text: "Shall I play the violin?", opening: false });
    const { items } = answer.body as { readonly items: readonly { readonly entry_id: string; readonly placement: string; readonly text: string }[] };
    expect(items.length).toBeGreaterThan(0);
    await expect.poll(() => page.locator(".tool-call .id").allInnerTexts(), settled).toEqual(items.map(({ entry_id }) => entry_id));
    expect(await page.locator(".tool-call .badge:first-child").allInnerTexts()).toEqual(items.map(({ placement }) => placement));
    expect(await page.locator(".tool-call .long-text").allInnerTexts()).toEqual(items.map(({ text }) => text));
    await page.locator(".tool-call .id button").first().click();
    await page.getByRole("heading", { name: "Evidence" }).waitFor();
    expect(await auditedOperations(world)).toContain("recallCustomerMemory");
    expect(faults).toEqual([]);
  });

  test("pins, hides and corrects by keyboard, and keeps the history", async () => {
    const { entry_id } = await entryWith("violin");
    const { page, faults } = await open(`?entry=${entry_id}`);
    const stored = async (): Promise<unknown> => (await world.request("GET", `${path}/entries/${entry_id}`)).body as unknown;
    await page.getByRole("heading", { name: "Evidence" }).waitFor();
    await page.keyboard.press("p");
    await expect.poll(stored, settled).toMatchObject({ entry: { pinned: true } });
    await page.getByRole("button", { name: /^Unpin/ }).waitFor();
    await page.keyboard.press("n");
    await expect.poll(stored, settled).toMatchObject({ entry: { pinned: true, never_recall: true } });
    await page.getByRole("button", { name: /^Recall again/ }).click();
    await expect.poll(stored, settled).not.toMatchObject({ entry: { never_recall: true } });
    await page.getByRole("button", { name: /^Never recall/ }).waitFor();
    await page.keyboard.press("e");
    await page.getByLabel("What is right").fill("cello on Sundays");
    await page.keyboard.press("Control+Enter");
    await expect.poll(stored, settled).toMatchObject({ in_force: false });
    const old = await stored();
    const next = (old as Entry).entry.superseded_by ?? "";
    await expect.poll(() => new URL(page.url()).searchParams.get("entry"), settled).toBe(next);
    await expect.poll(() => page.locator(".versions del").count(), settled).toBe(1);
    await expect.poll(() => page.locator(".versions ins").innerText(), settled).toContain("cello");
    expect(await auditedOperations(world)).toContain("correctCustomerMemoryEntry");
    expect(faults).toEqual([]);
  });

  test("forgets after a confirmation, and says what went", async () => {
    const { entry_id } = await entryWith("Clara");
    const { page, faults } = await open(`?entry=${entry_id}`);
    await page.getByRole("heading", { name: "Evidence" }).waitFor();
    await page.keyboard.press("x");
    await page.getByText("This cannot be undone.").waitFor();
    await page.keyboard.press("Escape");
    expect((await world.request("GET", `${path}/entries/${entry_id}`)).status).toBe(200);
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Forget this entry" }).click();
    await page.getByText(/Forgotten: 1 fact/).waitFor();
    expect((await world.request("GET", `${path}/entries/${entry_id}`)).status).toBe(404);
    await expect.poll(async () => (await rows(page)).join(), settled).not.toContain("Clara");
    expect(await auditedOperations(world)).toContain("forgetCustomerMemory");
    expect(faults).toEqual([]);
  });

  test("disables what the key may not do, with the reason", async () => {
    const own = await openServer({ agents: [companion], inspector: true });
    onTestFinished(() => own.close());
    await own.runtime.sessions.open({ agent: companion.name, customer: "ada" });
    const fact = await own.request("POST", `${path}/facts`, { quote: "I like tea" });
    const { entry_id } = fact.body as Entry;
    const { key } = await createKey(own.store, { name: "reader", scopes: ["memory:read", "customers:read"] });
    const { page, context } = await watchedPage(browser!, own.url);
    onTestFinished(() => context.close());
    await context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    await page.goto(`${own.url}/inspector/customers/ada/memory?entry=${entry_id}`);
    await page.getByRole("button", { name: /^Pin/ }).click();
    await page.getByText("The key lacks the scope memory:write, which this needs.").first().waitFor();
    for (const name of [/^Pin/, /^Never/, /^Correct/, /^Forget/]) expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
  });

  test("has no serious fault, in both themes and all widths", async () => {
    const quote = `<img src=x onerror=alert(1)> ${"word ".repeat(10)}${"x".repeat(150)}`;
    const fact = await world.request("POST", `${path}/facts`, { quote, object: "y".repeat(100) });
    const { entry_id } = fact.body as Entry;
    expect(
      await qualityFaults(browser!, world.url, [
        { path: "customers/nobody%20known/memory", ready: ".empty, .failure" },
        { path: `customers/ada/memory?entry=${entry_id}&all=1`, ready: ".evidence blockquote" },
        { path: "customers/ada/memory?view=recall", ready: "#recall-text" },
      ]),
    ).toEqual([]);
  });
});
