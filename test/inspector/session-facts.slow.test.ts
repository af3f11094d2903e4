/** What stands beside sessions and fields: turns, safety level and usage in the list, owners and lifecycles in the tab of the state. */
import type { Browser } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { agent as companion } from "../../packages/companion/src/agent.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { openServer } from "../setup/server.ts";
import { startActions } from "./action-world.ts";
import { watchedPage } from "./inspector-world.ts";
import { auditedOperations, qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

interface Usage {
  readonly tokens: Readonly<Record<string, number>>;
}

describe.skipIf(browser === undefined)("the list of sessions", () => {
  test("has turns and safety levels of the rows in sight in one request, and usage on demand", async () => {
    const server = await openServer({ agents: [companion], inspector: true });
    onTestFinished(() => server.close());
    const open = (customer: string) => server.runtime.sessions.open({ agent: companion.name, customer });
    const ada = await open("ada");
    for (const text of ["My name is Ada.", "Work keeps me awake at night."]) await ada.send(text);
    await open("grace");
    const { page, context, faults, requests } = await watchedPage(browser!, server.url);
    onTestFinished(() => context.close());
    await page.goto(`${server.url}/inspector/`);
    const row = page.locator("#sessions .rows .row", { hasText: "ada" });
    const level = ((await server.request("GET", `/v1/safety/sessions?sessions=${ada.id}`)).body as { items: readonly { level: number }[] }).items[0]
      ?.level;
    await expect.poll(() => row.locator(".cell.safety").innerText(), settled).toBe(`level ${level}`);
    expect(await row.locator(".cell.turns").innerText()).toBe("2");
    expect(await page.locator("#sessions .rows .row", { hasText: "grace" }).locator(".cell.safety").innerText()).toBe("–");
    expect(requests.filter((request) => request.includes("/v1/safety/sessions"))).toHaveLength(1);
    expect(requests.filter((request) => request.endsWith("/usage"))).toHaveLength(0);
    await page.keyboard.press("G");
    while ((await row.getAttribute("aria-selected")) !== "true") await page.keyboard.press("k");
    await page.keyboard.press("u");
    const { tokens } = (await server.request("GET", `/v1/sessions/${ada.id}/usage`)).body as Usage;
    const sum = Object.values(tokens).reduce((all, some) => all + some, 0);
    await expect.poll(() => row.locator(".cell.usage").innerText(), settled).toBe(`${new Intl.NumberFormat("en").format(sum)}, 0.00`);
    await page.getByRole("button", { name: "Show tokens and cost" }).first().click();
    await expect.poll(() => page.locator(".cell.usage .link").count(), settled).toBe(0);
    expect(new URL(page.url()).pathname).toBe("/inspector/");
    expect(await auditedOperations(server)).toContain("listSessionSafety");
    expect(faults).toEqual([]);
    // A new event makes its level due again.
    await ada.send("I slept well.");
    await expect.poll(() => requests.filter((request) => request.includes("/v1/safety/sessions")).length, settled).toBe(2);
    await expect.poll(() => row.locator(".cell.turns").innerText(), settled).toBe("3");
    // A key without the scope sees the list, and levels are not asked for again.
    const { key } = await createKey(server.store, { name: "reader", scopes: ["sessions:read"] });
    const reader = await watchedPage(browser!, server.url);
    onTestFinished(() => reader.context.close());
    await reader.context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    await reader.page.goto(`${server.url}/inspector/`);
    await reader.page.getByText("The key lacks the scope safety:read").waitFor();
    expect(await reader.page.locator("#sessions .rows .row").count()).toBe(2);
    expect(await reader.page.locator(".cell.safety").first().isVisible()).toBe(false);
  });

  test("shows a crisis and its customer at every width, and the level in the head of the session as it rises", async () => {
    const server = await openServer({ agents: [companion], inspector: true });
    onTestFinished(() => server.close());
    const ada = await server.runtime.sessions.open({ agent: companion.name, customer: "ada" });
    await ada.send("I took the whole bottle of pills ten minutes ago. I am going to die tonight.");
    const { page, context, faults } = await watchedPage(browser!, server.url, { viewport: { width: 390, height: 800 } });
    onTestFinished(() => context.close());
    await page.goto(`${server.url}/inspector/`);
    const badge = page.locator("#sessions .rows .row .cell.safety .badge");
    await badge.waitFor();
    expect([await badge.innerText(), await badge.isVisible()]).toEqual(["level 3", true]);
    expect(await page.locator("#sessions .rows .row .whose").innerText()).toBe("ada");
    expect(await page.evaluate<number>("document.scrollingElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.locator("#sessions .rows .row a").click();
    await page.getByRole("button", { name: "level 3: in danger now" }).click();
    const { items } = (await server.request("GET", `/v1/safety/sessions?sessions=${ada.id}`)).body as {
      items: readonly { readonly offset: number }[];
    };
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ at: String(items[0]?.offset), tab: "safety" });
    const grace = await server.runtime.sessions.open({ agent: companion.name, customer: "grace" });
    await grace.send("Work keeps me awake at night.");
    await page.goto(`${server.url}/inspector/sessions/${grace.id}`);
    const head = page.locator(".facts .safety .badge");
    await expect.poll(() => head.innerText(), settled).toBe("level 0: nothing acute");
    await page.getByText("Live", { exact: true }).first().waitFor();
    await grace.send("I took the whole bottle of pills ten minutes ago. I am going to die tonight.");
    await expect.poll(() => head.innerText(), settled).toBe("level 3: in danger now");
    expect(faults).toEqual([]);
    const screens = [
      { path: "", ready: "#sessions .rows .badge" },
      { path: `sessions/${grace.id}`, ready: ".facts .safety" },
    ];
    expect(await qualityFaults(browser!, server.url, screens)).toEqual([]);
  });
});

test.skipIf(browser === undefined)("the conversation says why a turn failed, and leads to the event", async () => {
  const world = await startActions();
  onTestFinished(() => world.close());
  const session = await world.talk("ada");
  await session.send("fail").catch(() => {});
  const events = (await world.request("GET", `/v1/sessions/${session.id}/events?kinds=turn`)).body as {
    readonly items: readonly {
      readonly offset: number;
      readonly data: { readonly outcome?: { readonly error?: { readonly code: string; readonly message: string } } };
    }[];
  };
  const ended = events.items.find(({ data }) => data.outcome?.error !== undefined);
  const { code = "", message = "" } = ended?.data.outcome?.error ?? {};
  expect(message).not.toBe("");
  const { page, context, faults } = await watchedPage(browser!, world.url);
  onTestFinished(() => context.close());
  await page.goto(`${world.url}/inspector/sessions/${session.id}`);
  await expect.poll(() => page.locator(".entry.turn .note-text").innerText(), settled).toBe(`ended · failed · ${code} · ${message}`);
  await page.getByRole("button", { name: "Show the event" }).click();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ at: String(ended?.offset), tab: "log" });
  expect(faults).toEqual([]);
});

