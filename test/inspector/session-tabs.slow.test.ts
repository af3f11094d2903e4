/** The tabs of a turn in Chromium, over the reference agent: prompt, recall, safety and waterfall show what the API says. */
import type { Browser, Page } from "playwright-core";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { agent as companion } from "../../packages/companion/src/agent.ts";
import type { Session } from "../../packages/throughline/src/index.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { openServer } from "../setup/server.ts";
import { startInspected, watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

describe.skipIf(browser === undefined)("the tabs of a turn", () => {
  let server: Awaited<ReturnType<typeof openServer>>;
  let session: Session;
  beforeAll(async () => {
    const agent = Object.freeze({ ...companion, keepRequestsMs: 86_400_000 });
    server = await openServer({ agents: [agent], inspector: true });
    session = await server.runtime.sessions.open({ agent: agent.name, customer: "ada" });
    for (const text of ["My name is Ada and I live in Turin.", "Work keeps me awake at night."]) await session.send(text);
  });
  afterAll(() => server.close());

  const open = async (tab: string, options: { readonly width?: number } = {}): Promise<Page> => {
    const { page, context, faults } = await watchedPage(browser!, server.url, {
      viewport: { width: options.width ?? 1280, height: 800 },
      bypassCSP: true,
    });
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    await page.goto(`${server.url}/inspector/sessions/${session.id}?tab=${tab}`);
    return page;
  };
  const get = async (path: string): Promise<unknown> => (await server.request("GET", `/v1/sessions/${session.id}${path}`)).body as unknown;

  test("Prompt: the stored request, with its parts, their origin and their tokens", async () => {
    const page = await open("prompt");
    const { body, record } = (await get("/prompt")) as {
      readonly body: string;
      readonly record: { readonly parts: readonly { readonly name: string; readonly tokens: number; readonly provenance: string }[] };
    };
    await expect.poll(() => page.locator(".part-name").allInnerTexts(), settled).toEqual(record.parts.map(({ name }) => name));
    expect((await page.locator(".part-tokens").allInnerTexts()).map(Number)).toEqual(record.parts.map(({ tokens }) => tokens));
    await page.getByText("The request as it was sent").click();
    expect(await page.locator(".request pre").innerText()).toBe(body.slice(0, 2000));
    await page.locator("summary.part").first().click();
    await page.getByText("You are a companion").first().waitFor();
    expect(await page.locator(".prompt-messages li").last().innerText()).toContain("Work keeps me awake at night.");
  });

  test("Recall: each piece with its score, its placement and its text", async () => {
    const page = await open("recall");
    const turn = (await session.turns({ order: "desc" })).items[0]?.turn_id ?? "";
    const { items } = (await get(`/turns/${turn}/memory`)) as {
      readonly items: readonly { readonly entry_id: string; readonly placement: string }[];
    };
    await page.getByText("retrieval path").waitFor();
    expect(await page.locator(".tool-call .id").allInnerTexts()).toEqual(items.map(({ entry_id }) => entry_id));
    expect(await page.locator(".tool-call .badge:first-child").allInnerTexts()).toEqual(items.map(({ placement }) => placement));
  });

  test("Safety: the verdict of the turn, and the levels of the session", async () => {
    const page = await open("safety");
    await expect.poll(() => page.locator(".levels li").count(), settled).toBe(2);
    const facts = await page.locator(".event-facts").innerText();
    for (const name of ["Level by the rules", "How it was found", "How well it was read"]) expect(facts).toContain(name);
    expect(facts).toMatch(/Level\s+0: nothing acute/);
    // What says nothing has no row.
    for (const name of ["_", "Why these differ", "none", "Reason of the classifier"]) expect(facts).not.toContain(name);
    const messages = (await Array.fromAsync(session.events({ kinds: ["message"], follow: false }))).filter(({ source }) => source === "customer");
    const [first, second] = messages.map(({ offset }) => offset);
    expect(await page.locator(".levels .link").allInnerTexts()).toEqual([
      `#${first} My name is Ada and I live in Turin.`,
      `#${second} Work keeps me awake at night.`,
    ]);
    await page.locator(".levels .link").first().click();
    expect(new URL(page.url()).searchParams.get("at")).toBe(String(first));
    await page.locator(".levels .offset-link").first().click();
    expect(new URL(page.url()).searchParams.get("at")).toMatch(/^\d+$/);
  });

  test("Waterfall: every stage and model call of the turn with its milliseconds", async () => {
    const page = await open("waterfall");
    const turn = (await session.turns({ order: "desc" })).items[0]?.turn_id ?? "";
    const events = await Array.fromAsync(session.events({ kinds: ["turn"], follow: false }));
    const wanted = events.flatMap((event) =>
      event.kind === "turn" && event.turn_id === turn && event.data.type === "stage" ? [event.data.name] : [],
    );
    await expect.poll(() => page.locator(".waterfall li").count(), settled).toBeGreaterThan(wanted.length);
    const names = await page.locator(".waterfall li:has(.span-kind.stage) .span-name").allInnerTexts();
    expect(names).toEqual(wanted);
    expect(await page.locator(".span-kind.model").count()).toBeGreaterThan(0);
  });

  test.each(["prompt", "recall", "safety", "waterfall"])("%s is accessible, and fits into 320 pixels", async (tab) => {
    const page = await open(tab, { width: 320 });
    await page.locator("[role=tabpanel] .scroll").waitFor();
    await page.addScriptTag({ content: axe.source });
    const found = await page.evaluate<readonly string[]>(
      "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 120)}`)))",
    );
    expect(found).toEqual([]);
    expect(await page.evaluate<number>("document.scrollingElement.scrollWidth")).toBeLessThanOrEqual(320);
  });
});

test.skipIf(browser === undefined)("a turn without a kept request, a recall or a verdict says so", async () => {
  const world = await startInspected();
  onTestFinished(() => world.close());
  const session = await world.talk("ada", "hello");
  const { page, context, faults } = await watchedPage(browser!, world.url);
  onTestFinished(() => context.close());
  for (const [tab, title] of [
    ["prompt", "No prompt to show"],
    ["recall", "Nothing was recalled"],
    ["safety", "Nothing was assessed"],
  ] as const) {
    await page.goto(`${world.url}/inspector/sessions/${session.id}?tab=${tab}`);
    await page.getByRole("heading", { name: title }).waitFor();
  }
  expect(faults).toEqual([]);
});
