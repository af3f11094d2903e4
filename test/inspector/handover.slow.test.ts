/** The hand-over screen: the queues as the API has them, and the work of an operator, live and by keyboard. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Session } from "../../packages/throughline/src/index.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { databases } from "../setup/server.ts";
import { type InspectorWorld, startInspected, type Watched, watchedPage } from "./inspector-world.ts";
import { auditedOperations, qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };
const open = async (url: string, path: string): Promise<Watched> => {
  const watched = await watchedPage(browser!, url);
  onTestFinished(() => watched.context.close());
  await watched.page.goto(`${url}/inspector/${path}`);
  return watched;
};
const rows = (page: Page): Promise<readonly string[]> => page.locator("#queue .rows .row").allInnerTexts();

describe.skipIf(browser === undefined).each(databases)("the hand-over on %s", (database) => {
  let world: InspectorWorld;
  let ada: Session;
  beforeAll(async () => {
    world = await startInspected(database);
    ada = await world.talk("ada", "I want my money back");
    await ada.handOver({ reason: "asks for a person" });
    const grace = await world.talk("grace", "help <b>me</b>");
    await grace.handOver({ reason: "danger", alert: 3 });
    const edsger = await world.talk("edsger", "hello");
    await edsger.handOver({ operator: "bob" });
    const barbara = await world.talk("barbara", "hello");
    await barbara.handOver({});
    await barbara.handBack({});
  });
  afterAll(() => world.close());
  const infoOf = async (session: Session): Promise<unknown> => (await world.request("GET", `/v1/sessions/${session.id}`)).body as unknown;

  test("shows the queues as the API lists them, with who answers", async () => {
    const { page, faults } = await open(world.url, "handover");
    await expect
      .poll(() => rows(page), settled)
      .toEqual([expect.stringMatching(/Waiting\s*alert 3\s*grace[^]*danger/), expect.stringMatching(/Waiting\s*ada/)]);
    await page.getByRole("button", { name: "With people" }).click();
    await expect.poll(() => rows(page), settled).toEqual([expect.stringMatching(/bob\s*edsger/)]);
    await page.getByRole("button", { name: "Resolved" }).click();
    await expect.poll(() => rows(page), settled).toEqual([expect.stringMatching(/Agent\s*barbara/)]);
    await page.getByRole("button", { name: "Mine" }).click();
    await page.getByRole("heading", { name: "Who are you?" }).waitFor();
    await page.getByLabel("Your name").fill("bob");
    await expect.poll(() => rows(page), settled).toEqual([expect.stringContaining("edsger")]);
    // The name stays in this browser, and what comes in appears by itself.
    await page.reload();
    expect(await page.getByLabel("Your name").inputValue()).toBe("bob");
    const alan = await world.talk("alan", "hello");
    await alan.handOver({ operator: "bob" });
    await expect.poll(() => rows(page), settled).toEqual([expect.stringContaining("edsger"), expect.stringContaining("alan")]);
    expect(faults).toEqual([]);
  });

  test("is worked by keyboard alone: claim, reply, hand back with a summary", async () => {
    const { page, faults } = await open(world.url, "handover");
    await expect.poll(async () => (await rows(page)).length, settled).toBe(2);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect
      .poll(() => page.locator(".talk .long-text").allInnerTexts(), settled)
      .toEqual(["I want my money back", "You said I want my money back."]);
    // Without a name nothing is claimed: the field is focused.
    await page.keyboard.press("c");
    await page.keyboard.type("Kim");
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await expect.poll(() => infoOf(ada), settled).toMatchObject({ mode: "manual", handover: { status: "assigned", operator: "Kim" } });
    await expect.poll(() => rows(page), settled).toEqual([expect.stringMatching(/Kim\s*ada/)]);
    expect(new URL(page.url()).searchParams.get("queue")).toBe("mine");
    await page.keyboard.press("r");
    await page.keyboard.type("You have it <i>back</i>.");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => page.locator(".talk .entry").last().innerText(), settled).toMatch(/Kim[^]*You have it <i>back<\/i>\./);
    await expect.poll(() => page.locator("#reply").inputValue(), settled).toBe("");
    const { items } = (await world.request("GET", `/v1/sessions/${ada.id}/events?kinds=message`)).body as {
      items: { source: string; data: object }[];
    };
    expect(items.at(-1)).toMatchObject({ source: "human_agent", data: { participant: { display_name: "Kim" } } });
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    await page.keyboard.type("Refunded the order.");
    await page.keyboard.press("Escape");
    await page.keyboard.press("B");
    await expect.poll(() => infoOf(ada), settled).toMatchObject({ mode: "auto", handover: { status: "resolved" } });
    await page.getByRole("heading", { name: "You have no session" }).waitFor();
    const { items: custom } = (await world.request("GET", `/v1/sessions/${ada.id}/events?kinds=custom`)).body as { items: { data: object }[] };
    expect(custom.at(-1)?.data).toMatchObject({ value: { handover_summary: "Refunded the order." } });
    expect(await auditedOperations(world)).toEqual(expect.arrayContaining(["assignSession", "handBack"]));
    expect(faults).toEqual([]);
  });

  test("puts back, and says what the service refuses with the id of the request", async () => {
    const linus = await world.talk("linus", "hello");
    await linus.handOver({ operator: "Kim" });
    const { page } = await open(world.url, `handover?queue=assigned&session=${linus.id}`);
    await page.getByRole("button", { name: "Put back into the queue" }).click();
    await expect.poll(() => infoOf(linus), settled).toMatchObject({ handover: { status: "waiting" } });
    await page.getByLabel("Your name").fill("Kim");
    // Another operator is faster than the page.
    await page.route("**/handover/assign", async (route) => {
      await linus.assign({ operator: "Ann" });
      await route.continue();
    });
    await page.getByRole("button", { name: /^Claim/ }).click();
    const alert = page.getByRole("alert");
    await expect.poll(() => alert.innerText(), settled).toMatch(/handover\.taken\s+Request \S+/);
    await expect.poll(() => page.locator(".talk .responder").innerText(), settled).toBe("Ann");
  });

  test.skipIf(database === "PostgreSQL")("disables what the key may not do, with the reason", async () => {
    // A service with a key asks for one, so this one has its own.
    const own = await startInspected();
    onTestFinished(() => own.close());
    const margaret = await own.talk("margaret", "hello");
    await margaret.handOver({ operator: "Kim" });
    const { key } = await createKey(own.store, { name: "desk", scopes: ["handover", "sessions:read"] });
    const { page, context } = await watchedPage(browser!, own.url);
    onTestFinished(() => context.close());
    await context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    await page.goto(`${own.url}/inspector/handover?queue=assigned&session=${margaret.id}`);
    await page.getByLabel("Your name").fill("Kim");
    await page.getByLabel("Reply").fill("hello");
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByText("The key lacks the scope sessions:write, which this needs.").first().waitFor();
    expect(await page.getByRole("button", { name: /^Send/ }).isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: /^Hand back/ }).isDisabled()).toBe(false);
  });

  test.skipIf(database === "PostgreSQL")("has no serious fault, in both themes and all widths", async () => {
    const hostile = await world.talk("x".repeat(200), `<img src=x onerror=alert(1)>${"long".repeat(2000)}`);
    await hostile.handOver({ reason: "y".repeat(500), alert: 1 });
    expect(
      await qualityFaults(browser!, world.url, [
        { path: "handover", ready: "#queue .rows .row" },
        { path: "handover?queue=mine", ready: ".empty" },
        { path: `handover?session=${hostile.id}`, ready: ".talk .entry" },
      ]),
    ).toEqual([]);
  });
});
