/** The inspector in Chromium: what it shows is what the API says, live, by address and by keyboard. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Session } from "../../packages/throughline/src/index.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { databases } from "../setup/server.ts";
import { type InspectorWorld, startInspected, type Watched, watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

describe.skipIf(browser === undefined).each(databases)("the inspector on %s", (database) => {
  let world: InspectorWorld;
  let ada: Session;
  beforeAll(async () => {
    world = await startInspected(database);
    ada = await world.talk("ada", "hello", "weather", "goodbye");
    await ada.setTitle("A talk about <b>weather</b>");
    const grace = await world.talk("grace", "good morning");
    await grace.handOver({ reason: "asks for a person" });
  });
  afterAll(() => world.close());

  let watched: Watched;
  beforeEach(async () => {
    watched = await watchedPage(browser!, world.url);
    onTestFinished(() => watched.context.close());
  });
  const open = async (path = ""): Promise<void> => {
    await watched.page.goto(`${world.url}/inspector/${path}`);
  };
  const bodyOf = async (path: string): Promise<unknown> => (await world.request("GET", path)).body as unknown;
  const query = (): Record<string, string> => Object.fromEntries(new URL(watched.page.url()).searchParams);
  const rowTexts = (id: string): Promise<readonly string[]> => watched.page.locator(`#${id} .rows .row`).allInnerTexts();
  const selectedOffset = (): Promise<string> => watched.page.locator("#events [aria-selected=true] .offset").innerText();
  const stateText = async (name: string): Promise<string> =>
    watched.page
      .locator("#state .row")
      .filter({ has: watched.page.locator(`.name:text-is("${name}")`) })
      .locator(".value")
      .innerText();

  test("lists the sessions that the API lists, with who answers", async () => {
    await open();
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(2);
    const [first, second] = await rowTexts("sessions");
    expect(first).toContain("grace");
    expect(first).toContain("Waiting");
    expect(second).toContain("A talk about <b>weather</b>");
    expect(second).toContain("Agent");
    expect(await watched.page.title()).toBe("Sessions · Throughline inspector");
    expect(watched.faults).toEqual([]);
  });

  test("marks what waits for a decision, and shows what was said last, at any width", async () => {
    const payer = await world.talk("barbara", "pay");
    onTestFinished(async () => void (await world.runtime.sessions.delete(payer.id)));
    const { page } = watched;
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await open();
      const row = page.locator("#sessions .rows .row").first();
      await row.locator(".waits").waitFor();
      expect(await row.locator(".waits").innerText()).toMatch(/Approval$/);
      expect(await row.locator(".waits svg").count()).toBe(1);
      expect(await row.locator(".last-message").innerText()).toMatch(/Customer\s+pay$/);
      // Nothing is cut off: both lines are within the row.
      const box = await row.boundingBox();
      for (const part of [".waits", ".last-message"]) {
        const inner = await row.locator(part).boundingBox();
        expect((inner?.y ?? 0) >= (box?.y ?? 0) && (inner?.y ?? 0) + (inner?.height ?? 0) <= (box?.y ?? 0) + (box?.height ?? 0)).toBe(true);
      }
      expect((await rowTexts("sessions"))[1]).toMatch(/Agent\s+You said good morning\./);
    }
    await page.getByRole("button", { name: "Needs an approval" }).click();
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(1);
    expect(query()).toEqual({ q: "waits:approval" });
    await page.getByRole("button", { name: "Needs an answer" }).click();
    await page.getByRole("heading", { name: "No session matches" }).waitFor();
    // The mark goes as soon as somebody has decided.
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.locator(".waits").waitFor();
    const [call] = (await payer.pending()).calls;
    await payer.reject(call!);
    await page.locator(".waits").waitFor({ state: "detached" });
  });

  test("filters by time, and says which filters there are not", async () => {
    await open();
    const { page } = watched;
    const box = page.getByRole("searchbox");
    const alerts = () => page.getByRole("alert").allInnerTexts();
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(2);
    await box.fill("before:1h");
    await page.getByRole("heading", { name: "No session matches" }).waitFor();
    await box.fill("after:1h");
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(2);
    await box.fill("after:2020-01-31 before:2199-12-31T23:59");
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(2);
    for (const wrong of ["after:2026-02-30", "before:soon", "after:5y"]) {
      await box.fill(wrong);
      await expect.poll(alerts, settled).toEqual([expect.stringMatching(`^The filter ${wrong} cannot be applied. Use a date such as`)]);
    }
    await box.fill("safety>=2");
    await expect.poll(alerts, settled).toEqual([expect.stringContaining("no filter by safety level")]);
    await box.fill("kind:tool");
    await expect.poll(alerts, settled).toEqual([expect.stringContaining("Open a session and use this filter in its timeline")]);
    expect(await rowTexts("sessions")).toEqual([]);
    await box.fill("custmer:ada");
    await page.getByText("There is no filter custmer, so custmer:ada is searched for.").waitFor();
    await expect.poll(alerts, settled).toEqual([]);
  });

  test("opens the memory of a customer from the navigation and from the palette", async () => {
    await open();
    const { page } = watched;
    await page.getByRole("link", { name: "Memory", exact: true }).click();
    await page.getByRole("heading", { name: "Memory" }).waitFor();
    await page.getByRole("link", { name: "ada", exact: true }).click();
    await page.waitForURL(/customers\/ada\/memory$/);
    await page.goBack();
    await page.getByLabel("Id of a customer").fill("grace");
    await page.getByRole("button", { name: "Open" }).click();
    await page.waitForURL(/customers\/grace\/memory$/);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("go to memory");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname, settled).toBe("/inspector/memory");
  });

  test("filters by the filter language, and explains what it cannot apply", async () => {
    await open();
    const { page } = watched;
    await page.keyboard.press("/");
    await page.keyboard.type("customer:ada");
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(1);
    expect(query()).toEqual({ q: "customer:ada" });
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("button", { name: "Waiting for a person" }).click();
    await expect.poll(async () => (await rowTexts("sessions")).join(), settled).toContain("grace");
    await page.getByRole("button", { name: "customer:ada" }).click();
    await expect.poll(async () => (await rowTexts("sessions")).join(), settled).toContain("ada");
    await page.getByRole("searchbox").fill("weather");
    await expect.poll(async () => (await rowTexts("sessions")).join(), settled).toContain("weather");
    await page.getByRole("searchbox").fill("mode:sideways");
    await expect
      .poll(() => page.getByRole("alert").allInnerTexts(), settled)
      .toEqual(["The filter mode:sideways cannot be applied. Use one of: auto, manual."]);
    expect(await rowTexts("sessions")).toEqual([]);
    await page.getByRole("searchbox").fill("-mode:auto");
    await expect
      .poll(() => page.getByRole("alert").allInnerTexts(), settled)
      .toEqual(["The filter -mode:auto cannot be applied: filters of sessions cannot be negated."]);
    expect(await rowTexts("sessions")).toEqual([]);
    // A name that is not the name of a filter is part of what is searched for.
    await page.getByRole("searchbox").fill("http://x");
    await expect.poll(() => page.getByRole("alert").count(), settled).toBe(0);
    await page
      .getByText("Filters are agent, customer, mode, handover, waits, operator, label, external, after, before, order; other words are searched for.")
      .waitFor();
    await page.reload();
    await page.getByRole("button", { name: "customer:ada" }).waitFor();
    await page.getByRole("searchbox").fill("customer:nobody");
    await page.getByRole("heading", { name: "No session matches" }).waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(2);
  });

  test("goes back from a session to the list as it was filtered", async () => {
    await open("?q=customer:ada");
    const { page } = watched;
    await expect.poll(() => rowTexts("sessions"), settled).toHaveLength(1);
    await page.keyboard.press("Enter");
    await page.locator(".breadcrumb").waitFor();
    expect(await page.locator(".breadcrumb a").getAttribute("href")).toBe("/inspector/?q=customer%3Aada");
    await page.keyboard.press("Escape");
    await expect.poll(() => new URL(page.url()).pathname, settled).toBe("/inspector/");
    expect(query()).toEqual({ q: "customer:ada" });
  });

  test("shows the conversation as the log has it", async () => {
    await open(`sessions/${ada.id}`);
    const messages = watched.page.locator(".entry.message .long-text");
    await expect
      .poll(() => messages.allInnerTexts(), settled)
      .toEqual(["hello", "You said hello.", "weather", "It is warm.", "goodbye", "You said goodbye."]);
    expect(await watched.page.locator(".entry.tool").allInnerTexts()).toEqual([
      expect.stringMatching(/look_up\(\{"of":"Rome"\}\)\s+ok: "Rome: 21 degrees"/),
    ]);
    expect(watched.faults).toEqual([]);
  });

  test("shows every event, and filters them with and without", async () => {
    const { events } = await world
      .request("GET", `/v1/sessions/${ada.id}/events?limit=1000&kinds=message,tool,custom,status,state,turn,session,assessment`)
      .then(({ body }: { readonly body: { readonly items: readonly unknown[] } }) => ({ events: body.items }));
    await open(`sessions/${ada.id}?log=timeline`);
    await watched.page.getByText(`${events.length} events`, { exact: true }).waitFor();
    expect(Number(await selectedOffset())).toBe((await ada.info()).head);
    await watched.page.keyboard.press("/");
    await watched.page.keyboard.type("kind:tool");
    await expect
      .poll(() => rowTexts("events"), settled)
      .toEqual([expect.stringContaining("called · look_up"), expect.stringContaining("returned · ok")]);
    await watched.page.getByRole("searchbox").fill("kind:message -source:ai_agent");
    await expect.poll(async () => (await rowTexts("events")).length, settled).toBe(3);
  });

  test("shows the state at each offset as the API folds it, and moves through its changes", async () => {
    await open(`sessions/${ada.id}?log=timeline`);
    await expect.poll(() => stateText("topic"), settled).toBe('"goodbye"');
    await expect.poll(() => stateText("count"), settled).toBe("3");
    await watched.page.locator("#events").focus();
    await watched.page.keyboard.press("[");
    const last = Number(await selectedOffset());
    expect(query()).toMatchObject({ at: String(last) });
    await watched.page.keyboard.press("[");
    await expect.poll(() => stateText("topic"), settled).toBe('"weather"');
    const at = Number(query()["at"]);
    expect(at).toBeLessThan(last);
    expect(await bodyOf(`/v1/sessions/${ada.id}/state?view=internal&at=${at}`)).toMatchObject({ state: { topic: "weather", count: 2 } });
    expect(await watched.page.locator("#state .changed .name").allInnerTexts()).toEqual(["topic", "count"]);
    await watched.page.keyboard.press("]");
    await expect.poll(() => stateText("count"), settled).toBe("3");
    await watched.page.getByRole("slider", { name: "Offset" }).fill("0");
    await watched.page.getByText("The state is empty").waitFor();
  });

  test("compares any two offsets", async () => {
    const { head } = await ada.info();
    await open(`sessions/${ada.id}?tab=diff`);
    const changes = watched.page.locator(".changes .change");
    await expect
      .poll(() => changes.allInnerTexts(), settled)
      .toEqual([expect.stringMatching(/changed\s*\/topic\s*[^]*weather[^]*goodbye/), expect.stringMatching(/changed\s*\/count\s*[^]*2[^]*3/)]);
    await open(`sessions/${ada.id}?tab=diff&cmp=0&at=${head}`);
    await expect.poll(() => changes.locator(".op").allInnerTexts(), settled).toEqual(["added", "added"]);
    const copied = (): Promise<unknown> => watched.page.evaluate<unknown>("navigator.clipboard.readText().then((text) => JSON.parse(text || '[]'))");
    const { document } = await ada.state({ at: head });
    const patch = ["topic", "count"].map((name) => ({ op: "add", path: `/${name}`, value: document[name] }));
    await watched.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await watched.page.getByRole("button", { name: "Copy JSON Patch" }).click();
    await expect.poll(copied, settled).toEqual(patch);
    await watched.page.evaluate("navigator.clipboard.writeText('')");
    await watched.page.keyboard.press("Control+k");
    await watched.page.getByRole("combobox", { name: "Command palette" }).fill("difference");
    await watched.page.keyboard.press("Enter");
    await expect.poll(copied, settled).toEqual(patch);
    await watched.page.getByLabel("From").fill(String(head));
    await watched.page.getByLabel("From").press("Enter");
    await watched.page.getByText("No difference").waitFor();
    expect(query()).toMatchObject({ cmp: String(head), tab: "diff" });
  });

  test("shows calls with arguments and results, and events as they are", async () => {
    await open(`sessions/${ada.id}?tab=tools`);
    const card = watched.page.locator(".tool-call");
    await card.waitFor();
    expect(await card.innerText()).toMatch(/look_up[^]*ok[^]*no effects[^]*"of": "Rome"[^]*Rome: 21 degrees/);
    await watched.page.keyboard.press("8");
    expect(query()).toMatchObject({ tab: "log" });
    const { head } = await ada.info();
    const text = await watched.page.locator(".tab-panel pre").innerText();
    expect(JSON.parse(text)).toEqual(await bodyOf(`/v1/sessions/${ada.id}/events/${head}`));
  });

  test("follows the log live, with the reply while it is written", async () => {
    const session = await world.talk("edsger");
    await open(`sessions/${session.id}`);
    await watched.page.getByText("Live", { exact: true }).first().waitFor();
    const release = world.hold();
    const sent = session.send("are you there?");
    const draft = watched.page.locator(".entry.draft");
    await expect.poll(() => draft.innerText(), settled).toContain("You said");
    release();
    await sent;
    await expect
      .poll(() => watched.page.locator(".entry.message .long-text").allInnerTexts(), settled)
      .toEqual(["are you there?", "You said are you there?."]);
    expect(await draft.count()).toBe(0);
    await expect.poll(() => stateText("count"), settled).toBe("1");
    // A person who looks at an earlier offset stays there, and sees that there is more.
    await watched.page.keyboard.press("k");
    const { at } = query();
    await session.send("again");
    await watched.page.getByRole("button", { name: /new$/ }).waitFor();
    expect(query()["at"]).toBe(at);
    await watched.page.keyboard.press("l");
    await expect.poll(() => stateText("count"), settled).toBe("2");
    expect(query()["at"]).toBeUndefined();
  });

  test("keeps the view in the address: back, forward and reload", async () => {
    await open();
    await watched.page.getByRole("link", { name: "A talk about" }).click();
    await watched.page.getByRole("tab", { name: "Diff" }).click();
    await watched.page.getByRole("button", { name: "Timeline" }).click();
    await watched.page.locator("#events .row").first().click();
    const { at = "" } = query();
    expect(at).toMatch(/^\d+$/);
    await watched.page.goBack();
    await expect.poll(query, settled).toEqual({ tab: "diff", log: "timeline" });
    await watched.page.goBack();
    await expect.poll(query, settled).toEqual({ tab: "diff" });
    await watched.page.goForward();
    await expect.poll(query, settled).toEqual({ tab: "diff", log: "timeline" });
    await watched.page.goForward();
    await expect.poll(query, settled).toEqual({ tab: "diff", log: "timeline", at });
    await watched.page.reload();
    // The page tells what stands there instead, should the row not come.
    const seen = async (): Promise<string> =>
      (await watched.page.locator("#events [aria-selected=true] .offset").count()) === 1
        ? selectedOffset()
        : watched.page.locator("body").innerText();
    await expect.poll(seen, settled).toBe(at);
    expect(await watched.page.getByRole("tab", { name: "Diff" }).getAttribute("aria-selected")).toBe("true");
    await open("nothing/here");
    await watched.page.getByRole("heading", { name: "No such page" }).waitFor();
  });

  test("is used by keyboard alone: from the list to an offset and back", async () => {
    await open();
    await expect.poll(() => rowTexts("sessions"), settled).not.toHaveLength(0);
    const { page } = watched;
    await page.keyboard.press("G");
    await page.keyboard.press("Enter");
    await page.waitForURL(/sessions\/ses_/);
    await page.keyboard.press("t");
    await page.locator("#events").waitFor();
    await page.keyboard.press("g");
    await expect.poll(selectedOffset, settled).toBe("0");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await expect.poll(selectedOffset, settled).toBe("1");
    await page.keyboard.press("2");
    expect(query()).toMatchObject({ tab: "diff" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("show tools");
    await page.keyboard.press("Enter");
    expect(query()).toMatchObject({ tab: "tools" });
    // No shortcut acts in a field: these are letters of a filter.
    await page.keyboard.press("/");
    await page.keyboard.type("lgj1");
    expect(query()).toMatchObject({ tab: "tools", filter: "lgj1" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect.poll(() => new URL(page.url()).pathname, settled).toBe("/inspector/");
  });
});
