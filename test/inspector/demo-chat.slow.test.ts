/** `serve --demo`: the customer chat in Chromium, and the inspector beside it. */
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { createServer } from "../../packages/server/src/server.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { root } from "../../scripts/root.ts";
import { startWorld } from "../browser/chat-world.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { startServer } from "../setup/server.ts";
import { type Watched, watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The chat is not looked at: ${started}`);
afterAll(() => browser?.close());

const world = await startWorld();
const serve = async (port = 0) => {
  const server = await createServer({ runtime: world.runtime, agents: [world.agent], port, demo: true, limits: { heartbeatMs: 100 } });
  return { ...server, ...(await server.listen()) };
};
const service = await serve();
afterAll(async () => {
  await service.close({ drainMs: 0 });
  await world.close();
});

const settled = { timeout: hangMs / 2, interval: 20 };
const folder = process.env["THROUGHLINE_SCREENSHOTS"];

let count = 0;
/** Opens the chat of a new customer. */
async function openChat(options: Parameters<typeof watchedPage>[2] = {}): Promise<Watched & { readonly customer: string }> {
  const customer = `customer-${++count}`;
  const watched = await watchedPage(browser!, service.url, options);
  onTestFinished(() => watched.context.close());
  await watched.page.goto(`${service.url}/demo/?customer=${customer}`);
  await field(watched.page).waitFor();
  return { ...watched, customer };
}
const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const log = (page: Page) => page.getByRole("log");
async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}
/** Holds replies and tools until the test releases them or ends. */
function hold(): () => void {
  const release = world.hold();
  onTestFinished(release);
  return release;
}
/** The messages as a reader hears them: the author, then the texts. */
const heard = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("article")].map((one) => [...one.querySelectorAll("h2 bdi, p.long-text, .badge")].map(({ textContent }) => textContent).join(" | "))`,
  );
const shows = (page: Page, ...messages: readonly string[]): Promise<void> => expect.poll(() => heard(page), settled).toEqual(messages);
const isReady = (page: Page): Promise<void> => expect.poll(() => log(page).getAttribute("aria-busy"), settled).toBe("false");
const inspectorIn = async (page: Page): Promise<Frame> => {
  await expect.poll(() => page.frame("inspector")?.url(), settled).toContain("/inspector/sessions/");
  return page.frame("inspector")!;
};

