/** Long lists in the inspector: lines come by pages, whole events only where they are shown, and few rows are in the document. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Session } from "../../packages/throughline/src/index.ts";
import type { TraceId } from "../../packages/throughline/src/kernel/id.ts";
import { newEvent } from "../../packages/throughline/src/session/new-event.ts";
import { lineOf } from "../../packages/inspector/src/parts/event-line.ts";
import { append, message, newOwner, newSession } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { type InspectorWorld, startInspected, type Watched, watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };
const length = 6_000;

let world: InspectorWorld;
let long: Session;
beforeAll(async () => {
  world = await startInspected();
  long = await world.talk("ada", "hello", "weather");
  for (let number = 0; number < length; number += 500) {
    const trace_id = "1".repeat(32) as TraceId;
    const events = Array.from({ length: 500 }, (_, index) => newEvent("custom", "system", { value: { note: number + index } }, { trace_id }));
    await world.store.commit({ commit_id: `fill-${number}`, at: number, session: { session_id: long.id, events } });
  }
  await long.send("goodbye");
});
afterAll(() => world.close());

const rows = (page: Page): Promise<number> => page.locator("[role=option], [role=row], .entry").count();
const reads = ({ requests }: Watched, path: string): number => requests.filter((request) => request === `GET /v1/sessions/${long.id}/${path}`).length;

describe.skipIf(browser === undefined)("a long log", () => {
  const open = async (query: string): Promise<Watched> => {
    const watched = await watchedPage(browser!, world.url);
    onTestFinished(() => watched.context.close());
    await watched.page.goto(`${world.url}/inspector/sessions/${long.id}${query}`);
    return watched;
  };
  const selected = (page: Page): Promise<string> => page.locator("#events [aria-selected=true]").innerText();

  test("opens at its end with a page of lines and the events in sight", async () => {
    const watched = await open("");
    const { page, faults } = watched;
    await expect.poll(() => page.locator(".entry .long-text").allInnerTexts(), settled).toEqual(["goodbye", "You said goodbye."]);
    await page.getByText("Live", { exact: true }).first().waitFor();
    expect(reads(watched, "summaries")).toBeLessThanOrEqual(2);
    // One for the entries in sight, and the live tail.
    expect(reads(watched, "events")).toBeLessThanOrEqual(3);
    expect(await rows(page)).toBeLessThan(100);
    expect(faults).toEqual([]);
  });

  test("reads older lines where they are scrolled or scrubbed to, and no others", async () => {
    const watched = await open("?log=timeline");
    const { page, faults } = watched;
    const { head } = await long.info();
    await expect.poll(() => selected(page), settled).toContain(String(head));
    await page.getByText(`${(head + 1).toLocaleString("en")} events`, { exact: true }).waitFor();
    const before = reads(watched, "summaries");
    await page.getByRole("slider", { name: "Offset" }).fill("3000");
    await expect.poll(() => selected(page), settled).toMatch(/^3000\s+custom\s+\{"note":\d+\}/);
    await page.evaluate("document.getElementById('events').scrollTop = 0");
    await expect.poll(() => page.locator("#events .row").first().innerText(), settled).toMatch(/^0\s+session\s+created · desk/);
    expect(reads(watched, "summaries") - before).toBeLessThanOrEqual(4);
    expect(await rows(page)).toBeLessThan(100);
    expect(faults).toEqual([]);
  });

  test("finds the last change of the state behind thousands of events, and reads all lines for a filter", async () => {
    const watched = await open("?log=timeline&at=5900");
    const { page, faults } = watched;
    await expect.poll(() => selected(page), settled).toContain("5900");
    await page.keyboard.press("[");
    await expect.poll(() => selected(page), settled).toMatch(/state\s+stage · topic, count/);
    expect(Number(new URL(page.url()).searchParams.get("at"))).toBeLessThan(50);
    await page.keyboard.press("/");
    await page.keyboard.type("kind:message");
    await page.getByText(`7 of ${((await long.info()).head + 1).toLocaleString("en")} events`, { exact: true }).waitFor();
    expect(reads(watched, "summaries")).toBeLessThanOrEqual(Math.ceil(length / 500) + 2);
    expect(await rows(page)).toBeLessThan(100);
    expect(faults).toEqual([]);
  });

  test("keeps the list of sessions short in the document, and reads its pages one by one", async () => {
    await Promise.all(
      Array.from({ length: 350 }, (_, index) => world.runtime.sessions.open({ agent: "desk", customer: "many", key: String(index) })),
    );
    const watched = await watchedPage(browser!, world.url);
    onTestFinished(() => watched.context.close());
    const { page, requests } = watched;
    await page.goto(`${world.url}/inspector/`);
    await page.getByText("100+ sessions").waitFor();
    const listed = (): number => requests.filter((request) => request === "GET /v1/sessions").length;
    expect(listed()).toBe(1);
    await page.keyboard.press("G");
    await page.getByText("200+ sessions").waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press("G");
        return page.locator(".count").first().innerText();
      }, settled)
      .toBe("351 sessions");
    expect(await rows(page)).toBeLessThan(100);
    expect(watched.faults).toEqual([]);
  });

  const listOf = async (filter: string): Promise<Watched> => {
    const watched = await watchedPage(browser!, world.url);
    onTestFinished(() => watched.context.close());
    await watched.page.goto(`${world.url}/inspector/?q=${encodeURIComponent(filter)}`);
    return watched;
  };
  const opened = (customer: string, count: number): Promise<readonly Session[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => world.runtime.sessions.open({ agent: "desk", customer, key: String(index) })));

  test("a session that no longer matches the filter leaves a list of several pages", async () => {
    const sessions = await opened("queued", 103);
    for (const session of sessions) await session.handOver({ reason: "asks" });
    const { page, faults } = await listOf("handover:waiting");
    await page.getByText("100+ sessions").waitFor();
    await page.keyboard.press("G");
    await page.getByText("103 sessions", { exact: true }).waitFor();
    const { items } = await world.runtime.sessions.list({ customer: "queued", order: "desc", limit: 1 });
    await sessions.find(({ id }) => id === items[0]?.id)?.handBack({});
    await page.getByText("102 sessions", { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a list goes on while its pages are empty", async () => {
    await world.talk("hay", "needle");
    await opened("hay", 205);
    const first = await world.runtime.sessions.list({ q: "needle", order: "desc" });
    expect([first.items.length, first.next_cursor === null]).toEqual([0, false]);
    const { page, faults } = await listOf("needle");
    await page.getByText("1 session", { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a time that no calendar has is shown as its number", async () => {
    const session_id = await newSession(world.store, { owner_id: await newOwner(world.store, "later") });
    await append(world.store, session_id, { events: [message("hello")] }, 9e15);
    const { page, faults } = await listOf("customer:later");
    await page.getByText("9000000000000000", { exact: true }).waitFor();
    await page.goto(`${world.url}/inspector/sessions/${session_id}`);
    await page
      .locator("time")
      .filter({ hasText: /^9000000000000000$/ })
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  });
});

test("a line of a live event is the line that the service gives", async () => {
  const session = await world.talk("grace", "hello", "weather");
  await session.setTitle(`A title of ${"many ".repeat(30)}words \u{1f600}`);
  await session.handOver({ reason: "asks" });
  await session.handBack({});
  await world.request("POST", `/v1/sessions/${session.id}/events`, { kind: "custom", data: { __proto__: 1, text: "x\n\ty".repeat(60) } });
  await session.send(`  spaces \n and ${"\u{1f600}".repeat(100)}`);
  const { offset } = await session.post("take this back");
  await session.outcome(offset);
  await session.withdraw({ from: offset });
  const kinds = "message,tool,custom,status,state,turn,session,assessment";
  const bodyOf = async (path: string): Promise<{ readonly items: readonly never[] }> =>
    (await world.request("GET", `/v1/sessions/${session.id}/${path}?limit=1000&withdrawn=true&kinds=${kinds}`)).body as never;
  const { items: events } = await bodyOf("events");
  expect(events.length).toBeGreaterThan(50);
  expect(events.map((event) => lineOf(event))).toEqual((await bodyOf("summaries")).items);
});
