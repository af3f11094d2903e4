/** Who reaches the inspector, and how: services with and without keys, the one-time address, and a database that others use. */
import type { Browser } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { createInspectorLink } from "../../packages/server/src/server/inspector-link.ts";
import { serverOptions } from "../../packages/server/src/cli/commands/service-commands.ts";
import { loadSettings } from "../../packages/server/src/config/load-settings.ts";
import { diary, newFolder, say, start } from "../cli/run-cli.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { startServer } from "../setup/server.ts";
import { watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

describe("the one-time link", () => {
  test("admits once, within ten minutes, and only with the whole token", () => {
    let time = 1_000_000;
    const clock = { now: () => time, monotonic: () => time, sleep: () => Promise.resolve() };
    const tokenOf = (address: string): string => new URLSearchParams(new URL(address).hash.slice(1)).get("token") ?? "";
    const link = createInspectorLink({ clock });
    const token = tokenOf(link.addressAt("http://127.0.0.1:1"));
    expect(token).toMatch(/^[\w-]{43}$/);
    for (const wrong of ["", token.slice(1), `${token}x`, token.toUpperCase()]) expect(link.exchange(wrong)).toBeUndefined();
    expect(link.exchange(token)).toMatch(/^tl_live_[0-9a-z]{16}_[\w-]{43}$/);
    expect(link.exchange(token)).toBeUndefined();
    const late = createInspectorLink({ clock });
    time += 10 * 60_000;
    expect(late.exchange(tokenOf(late.addressAt("http://127.0.0.1:1")))).toBeUndefined();
    expect(tokenOf(createInspectorLink({ clock }).addressAt("http://127.0.0.1:1"))).not.toBe(token);
  });

  test("lets nobody in without it, although the database has no key", async () => {
    const { url } = await startServer({ inspector: "link" });
    const status = async (path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
      (await fetch(`${url}${path}`, body === undefined ? { headers } : { method: "POST", body, headers })).status;
    const wrong = JSON.stringify({ token: "x" });
    expect(await status("/v1/sessions")).toBe(401);
    expect(await status("/inspector/")).toBe(200);
    expect(await status("/inspector/key", wrong)).toBe(401);
    expect(await status("/inspector/key", "no json")).toBe(401);
    expect(await status("/inspector/key", wrong, { origin: "https://evil.example" })).toBe(403);
    expect(await status("/inspector/key", wrong, { "x-forwarded-for": "10.0.0.1" })).toBe(401);
    expect(await status("/inspector/key", wrong.padEnd(5000))).toBe(413);
  });
});

test("a service has no inspector unless it is asked to", async () => {
  const { request } = await startServer();
  expect((await request("GET", "/inspector/")).status).toBe(404);
  const other = await startServer({ inspector: true });
  expect((await other.request("POST", "/inspector/key", { token: "x" })).status).toBe(404);
  expect((await other.request("GET", "/inspector/assets/none.js")).status).toBe(404);
  expect((await other.request("GET", "/inspector/..%2f..%2fpackage.json")).status).toBe(404);
  expect((await other.request("GET", "/inspector/sessions/ses_1")).headers.get("content-type")).toContain("text/html");
});

test.each([
  [{}, true],
  [{ THROUGHLINE__SERVER__HOST: "0.0.0.0" }, false],
  [{ THROUGHLINE__SERVER__HOST: "::1" }, true],
  [{ THROUGHLINE__SERVER__HOST: "0.0.0.0", THROUGHLINE__SERVER__INSPECTOR: "true" }, true],
  [{ THROUGHLINE__SERVER__BASE_URL: "https://agents.example" }, false],
  [{ THROUGHLINE__SERVER__INSPECTOR: "false" }, false],
])("`serve` serves it by default on loopback hosts only: %j", (environment, served) => {
  const { settings } = loadSettings({ file: undefined, environment, folder: newFolder() }, []);
  expect(serverOptions(settings).inspector).toBe(served);
});

describe.skipIf(browser === undefined)("in the browser", () => {
  test("a service with keys asks for one, keeps it in the tab, and never in an address", async () => {
    const { url, store, runtime, requests } = await startServer({ inspector: true }).then((server) => ({ ...server, requests: [] as string[] }));
    await (await runtime.sessions.create({ agent: "a1" })).send("hello");
    const { key } = await createKey(store, { name: "reader", scopes: ["sessions:read"] });
    const { page, context, faults } = await watchedPage(browser!, url);
    onTestFinished(() => context.close());
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${url}/inspector/`);
    await page.getByLabel("API key").fill("tl_live_wrong");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The service does not accept this key").waitFor();
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("link", { name: /ses_/ }).click();
    await expect.poll(() => page.locator(".entry.message .long-text").allInnerTexts(), settled).toEqual(["hello", "re:hello"]);
    // The key may not read assessments or inner state: the rest is shown.
    await page.getByText("The state is empty").waitFor();
    await page.reload();
    await page.locator(".entry.message").first().waitFor();
    expect(requests.filter((address) => address.includes("tl_live"))).toEqual([]);
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
    const other = await context.newPage();
    await other.goto(`${url}/inspector/`);
    await other.getByLabel("API key").waitFor();
    expect(faults).toEqual([]);
  });

  test("`inspect` opens a database that another process uses, by an address that works once", async () => {
    const cwd = newFolder();
    say(cwd, ["I slept well"], ["--db", "app.db"]);
    const inspector = start(["--db", "app.db", "inspect", ...diary], { cwd });
    await inspector.until(/#token=[\w-]+/);
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+\/inspector\/#token=[\w-]+/.exec(inspector.text()) ?? [];
    const { page, context, faults } = await watchedPage(browser!, new URL(address).origin);
    onTestFinished(() => context.close());
    await page.goto(address);
    await page.locator("#sessions .row .session a").click();
    await page.getByText("I slept well").first().waitFor();
    expect(page.url()).not.toContain("token");
    // What another process writes appears live.
    say(cwd, ["And I had breakfast"], ["--db", "app.db", "--session", /ses_[0-9a-z]+/.exec(page.url())?.[0] ?? ""]);
    await page.getByText("And I had breakfast").first().waitFor();
    const second = await context.newPage();
    await second.goto(address);
    await second.getByText("This link was already used").waitFor();
    expect(faults).toEqual([]);
    inspector.child.kill("SIGINT");
    expect((await inspector.ended).code).toBe(0);
  });

  test("a lost service is said with a countdown, what was loaded stays, and the page comes back by itself", async () => {
    const { url, runtime } = await startServer({ inspector: true });
    await (await runtime.sessions.create({ agent: "a1" })).send("hello");
    const { page, context } = await watchedPage(browser!, url);
    onTestFinished(() => context.close());
    await page.goto(`${url}/inspector/`);
    await page.getByRole("link", { name: /ses_/ }).waitFor();
    await context.setOffline(true);
    await page.getByText(/Trying again in \d+ s/).waitFor();
    expect(await page.getByRole("link", { name: /ses_/ }).count()).toBe(1);
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText(/Trying/).waitFor({ state: "detached" });
    expect(await page.getByRole("link", { name: /ses_/ }).count()).toBe(1);
  });
});

test("`inspect` refuses an address that other machines reach", async () => {
  const cwd = newFolder();
  say(cwd, ["hello"], ["--db", "app.db"]);
  const inspector = start(["--db", "app.db", "inspect", ...diary, "--host", "0.0.0.0"], { cwd });
  await inspector.until("The inspector listens only on a loopback address, not on 0.0.0.0.");
  expect((await inspector.ended).code).toBe(2);
});

test("`chat --inspect` prints an address", async () => {
  const cwd = newFolder();
  const { err } = say(cwd, ["hello"], ["--db", "app.db", "--inspect"]);
  expect(err).toMatch(/Inspector: http:\/\/127\.0\.0\.1:\d+\/inspector\/#token=[\w-]{43}/);
});
