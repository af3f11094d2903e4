/** The screen of operations: what the API says of the service, its workers, webhooks, keys and audit, and every action on them. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { createWebhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { echo, startServer } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";
import { type InspectorWorld, startInspected, type Watched, watchedPage } from "./inspector-world.ts";
import { auditedOperations, qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };
const hostile = `<img src=x onerror=alert(1)> ${"x".repeat(45)}`;

async function open(url: string, query = "", options: BrowserContextOptions & { readonly key?: string } = {}): Promise<Watched> {
  const { key, ...rest } = options;
  const watched = await watchedPage(browser!, url, rest);
  onTestFinished(() => watched.context.close());
  if (key !== undefined) await watched.context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
  await watched.page.goto(`${url}/inspector/operations${query}`);
  return watched;
}
const column = (page: Page, list: string, name: string): Promise<readonly string[]> => page.locator(`#${list} .rows .cell.${name}`).allInnerTexts();

/** A service whose target `crm` refuses events with `poison` until it is repaired. */
async function withWebhooks() {
  const at = { broken: true };
  const receiver = await startReceiver(({ body }) => (at.broken && body.includes("poison") ? 500 : 200));
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  const webhooks = createWebhooks({
    ...{ store, agents: [echo], allowHosts: ["127.0.0.1"], pollMs: 50, retryMs: [], pauseAfter: 100 },
    targets: [{ name: "crm", url: receiver.url, kinds: ["custom"] }],
  });
  const server = await startServer({ store: webhooks.store, webhooks, inspector: true });
  const session = await server.runtime.sessions.create({ agent: "a1" });
  return { at, server, session, client: createClient({ baseUrl: server.url, retries: 0 }) };
}