describe.skipIf(browser === undefined)("the tab of the state", () => {
  test("names the owner and the lifecycle of each field, and leads to where it was written", async () => {
    const world = await startActions();
    onTestFinished(() => world.close());
    const session = await world.talk("ada", "hello");
    const { offset } = await session.edit({ nickname: "Countess", profile: { city: "Turin", pets: [] } }, { operator: "Kim" });
    await session.send("weather");
    const { page, context, faults } = await watchedPage(browser!, world.url);
    onTestFinished(() => context.close());
    await page.goto(`${world.url}/inspector/sessions/${session.id}`);
    const field = (name: string) => page.locator("#state .row", { has: page.locator(`.name:text-is("${name}")`) });
    const { fields } = (await world.request("GET", `/v1/sessions/${session.id}/state/writers`)).body as {
      readonly fields: Readonly<Record<string, { readonly offset: number; readonly writer?: { readonly type: string; readonly name?: string } }>>;
    };
    await expect.poll(() => field("nickname").locator(".owner").innerText(), settled).toBe(`operator Kim #${offset}`);
    expect(await field("topic").locator(".owner").innerText()).toBe(`stage sort #${fields["topic"]?.offset}`);
    expect(await field("topic").locator(".lifecycle").innerText()).toBe("reduced");
    expect(await field("city").locator(".lifecycle").count()).toBe(0);
    expect(await page.locator(".absent").innerText()).toMatch(/message\s+input[^]*mood\s+reduced/);
    await field("nickname").click();
    await page.getByRole("button", { name: `operator Kim, #${offset}` }).click();
    expect(new URL(page.url()).searchParams.get("at")).toBe(String(offset));
    // At that offset the topic was that of the first message.
    await expect.poll(() => field("topic").locator(".value").innerText(), settled).toBe('"hello"');
    const writtenAt = async (): Promise<number> => Number((await field("topic").locator(".owner").innerText()).split("#").at(-1));
    await expect.poll(writtenAt, settled).toBeLessThan(offset);
    expect(faults).toEqual([]);
    expect(
      await qualityFaults(browser!, world.url, [
        { path: `sessions/${session.id}`, ready: "#state .lifecycle" },
        { path: "", ready: "#sessions .rows .row" },
      ]),
    ).toEqual([]);
  });
});
