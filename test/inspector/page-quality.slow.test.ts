/** What holds for every screen of the inspector: accessible, within its width, safe with hostile texts, and small. */
import { readFileSync, readdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { type InspectorWorld, startInspected, watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

const hostile = [
  `<script>alert(1)</script><img src="https://evil.example/x.png" onerror="alert(2)">`,
  `"><svg onload=alert(3)>`,
  `[click](javascript:alert(4)) ![x](https://evil.example/y.png)`,
  `\u202Eright to left\u202C and \u2066isolated`,
  "a".repeat(20_000),
  `{"__proto__": {"polluted": true}, broken`,
  `\u0000\u0007\u001b[31mred`,
  "مرحبا بالعالم 123 abc",
] as const;

let world: InspectorWorld;
const paths: { readonly name: string; readonly path: string; readonly ready: string }[] = [];
beforeAll(async () => {
  world = await startInspected();
  const session = await world.talk(`eve <i>"'&`, ...hostile, "weather");
  await session.setTitle(hostile[0].slice(0, 200));
  paths.push(
    { name: "sessions", path: "", ready: "#sessions .rows .row" },
    { name: "no match", path: "?q=customer:nobody", ready: ".empty" },
    { name: "conversation", path: `sessions/${session.id}`, ready: ".entry" },
    { name: "timeline and state", path: `sessions/${session.id}?log=timeline&at=40`, ready: "#events .row" },
    { name: "diff", path: `sessions/${session.id}?tab=diff&cmp=1`, ready: ".change" },
    { name: "tools", path: `sessions/${session.id}?tab=tools`, ready: ".tool-call" },
    { name: "log", path: `sessions/${session.id}?tab=log`, ready: ".tab-panel pre" },
  );
});
afterAll(() => world.close());

describe.skipIf(browser === undefined)("every screen", () => {
  test.each(["light", "dark"] as const)("has no serious fault that axe finds, in the %s theme", async (colorScheme) => {
    const { page, context, faults } = await watchedPage(browser!, world.url, { colorScheme, bypassCSP: true });
    onTestFinished(() => context.close());
    const found: string[] = [];
    for (const { name, path, ready } of paths) {
      for (const overlay of path.includes("timeline") ? ["", "Control+k", "?"] : [""]) {
        await page.goto(`${world.url}/inspector/${path}`);
        await page.locator(ready).first().waitFor();
        if (overlay !== "") await page.keyboard.press(overlay);
        await page.addScriptTag({ content: axe.source });
        const violations = await page.evaluate<readonly string[]>(
          "axe.run().then(({ violations }) => violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html, any }) => `${impact} ${id} ${html.slice(0, 120)} ${any[0]?.message ?? ''}`)))",
        );
        found.push(...violations.map((text) => `${name} ${overlay}: ${text}`));
      }
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("shows what is chosen and how long bars are where the system replaces colors", async () => {
    const { page, context } = await watchedPage(browser!, world.url, { forcedColors: "active" });
    onTestFinished(() => context.close());
    /** How two elements look. Each is the only difference between them. */
    const looks = (selector: string) =>
      page.evaluate<string>(
        `(({ backgroundColor, outlineStyle, borderBottomColor, textDecorationLine }) => [backgroundColor, outlineStyle, borderBottomColor, textDecorationLine].join())(getComputedStyle(document.querySelector(${JSON.stringify(selector)})))`,
      );
    const differ = async (ready: string, path: string, pairs: readonly (readonly [chosen: string, other: string])[]) => {
      await page.goto(`${world.url}/inspector/${path}`);
      await page.locator(ready).first().waitFor();
      for (const [chosen, other] of pairs) expect([chosen, await looks(chosen)]).not.toEqual([chosen, await looks(other)]);
    };
    const at = (name: string): string => paths.find((one) => one.name === name)?.path ?? "";
    await differ("#sessions .rows .row", "", [
      [".chip[aria-pressed=true]", ".chip[aria-pressed=false]"],
      [".bar nav a[aria-current]", ".bar nav a:not([aria-current])"],
    ]);
    await differ("#events .row[aria-selected=true]", at("timeline and state"), [
      ["#events .row[aria-selected=true]", "#events .row[aria-selected=false]"],
      [".tabs [aria-selected=true]", ".tabs [aria-selected=false]"],
      [".switch [aria-pressed=true]", ".switch [aria-pressed=false]"],
    ]);
    await differ(".waterfall .bar-of", at("log").replace("tab=log", "tab=waterfall"), [[".waterfall .bar-of", ".waterfall .track"]]);
    await page.keyboard.press("Control+k");
    await page.locator(".palette li[aria-selected=true]").waitFor();
    expect(await looks(".palette li[aria-selected=true]")).not.toBe(await looks(".palette li[aria-selected=false]"));
  });

  test("shows the field of the palette whole, and the scopes of commands as words", async () => {
    const { page, context } = await watchedPage(browser!, world.url);
    onTestFinished(() => context.close());
    await page.goto(`${world.url}/inspector/`);
    await page.locator("#sessions .rows .row").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.locator(".palette .needs").first().waitFor();
    expect((await page.locator(".palette input").boundingBox())?.height).toBeGreaterThan(40);
    expect((await page.locator(".palette .needs").first().boundingBox())?.height).toBeLessThan(24);
  });

  test.each([320, 390, 1280])("fits into %i pixels", async (width) => {
    const { page, context } = await watchedPage(browser!, world.url, { viewport: { width, height: 780 } });
    onTestFinished(() => context.close());
    for (const { name, path, ready } of paths) {
      await page.goto(`${world.url}/inspector/${path}`);
      await page.locator(ready).first().waitFor();
      const wide = await page.evaluate<number>("document.scrollingElement.scrollWidth");
      expect([name, wide <= width]).toEqual([name, true]);
    }
  });

  test("runs nothing and fetches nothing of what people and models wrote", async () => {
    const { page, context, faults } = await watchedPage(browser!, world.url);
    onTestFinished(() => context.close());
    for (const { path, ready } of paths) {
      await page.goto(`${world.url}/inspector/${path}`);
      await page.locator(ready).first().waitFor();
    }
    await page.goto(`${world.url}/inspector/${paths[2]?.path ?? ""}`);
    const texts = page.locator(".entry.message.user .long-text");
    await expect.poll(() => texts.count(), settled).toBe(hostile.length + 1);
    expect(await texts.first().innerText()).toBe(hostile[0]);
    expect((await texts.nth(4).innerText()).length).toBe(2000);
    await page.getByRole("button", { name: "Show all 20,000 characters" }).first().click();
    await expect.poll(async () => (await texts.nth(4).innerText()).length, settled).toBe(20_000);
    expect(await page.evaluate("({}).polluted === undefined && document.querySelectorAll('main img, main script, main iframe').length === 0")).toBe(
      true,
    );
    expect(faults).toEqual([]);
  });

  test("keeps under 100 rows in the document, and reads a long log in few requests", async () => {
    const session = await world.talk("linus", "hello");
    for (let posted = 0; posted < 2_500; posted += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => session.postCustom({ number: posted + index })));
    const { head } = await session.info();
    const { page, context, requests } = await watchedPage(browser!, world.url, { viewport: { width: 1280, height: 1000 } });
    onTestFinished(() => context.close());
    await page.goto(`${world.url}/inspector/sessions/${session.id}?log=timeline`);
    await page.getByText(`${new Intl.NumberFormat("en").format(head + 1)} events`, { exact: true }).waitFor();
    expect(requests.filter((request) => request.startsWith("GET /v1/")).length).toBeLessThan(11);
    // The page, its style, what pages share, what screens share, and the screen itself.
    expect(requests.filter((request) => !request.startsWith("GET /v1/")).length).toBeLessThan(8);
    for (const offset of [0, Math.floor(head / 2), head]) {
      await page.getByRole("slider", { name: "Offset" }).fill(String(offset));
      await expect.poll(() => page.locator("#events [aria-selected=true] .offset").innerText(), settled).toBe(String(offset));
      expect(await page.locator("[role=option], [role=row]").count()).toBeLessThan(100);
    }
    // The selected row stays in the document when a reader scrolls away from it.
    await page.locator("#events").evaluate((list: { scrollTop: number }) => void (list.scrollTop = 0));
    await expect.poll(() => page.locator("#events .offset").first().innerText(), settled).toBe("0");
    expect(await page.locator("#events [aria-selected=true]").count()).toBe(1);
  });
});

test("the page is small, and every file of it comes from the service with a strict policy", async () => {
  const { stdout } = spawnSync(process.execPath, [join(root, "packages/inspector/build-page.ts")], { encoding: "utf8" });
  const folder = stdout.trim();
  const sizeOf = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, "assets", name))).length, 0);
  const all = readdirSync(join(folder, "assets"));
  expect(sizeOf(all.filter((name) => name.endsWith(".js")))).toBeLessThan(120_000);
  // What a page loads before a person does anything. Other screens come when they are shown.
  for (const page of ["index.html", "chat.html"]) {
    const named = [...readFileSync(join(folder, page), "utf8").matchAll(/assets\/([^"]+)"/g)].map(([, name = ""]) => name);
    const [script, style] = [sizeOf(named.filter((name) => name.endsWith(".js"))), sizeOf(named.filter((name) => name.endsWith(".css")))];
    console.log(`${page} loads ${script} bytes of script and ${style} bytes of style, compressed.`);
    expect(script).toBeGreaterThan(10_000);
    expect(script).toBeLessThan(60_000);
    expect(style).toBeLessThan(10_000);
  }
  const { headers, text } = await world.request("GET", "/inspector/");
  expect(headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:/);
});