describe.skipIf(browser === undefined)("the operations screen", () => {
  let world: InspectorWorld;
  beforeAll(async () => {
    world = await startInspected();
    await world.talk("ada", "hello");
  });
  afterAll(() => world.close());

  test("shows the status of the API: schema, agents, open turns and limits", async () => {
    const { page, faults } = await open(world.url);
    const client = createClient({ baseUrl: world.url });
    const { version, schema, limits } = await client.operations.status();
    await page.getByRole("heading", { name: "Limits in force" }).waitFor();
    const shown = await page.locator(".cards").innerText();
    for (const text of [version, `SQLite; Schema ${schema};`, "desk", "None", "1 MiB", "60 s"]) expect(shown).toContain(text);
    const count = (value: number): string => (value === 0 ? "none" : new Intl.NumberFormat("en").format(value));
    expect(await page.locator(".figures td:nth-of-type(1)").allInnerTexts()).toEqual(
      ["", limits.requests_per_minute, limits.event_reads_per_minute, limits.waiters].map((value) => (value === "" ? "" : count(Number(value)))),
    );
    await expect.poll(() => page.locator(".counts dd").nth(1).innerText(), settled).toBe("Yes");
    expect(faults).toEqual([]);
  });

  test("shows an open turn with its worker and lease until it ends, and leads to its session", async () => {
    const resume = world.hold();
    const session = await world.runtime.sessions.open({ agent: "desk", customer: "held" });
    const sent = session.send("slow");
    const { page, faults } = await open(world.url, "?tab=turns");
    await expect.poll(() => column(page, "turns", "session"), settled).toEqual([session.id]);
    expect(await column(page, "turns", "status")).toEqual(["running"]);
    await page.keyboard.press("j");
    const { items } = await createClient({ baseUrl: world.url }).operations.openTurns();
    const facts = page.locator(".event-facts");
    await facts.waitFor();
    expect(await facts.innerText()).toContain(items[0]?.worker);
    expect(await facts.innerText()).toContain("Lease until");
    expect(new URL(page.url()).searchParams.get("item")).toBe(session.id);
    resume();
    await sent;
    await page.keyboard.press("r");
    await page.getByRole("heading", { name: "No turn is open" }).waitFor();
    await page.goto(`${world.url}/inspector/operations?tab=turns&held=1`);
    await page.getByRole("heading", { name: "No turn is open" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("pauses, resumes and renews a webhook, and sends a dead letter again", async () => {
    const { at, server, session, client } = await withWebhooks();
    for (const value of ["poison 1", "poison 2"]) await session.postCustom(value);
    await expect.poll(async () => (await client.webhooks.deadLetters()).total, settled).toBe(2);
    const { page, faults } = await open(server.url, "?tab=webhooks");
    await expect.poll(() => column(page, "webhooks", "health"), settled).toEqual(["2 not delivered"]);
    await page.keyboard.press("j");
    await page.getByRole("button", { name: /^Pause/ }).waitFor();
    await page.keyboard.press("p");
    await expect.poll(() => column(page, "webhooks", "health"), settled).toEqual(["paused by an operator"]);
    expect((await client.webhooks.list())[0]?.paused?.reason).toBe("operator");
    await page.getByRole("button", { name: /^Resume/ }).click();
    await expect.poll(async () => (await client.webhooks.list())[0]?.paused, settled).toBeUndefined();
    await page.getByRole("button", { name: "Make a new secret" }).click();
    expect(await page.locator(".secret code").innerText()).toMatch(/^whsec_/);
    await page.keyboard.press("Escape");
    expect(await page.locator(".secret").count()).toBe(0);
    await page.keyboard.press("4");
    await expect.poll(async () => (await column(page, "letters", "error")).length, settled).toBe(2);
    await page.keyboard.press("j");
    await page.getByRole("button", { name: /^Send again/ }).waitFor();
    await page.keyboard.press("s");
    await page.locator(".failure code", { hasText: "outbound.failed" }).waitFor();
    at.broken = false;
    await page.getByRole("button", { name: /^Send again/ }).click();
    await expect.poll(async () => (await client.webhooks.deadLetters()).total, settled).toBe(1);
    await expect.poll(async () => (await column(page, "letters", "error")).length, settled).toBe(1);
    const audited = await auditedOperations(server);
    for (const name of ["pauseWebhook", "resumeWebhook", "rotateWebhookSecret", "resendDeadLetter"]) expect(audited).toContain(name);
    await page.keyboard.press("k");
    await page.locator(".event-facts a", { hasText: "at #" }).click();
    await page.waitForURL(new RegExp(`sessions/${session.id}\\?at=\\d+&tab=log`));
    expect(faults).toEqual([]);
  });

  test("shows where webhooks are in a session, from a dead letter, the session and the field", async () => {
    const { server, session, client } = await withWebhooks();
    await session.postCustom("poison");
    await expect.poll(async () => (await client.webhooks.deadLetters()).total, settled).toBe(1);
    await expect.poll(async () => (await client.webhooks.positions(session.id))[0]?.next_offset, settled).toBe(2);
    const { page, faults } = await open(server.url, "?tab=letters");
    await page.locator("#letters .rows .row").first().click();
    await page.getByRole("link", { name: "Where crm is in the session" }).click();
    await expect.poll(() => column(page, "positions", "next"), settled).toEqual(["#2"]);
    expect(await column(page, "positions", "state")).toEqual(["no failure"]);
    const facts = page.locator(".event-facts");
    await expect.poll(() => facts.innerText(), settled).toContain("Failed attempts of the next event");
    await page.keyboard.press("/");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("ses_nothing");
    await page.locator(".failure code", { hasText: "session.not_found" }).waitFor();
    await page.getByRole("searchbox").fill("");
    await page.getByRole("heading", { name: "Which session?" }).waitFor();
    await page.goto(`${server.url}/inspector/sessions/${session.id}`);
    await page.locator("#timeline, .conversation").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command palette" }).fill("Show where webhooks are");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`operations\\?.*session=${session.id}`));
    await expect.poll(() => column(page, "positions", "target"), settled).toEqual(["crm"]);
    expect(faults).toEqual([]);
  });

  test("shows the agents with their variables", async () => {
    const stored = createClient({ baseUrl: world.url }).agents.variables("desk");
    await stored.update({ opening_hours: "9 to 5", limits: { refund: 50 } });
    const { page, faults } = await open(world.url, "?tab=agents");
    await page.locator("#agents .rows .row").first().click();
    const variables = page.locator("section[aria-label=Variables]");
    await variables.getByText("opening_hours").waitFor();
    for (const [name, value] of Object.entries((await stored.list()).values)) {
      expect(await variables.innerText()).toContain(name);
      expect(await variables.innerText()).toContain(JSON.stringify(value));
    }
    expect(faults).toEqual([]);
  });

  test("creates a key, shows it once, goes on with the first one, and revokes after a confirmation", async () => {
    const own = await startInspected();
    onTestFinished(() => own.close());
    const { page, faults } = await open(own.url, "?tab=keys");
    await page.getByRole("heading", { name: "No key yet" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("button", { name: /^Create the key/ }).click();
    await page.getByText("A key needs a name.").waitFor();
    await page.getByLabel("Name").fill(hostile);
    await page.keyboard.press("Control+Enter");
    await page.getByText("Choose at least one scope.").waitFor();
    await page.getByLabel("admin").check();
    await page.getByLabel("audit:read").check();
    await page.getByLabel(/^Days until/).fill("30");
    await page.keyboard.press("Control+Enter");
    const secret = await page.locator(".secret code").innerText();
    expect(secret).toMatch(/^tl_live_/);
    // The service needs a key from now on, and the tab has one.
    await expect.poll(async () => (await own.request("GET", "/v1/keys")).status, settled).toBe(401);
    const client = createClient({ baseUrl: own.url, key: secret });
    await expect.poll(() => column(page, "keys", "name"), settled).toEqual([hostile]);
    const [created] = await client.keys.list();
    expect(created).toMatchObject({ name: hostile, scopes: ["admin", "audit:read"] });
    expect((created?.expires_at ?? 0) - (created?.created_at ?? 0)).toBeGreaterThan(29 * 86_400_000);
    await page.getByRole("button", { name: "I have kept it" }).click();
    expect(await page.content()).not.toContain(secret);
    const second = await client.keys.create({ name: "second", scopes: ["sessions:read"] });
    await page.keyboard.press("r");
    await expect.poll(() => column(page, "keys", "name"), settled).toContain("second");
    await page.locator("#keys .rows .row", { hasText: "second" }).click();
    await page.getByRole("button", { name: /^Revoke/ }).waitFor();
    await page.keyboard.press("x");
    await page.getByText("This cannot be undone.").waitFor();
    await page.getByRole("button", { name: "Revoke this key" }).click();
    await expect.poll(async () => (await client.keys.list()).find(({ id }) => id === second.id)?.revoked_at, settled).toBeDefined();
    await expect.poll(() => page.locator("#keys .rows .row", { hasText: "second" }).innerText(), settled).toContain("revoked");
    expect(faults).toEqual([]);
  });

  test("acts on a key that is pressed as soon as the list is there", async () => {
    const { server, client, session } = await withWebhooks();
    await session.postCustom("poison");
    await expect.poll(async () => (await client.webhooks.deadLetters()).total, settled).toBe(1);
    const watched = await watchedPage(browser!, server.url);
    onTestFinished(() => watched.context.close());
    // The observer runs in the task that draws the rows, before anything that waits for the next frame.
    await watched.context.addInitScript(`
      const observer = new MutationObserver(() => {
        if (document.querySelector("#letters .rows .row") === null) return;
        observer.disconnect();
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
      });
      observer.observe(document, { childList: true, subtree: true });
    `);
    await watched.page.goto(`${server.url}/inspector/operations?tab=letters`);
    await watched.page.getByRole("button", { name: /^Send again/ }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  test("shows what came about while an earlier read was under way", async () => {
    const own = await startInspected();
    onTestFinished(() => own.close());
    const { key } = await createKey(own.store, { name: "first", scopes: ["admin"] });
    const watched = await watchedPage(browser!, own.url);
    onTestFinished(() => watched.context.close());
    await watched.context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    const held: (() => void)[] = [];
    await watched.page.route("**/v1/keys?*", async (route) => {
      const response = await route.fetch();
      if (held.length === 0) await new Promise<void>((resolve) => held.push(resolve));
      await route.fulfill({ response });
    });
    await watched.page.goto(`${own.url}/inspector/operations?tab=keys`);
    await expect.poll(() => held.length, settled).toBe(1);
    await createClient({ baseUrl: own.url, key }).keys.create({ name: "second", scopes: ["sessions:read"] });
    await watched.page.keyboard.press("r");
    for (const release of held) release();
    await expect.poll(() => column(watched.page, "keys", "name"), settled).toContain("second");
    expect(watched.faults).toEqual([]);
  });

  test("lists the audit log of the API, newest first", async () => {
    await world.request("GET", "/v1/keys");
    const { page, faults } = await open(world.url, "?tab=audit");
    await page.locator("#audit .rows .row").first().waitFor();
    const shown = await column(page, "audit", "operation");
    const stored = await auditedOperations(world);
    // The read by the test came later.
    expect(stored.slice(-shown.length)).toEqual(shown);
    await page.keyboard.press("j");
    await page.locator(".event-facts", { hasText: "local" }).waitFor();
    await world.request("DELETE", "/v1/customers/ada/tokens");
    await page.keyboard.press("r");
    await expect.poll(() => column(page, "audit", "operation"), settled).toContain("revokeTokens");
    await page.getByRole("button", { name: "Only changes and exports" }).click();
    const kept = async (): Promise<readonly string[]> => (await auditedOperations(world)).filter((operation) => !/^(get|list)/.test(operation));
    await expect.poll(() => column(page, "audit", "operation"), settled).toEqual(await kept());
    expect(new URL(page.url()).searchParams.get("reads")).toBe("no");
    expect(faults).toEqual([]);
  });

  test("reads ten pages of the audit log in which nothing fits, and others when it is asked to", async () => {
    const own = await startInspected();
    onTestFinished(() => own.close());
    const watched = await watchedPage(browser!, own.url);
    onTestFinished(() => watched.context.close());
    let pages = 0;
    const entry = (operation: string, id: number) => ({
      id: `aud_${id}`,
      operation,
      actor: "local",
      status: 200,
      objects: {},
      at: 1_700_000_000_000,
    });
    await watched.page.route("**/v1/audit?*", async (route) => {
      pages += 1;
      await route.fulfill({ json: { items: [entry(pages === 15 ? "revokeKey" : "listKeys", pages)], next_cursor: `page ${pages}`, total: 1_000 } });
    });
    await watched.page.goto(`${own.url}/inspector/operations?tab=audit&reads=no`);
    const button = watched.page.getByRole("button", { name: /Read older entries/ });
    await button.waitFor();
    expect(pages).toBe(10);
    await button.click();
    await expect.poll(() => column(watched.page, "audit", "operation"), settled).toEqual(["revokeKey"]);
    expect(watched.faults).toEqual([]);
  });

  test("names the scope that the key lacks, on each tab", async () => {
    const own = await startInspected();
    onTestFinished(() => own.close());
    const { key } = await createKey(own.store, { name: "reader", scopes: ["sessions:read"] });
    const { page, faults } = await open(own.url, "", { key });
    for (const [number, scope] of ["admin", "admin", "webhooks", "webhooks", "admin", "audit:read"].entries()) {
      await page.locator(".tabs").waitFor();
      await page.keyboard.press(String(number + 1));
      await page.locator(".failure", { hasText: `The key lacks the scope ${scope}, which this needs.` }).waitFor();
    }
    await page.keyboard.press("5");
    expect(await page.getByRole("button", { name: /^New key/ }).isDisabled()).toBe(true);
    expect(faults).toEqual([]);
  });

  test("has no serious fault, in both themes and all widths", async () => {
    const { server, session, client } = await withWebhooks();
    await session.postCustom("poison");
    await expect.poll(async () => (await client.webhooks.deadLetters()).total, settled).toBe(1);
    const created = await createKey(server.store, { name: hostile, scopes: ["sessions:read", "admin"], expiresAt: Date.now() + 1_000_000 });
    const reader = await createKey(server.store, { name: "page", scopes: ["admin", "webhooks", "audit:read"] });
    const closed = createClient({ baseUrl: server.url, key: reader.key });
    await closed.agents.variables("a1").update({ [hostile]: hostile.repeat(20) });
    const letter = (await closed.webhooks.deadLetters()).items[0]?.id ?? "";
    expect(
      await qualityFaults(
        browser!,
        server.url,
        [
          { path: "operations", ready: ".figures" },
          { path: "operations?tab=turns", ready: ".empty" },
          { path: "operations?tab=webhooks&item=crm", ready: ".event-facts" },
          { path: `operations?tab=letters&item=${letter}`, ready: ".event-facts" },
          { path: `operations?tab=keys&item=${created.key.split("_")[2] ?? ""}`, ready: ".event-facts" },
          { path: "operations?tab=audit", ready: "#audit .rows .row" },
          { path: `operations?tab=positions&session=${session.id}&item=crm`, ready: ".event-facts" },
          { path: "operations?tab=agents&item=a1", ready: ".values" },
        ],
        { key: reader.key },
      ),
    ).toEqual([]);
  });
});
