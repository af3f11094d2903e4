/** The customer screen: values, private metadata, and erasure, as the API has them. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { type InspectorWorld, startInspected, type Watched, watchedPage } from "./inspector-world.ts";
import { auditedOperations, qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

describe.skipIf(browser === undefined)("the customer screen", () => {
  let world: InspectorWorld;
  beforeAll(async () => {
    world = await startInspected();
    await world.talk("ada", "hello");
    await world.talk("ada lovelace/1", "<b>hello</b>");
    await world.request("PATCH", "/v1/customers/ada", { name: "Ada", variables: { plan: "free", seats: 2 }, metadata: { crm: "A-1" } });
  });
  afterAll(() => world.close());
  const open = async (path: string, url = world.url): Promise<Watched> => {
    const watched = await watchedPage(browser!, url);
    onTestFinished(() => watched.context.close());
    await watched.page.goto(`${url}/inspector/${path}`);
    return watched;
  };
  const stored = async (id = "ada"): Promise<unknown> => (await world.request("GET", `/v1/customers/${encodeURIComponent(id)}`)).body as unknown;
  const values = (page: Page, kind: string): Promise<readonly string[]> => page.locator(`.${kind} .values div`).allInnerTexts();

  test("lists customers and shows one as the API has it", async () => {
    const { page, faults } = await open("customers");
    await page.getByRole("link", { name: "ada lovelace/1" }).click();
    await page.getByRole("heading", { name: "ada lovelace/1" }).waitFor();
    await page.goBack();
    await page.getByPlaceholder("Id of a customer").fill("ada");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: "Ada", exact: true }).waitFor();
    await expect.poll(() => values(page, "variables"), settled).toEqual([expect.stringMatching(/plan\s+"free"/), expect.stringMatching(/seats\s+2/)]);
    expect(await values(page, "metadata")).toEqual([expect.stringMatching(/crm\s+"A-1"/)]);
    await expect.poll(() => page.locator(".sessions-of li").count(), settled).toBe(1);
    await expect.poll(() => page.locator(".memory-of").innerText(), settled).toMatch(/Facts\s+0/);
    expect(faults).toEqual([]);
  });

  test("edits by keyboard, refuses what is no JSON, and keeps what was written on a conflict", async () => {
    const { page, faults } = await open("customers/ada");
    await page.locator(".variables .values").waitFor();
    await page.keyboard.press("v");
    await page.keyboard.type("city");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Rome");
    await page.keyboard.press("Control+Enter");
    await page.getByText("This is not JSON.").waitFor();
    await page.getByLabel("Value, as JSON").fill('"Rome"');
    // Another writer is faster.
    await world.request("PATCH", "/v1/customers/ada", { variables: { plan: "paid" } });
    await page.keyboard.press("Control+Enter");
    await page.getByText(/Somebody changed this customer after version \d+/).waitFor();
    expect(await stored()).toMatchObject({ variables: { plan: "paid" } });
    expect(await stored()).not.toMatchObject({ variables: { city: "Rome" } });
    await page.getByRole("button", { name: "Show the present version" }).click();
    await expect.poll(async () => (await values(page, "variables")).join(), settled).toContain("paid");
    expect(await page.getByLabel("Value, as JSON").inputValue()).toBe('"Rome"');
    await page.getByRole("button", { name: /^Save/ }).click();
    await expect.poll(() => stored(), settled).toMatchObject({ variables: { plan: "paid", seats: 2, city: "Rome" } });
    await page.getByRole("button", { name: "Edit seats" }).click();
    await page.getByRole("button", { name: "Remove the value" }).click();
    await expect.poll(() => stored(), settled).toMatchObject({ variables: { plan: "paid", city: "Rome" } });
    await expect.poll(() => values(page, "variables"), settled).toHaveLength(2);
    await page.getByRole("button", { name: "Edit crm" }).click();
    await page.getByLabel("Value, as JSON").fill('{"id":"A-2"}');
    await page.getByRole("button", { name: /^Save/ }).click();
    await expect.poll(() => stored(), settled).toMatchObject({ metadata: { crm: { id: "A-2" } } });
    expect(faults).toEqual([]);
  });

  test("erases after a preview and a typed confirmation, and shows the receipt", async () => {
    const id = "ada lovelace/1";
    const { page, faults } = await open(`customers/${encodeURIComponent(id)}`);
    await page.locator(".variables").waitFor();
    await page.keyboard.press("E");
    const preview = (await world.request("GET", `/v1/customers/${encodeURIComponent(id)}/erasure`)).body as { sessions: number; events: number };
    await expect
      .poll(() => page.locator(".erasure .counts").innerText(), settled)
      .toMatch(new RegExp(`Sessions\\s+${preview.sessions}\\s+Events\\s+${preview.events}`));
    const erase = page.getByRole("button", { name: "Erase the customer" });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel("Type the customer's id to confirm").fill("ada");
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel("Type the customer's id to confirm").fill(id);
    await erase.click();
    await page.getByText("The customer was erased.").first().waitFor();
    expect(await page.locator(".receipt .counts").innerText()).toMatch(new RegExp(`Receipt\\s+\\S+\\s+Sessions\\s+${preview.sessions}`));
    expect(await stored(id)).toMatchObject({ code: "customer.not_found" });
    expect(await auditedOperations(world)).toContain("eraseCustomer");
    expect(faults).toEqual([]);
  });

  test("hides metadata without its scope, and disables what the key may not do", async () => {
    const own = await startInspected();
    onTestFinished(() => own.close());
    await own.talk("ada", "hello");
    await own.request("PATCH", "/v1/customers/ada", { metadata: { secret: "s-1" } });
    const { key } = await createKey(own.store, { name: "desk", scopes: ["customers:read", "sessions:read"] });
    const { page, context } = await watchedPage(browser!, own.url);
    onTestFinished(() => context.close());
    await context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    await page.goto(`${own.url}/inspector/customers/ada`);
    await page.getByText("The key lacks the scope metadata:read, which this needs.").waitFor();
    expect(await page.locator("main").innerText()).not.toContain("s-1");
    await page.getByText("The key lacks the scope memory:read, which this needs.").waitFor();
    await page.getByRole("button", { name: /^Preview/ }).click();
    await page.locator(".erasure").getByText("The key lacks the scope erase, which this needs.").first().waitFor();
    await page.keyboard.press("v");
    await page.getByLabel("Name").fill("plan");
    await page.getByLabel("Value, as JSON").fill("1");
    await page.getByRole("button", { name: /^Save/ }).click();
    await page.getByText("The key lacks the scope customers:write, which this needs.").first().waitFor();
    expect(await page.getByRole("button", { name: /^Save/ }).isDisabled()).toBe(true);
  });

  test("has no serious fault, in both themes and all widths", async () => {
    const id = `<img src=x onerror=alert(1)>${"x".repeat(100)}`;
    await world.talk(id, "hello");
    await world.request("PATCH", `/v1/customers/${encodeURIComponent(id)}`, {
      name: "n".repeat(150),
      variables: { long: "y".repeat(600) },
      metadata: { "<b>m</b>": "z".repeat(600) },
    });
    expect(
      await qualityFaults(browser!, world.url, [
        { path: "customers", ready: ".customer-list li" },
        { path: `customers/${encodeURIComponent(id)}`, ready: ".values div" },
      ]),
    ).toEqual([]);
  });
});