describe("it is served", () => {
  test("only where it is asked for", async () => {
    const { request } = await startServer({ inspector: true });
    for (const path of ["/demo", "/demo/", "/inspector/chat.html"]) expect([path, (await request("GET", path)).status]).toEqual([path, 404]);
    expect((await request("GET", "/inspector/")).headers.get("x-frame-options")).toBe("DENY");
  });

  test("with the inspector, under a policy that runs no other script and lets only this origin frame the inspector", async () => {
    const { request } = await startServer({ demo: true });
    const chat = await request("GET", "/demo/");
    const policy = chat.headers.get("content-security-policy") ?? "";
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(policy).toContain("frame-ancestors 'none'; frame-src 'self'");
    expect(chat.headers.get("x-frame-options")).toBe("DENY");
    expect(chat.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:/);
    const inspector = await request("GET", "/inspector/");
    expect(inspector.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(inspector.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    for (const path of ["/demo/chat.html", "/inspector/chat.html", "/demo/..%2fpackage.json"])
      expect([path, (await request("GET", path)).status]).toEqual([path, 404]);
  });

  test("as a small page that adds no dependency", () => {
    const { stdout } = spawnSync(process.execPath, [join(root, "packages/inspector/build-page.ts")], { encoding: "utf8" });
    const page = stdout.trim();
    const assets = [...readFileSync(join(page, "chat.html"), "utf8").matchAll(/\/inspector\/(assets\/[\w-]+\.js)/g)].map(([, name = ""]) => name);
    const own = assets.filter((name) => name.includes("chat"));
    const sizeOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + gzipSync(readFileSync(join(page, name))).length, 0);
    console.log(`The chat: ${sizeOf(own)} bytes of script compressed, ${sizeOf(assets)} with what it shares with the inspector.`);
    expect(sizeOf(own)).toBeLessThan(10_000);
    expect(sizeOf(assets)).toBeLessThan(50_000);
  });
});

describe.skipIf(browser === undefined)("a customer", () => {
  test("talks, and sees the log and the state change in the inspector beside the chat", async () => {
    const release = hold();
    const { page, faults } = await openChat();
    expect(await page.evaluate("document.activeElement.id")).toBe("message");
    await say(page, "hello <b>you</b>");
    await shows(page, "You | hello <b>you</b>", "Agent | One ");
    expect(await log(page).getAttribute("aria-busy")).toBe("true");
    await expect.poll(() => page.getByRole("status").first().textContent(), settled).toBe("The agent is writing.");
    const inspector = await inspectorIn(page);
    await inspector.locator(".entry.draft", { hasText: "One" }).waitFor();
    release();
    await shows(page, "You | hello <b>you</b>", "Agent | One two hello <b>you</b>.");
    await isReady(page);
    await inspector.locator(".entry.message.assistant:not(.draft)", { hasText: "One two" }).waitFor();
    await inspector.locator("#state .row.changed", { hasText: "topic" }).waitFor();
    // A message leads to its offset.
    await page.locator("article.customer .offset-link").click();
    const offset = await page.locator("article.customer").getAttribute("data-as-offset");
    await expect.poll(() => page.frame("inspector")?.url(), settled).toContain(`at=${offset}`);
    await page.reload();
    await shows(page, "You | hello <b>you</b>", "Agent | One two hello <b>you</b>.");
    expect(faults).toEqual([]);
  });

  test("opens the inspector in a window where there is no room beside", async () => {
    const { page, context } = await openChat({ viewport: { width: 390, height: 780 } });
    await say(page, "hello");
    await shows(page, "You | hello", "Agent | One two hello.");
    expect(page.frames()).toHaveLength(1);
    const [opened] = await Promise.all([context.waitForEvent("page"), page.getByRole("link", { name: "Open inspector" }).click()]);
    await opened.getByText("One two hello.").first().waitFor();
  });

  test("stops a reply, and has the last one written again", async () => {
    const release = hold();
    const { page, customer } = await openChat();
    await say(page, "hello");
    await shows(page, "You | hello", "Agent | One ");
    await page.getByRole("button", { name: "Stop" }).click();
    const session = await world.runtime.sessions.open({ agent: "a1", customer, key: "chat-page" });
    await expect.poll(async () => (await session.turns()).items[0]?.outcome?.status, settled).toBe("stopped");
    release();
    await isReady(page);
    await say(page, "next");
    await expect.poll(async () => (await heard(page)).at(-1), settled).toBe("Agent | One two next.");
    await isReady(page);
    await page.getByRole("button", { name: "Answer again" }).click();
    await expect.poll(async () => (await session.turns()).items.length, settled).toBe(3);
    await expect.poll(async () => (await heard(page)).at(-1), settled).toBe("Agent | One two next.");
  });

  test.each([
    ["Approve", "Agent | done | paid 5 | It is done."],
    ["Reject", "Agent | failed | It is done."],
  ])("decides about a call: %s", async (button, last) => {
    const { page } = await openChat();
    await say(page, "refund");
    await page.getByRole("button", { name: button }).waitFor();
    await expect.poll(() => page.getByRole("status").first().textContent(), settled).toBe("The agent waits for a decision.");
    await page.reload();
    await page.getByRole("button", { name: button }).click();
    await shows(page, "You | refund", last);
    expect(await page.evaluate("document.activeElement.id")).toBe("message");
  });

  test("reads why a message was not sent, and has its text back", async () => {
    const { page } = await openChat();
    await say(page, "fail");
    await shows(page, "You | fail", "Agent | Sorry, that did not work.");
    const long = "x".repeat(300_000);
    await say(page, long);
    await page.getByRole("alert").waitFor();
    expect(await field(page).inputValue()).toBe(long);
    await field(page).fill("");
    await say(page, "hello");
    await expect.poll(() => page.getByRole("alert").count(), settled).toBe(0);
    await expect.poll(async () => (await heard(page)).at(-1), settled).toBe("Agent | One two hello.");
  });

  test("has the whole reply after the service was restarted in the middle of it", async () => {
    const first = await serve();
    const { page, context } = await watchedPage(browser!, first.url);
    onTestFinished(() => context.close());
    const release = hold();
    await page.goto(`${first.url}/demo/?customer=restarted`);
    await say(page, "hello");
    await shows(page, "You | hello", "Agent | One ");
    await first.close({ drainMs: 0 });
    await page.getByText("The service cannot be reached.").waitFor();
    expect((await heard(page))[0]).toBe("You | hello");
    release();
    const second = await serve(first.port);
    onTestFinished(() => second.close({ drainMs: 0 }));
    await shows(page, "You | hello", "Agent | One two hello.");
    await expect.poll(() => page.getByText("The service cannot be reached.").count(), settled).toBe(0);
    await say(page, "again");
    await expect.poll(async () => (await heard(page)).at(-1), settled).toBe("Agent | One two again.");
  });

  test("asks for a person, who answers in the inspector", async () => {
    const { page, customer } = await openChat();
    await say(page, "hello");
    await isReady(page);
    await page.getByRole("button", { name: "Ask for a person" }).click();
    await page.getByText("You asked for a person").waitFor();
    const session = await world.runtime.sessions.open({ agent: "a1", customer, key: "chat-page" });
    expect((await session.info()).mode).toBe("manual");
    await session.postOperator("I am here", { name: "Grace" });
    await expect.poll(async () => (await heard(page)).at(-1), settled).toBe("Grace | I am here");
  });

  test("begins a new conversation, and goes back to the old one", async () => {
    const { page } = await openChat();
    await say(page, "hello");
    await shows(page, "You | hello", "Agent | One two hello.");
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByText("What you write is answered here.").waitFor();
    expect(page.url()).toContain("session=ses_");
    await page.goBack();
    await shows(page, "You | hello", "Agent | One two hello.");
    await page.getByLabel("Customer").fill("somebody-else");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("What you write is answered here.").waitFor();
  });

  test("enters a key where the service needs one", async () => {
    const { url, store } = await startServer({ demo: true });
    const { key } = await createKey(store, { name: "demo", scopes: ["admin"] });
    const { page, context } = await watchedPage(browser!, url);
    onTestFinished(() => context.close());
    await page.goto(`${url}/demo/`);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Continue" }).click();
    await say(page, "hello");
    await shows(page, "You | hello", "Agent | re:hello");
    const inspector = await inspectorIn(page);
    await inspector.getByText("re:hello").first().waitFor();
    expect(page.url()).not.toContain("tl_");
  });

  test("is told that it is an AI, before the first reply of an agent with a gate", async () => {
    const { url } = await startServer({ demo: true, agents: [createCompanion()] });
    const { page, context } = await watchedPage(browser!, url);
    onTestFinished(() => context.close());
    await page.goto(`${url}/demo/`);
    await say(page, "hello");
    await expect.poll(async () => (await heard(page)).map((text) => text.split(" | ")[0]), settled).toEqual(["You", "Please note", "Agent"]);
    expect((await heard(page))[1]).toContain("I am an AI companion, not a person");
  });
});

describe.skipIf(browser === undefined)("the page", () => {
  test.each((["light", "dark"] as const).flatMap((colorScheme) => [320, 390, 1280].map((width) => ({ colorScheme, width }))))(
    "has no fault that axe finds and no overflow, $colorScheme at $width",
    async ({ colorScheme, width }) => {
      const { page, faults } = await openChat({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      const look = async (name: string): Promise<void> => {
        await page.addScriptTag({ content: axe.source });
        const found = await page.evaluate<readonly string[]>(
          "axe.run(document, { iframes: false }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id} ${html.slice(0, 120)} ${any[0]?.message ?? ''}`)))",
        );
        expect([name, found]).toEqual([name, []]);
        expect(await page.evaluate<number>("document.scrollingElement.scrollWidth")).toBeLessThanOrEqual(width);
        if (folder !== undefined) await page.screenshot({ path: join(folder, `chat-${name}-${width}-${colorScheme}.png`) });
      };
      await look("empty");
      await say(page, `hello ${"unbroken".repeat(30)}`);
      await isReady(page);
      await say(page, "refund");
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await look("approval");
      await say(page, "x".repeat(300_000));
      await page.getByRole("alert").waitFor();
      await field(page).fill("");
      await look("error");
      expect(faults).toEqual([]);
    },
  );

  test("is used with the keyboard alone", async () => {
    const { page } = await openChat();
    await page.keyboard.type("refund");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Approve" }).waitFor();
    const names: string[] = [];
    for (let steps = 0; steps < 12 && names.at(-1) !== "Approve"; steps++) {
      await page.keyboard.press("Shift+Tab");
      names.push(await page.evaluate<string>("document.activeElement.textContent"));
    }
    expect(names.at(-1)).toBe("Approve");
    await page.keyboard.press("Enter");
    await shows(page, "You | refund", "Agent | done | paid 5 | It is done.");
  });
});
