/** 300 hostile events and states: on every screen and tab nothing of them runs, nothing is fetched, and the layout holds. */
import type { Browser, Page } from "playwright-core";
import { z } from "zod";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { defineAgent, defineState, defineTool, input, loop, reduced, scripted, stage } from "../../packages/throughline/src/index.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { openServer } from "../setup/server.ts";
import { hostileTexts, mark, mostInMessage } from "./hostile-texts.ts";
import { watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs, interval: 50 };
const count = 300;
const seed = 20261123;

const state = defineState({ message: input(z.string()), topic: reduced(z.string()), notes: reduced(z.record(z.string(), z.unknown())) });
const lookUp = defineTool({
  ...{ name: "look_up", description: "l", parameters: z.object({ of: z.string() }), effects: "none" },
  execute: ({ of }) => ({ found: of, of: { [of.slice(0, 80)]: [of] } }),
});
const model = scripted(({ messages }) => {
  const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
  if (messages.at(-1)?.role !== "tool" && text.startsWith("call ")) {
    const of = text.slice(5);
    return { calls: [lookUp.name, of.slice(0, 60)].map((name) => ({ call_id: "", name, arguments: { of, [of.slice(0, 60)]: of } })) };
  }
  return { text: [text.slice(0, 5_000)] };
});
const agent = defineAgent({
  ...{ name: "desk", version: 1, state, keepRequests: true },
  stages: [
    stage("sort", { state, writes: ["topic", "notes"] }, ({ state: { message, notes = {} } }) => ({
      topic: message.slice(0, 5_000),
      notes: { ...notes, [message.slice(0, 60)]: message.slice(0, 2_000) },
    })),
  ],
  reply: loop({ model, tools: [lookUp] }),
});

let world: Awaited<ReturnType<typeof openServer>>;
/** Paths of the inspector with what is there when they are complete. */
const views: string[] = [];
/** Answers to the texts, by status. */
const answers: number[] = [];

const eve = `eve <i>"'&/?#%\u202E`;
const cut = (text: string, length: number): string => Array.from(text).slice(0, length).join("");

beforeAll(async () => {
  world = await openServer({ agents: [agent], inspector: true, runtime: { pollMs: 50 } });
  const request = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await world.request(method, path, body);
    answers.push(answer.status);
    return (answer.body ?? {}) as Record<string, unknown>;
  };
  const create = async (customer_id: string, title: string): Promise<string> =>
    String((await request("POST", "/v1/sessions", { agent: "desk", customer_id, title }))["id"]);
  await request("POST", "/v1/customers", { id: eve });
  const sessions = await Promise.all(["one", "two", "three", "four"].map((name) => create(eve, name)));
  const customer = `/v1/customers/${encodeURIComponent(eve)}`;
  const message = (text: string, more: object = {}) => ({ kind: "message", source: "customer", text, ...more });
  for (const [index, text] of hostileTexts(createChooser(seed), count).entries()) {
    const of = `/v1/sessions/${sessions[index % sessions.length]}`;
    const name = cut(text, 60);
    const large = (): Promise<unknown> => request("POST", `${of}/events`, { kind: "custom", data: text });
    const slots: readonly (() => Promise<unknown>)[] = [
      () => request("POST", `${of}/events`, message(text)),
      () => request("POST", `${of}/events`, message(`call ${cut(text, 20_000)}`)),
      () => request("POST", `${of}/events`, { kind: "custom", data: { [name]: text, list: [text] } }),
      () => request("PATCH", `${of}/state`, { delta: { topic: text, notes: { [name]: { [name]: cut(text, 3_000) } } } }),
      () => request("PATCH", of, { metadata: { [name]: cut(text, 500) }, labels: { add: [cut(text, 100)] } }),
      () => request("PATCH", of, { title: cut(text, 200) }),
      async () => {
        await world.request("POST", "/v1/customers", { id: cut(text, 100), name: cut(text, 100) });
        await request("POST", "/v1/sessions", { agent: "desk", customer_id: cut(text, 100), title: cut(text, 200) });
      },
      () => request("PATCH", customer, { name: cut(text, 150), variables: { [name]: cut(text, 500) }, metadata: { [name]: cut(text, 500) } }),
      () => request("POST", `${customer}/memory/facts`, { quote: cut(text, 400) }),
      () => request("POST", `${customer}/memory/rules`, { text: cut(text, 280) }),
      () => request("POST", `${of}/events`, { kind: "message", source: "human_agent", text, participant: { display_name: cut(text, 80) } }),
      async () => {
        const id = await create(eve, cut(text, 200));
        await request("POST", `/v1/sessions/${id}/handover`, { reason: cut(text, 300), alert: 1 + (index % 3) });
      },
    ];
    await (text.length === mostInMessage ? slots[0] : text.length > mostInMessage ? large : slots[index % slots.length])?.();
  }
  const openTurns = async () => (await world.request("GET", "/v1/status")).body as { readonly open_turns: { readonly total: number } };
  await vi.waitFor(async () => expect((await openTurns()).open_turns.total).toBe(0), settled);
  views.push("", "?q=customer:eve", "handover", "customers", `customers/${encodeURIComponent(eve)}`, `customers/${encodeURIComponent(eve)}/memory`);
  for (const id of sessions) {
    const { head } = (await world.request("GET", `/v1/sessions/${id}`)).body as { readonly head: number };
    const at = [head, Math.floor(head / 2)].map((offset) => `at=${offset}`);
    for (const tab of ["state", "diff", "prompt", "recall", "safety", "tools", "waterfall", "log"])
      views.push(`sessions/${id}?${tab === "log" || tab === "diff" ? "log=timeline&" : ""}tab=${tab}&${at[views.length % 2]}`);
    views.push(`sessions/${id}`, `sessions/${id}?tab=diff&cmp=0&${at[0]}`);
  }
});
afterAll(() => world?.close());

/** What a text of the page must never become, and where text of unknown direction is not isolated. */
const faultsInPage = `(() => {
  const main = document.querySelector("main");
  const faults = [];
  for (const node of main.querySelectorAll("script, style, iframe, object, embed, link, meta, base, form[action], img, video, audio")) faults.push(node.outerHTML.slice(0, 100));
  for (const node of main.querySelectorAll("*"))
    for (const { name, value } of node.attributes)
      if (/^on/i.test(name) || /^\\s*(javascript|data|vbscript):/i.test(value)) faults.push(name + "=" + value.slice(0, 80));
  for (const { href, origin } of main.querySelectorAll("a[href]")) if (origin !== location.origin) faults.push("link to " + href.slice(0, 80));
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (/[\\u202A-\\u202E\\u2066-\\u2069]/.test(node.data) && node.parentElement.closest("bdi, [dir=auto], option, textarea") === null)
      faults.push("not isolated: " + node.parentElement.outerHTML.slice(0, 120));
  if (globalThis.${mark} !== undefined || ({}).polluted !== undefined) faults.push("ran");
  return faults;
})()`;

const tooWide = async (page: Page, widths: readonly number[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate<number>("document.scrollingElement.scrollWidth");
    if (wide > width) found.push(`is ${wide} wide at ${width}`);
  }
  return found;
};

test("the service takes or refuses each of them, and fails at none", () => {
  expect(answers.filter((status) => status >= 500)).toEqual([]);
  expect(answers.filter((status) => status < 300).length).toBeGreaterThan(count * 0.9);
});

test.skipIf(browser === undefined)("no screen and no tab runs, fetches or is deformed by what it shows", { timeout: 10 * hangMs }, async () => {
  const { page, context, faults, requests } = await watchedPage(browser!, world.url);
  onTestFinished(() => context.close());
  await context.addInitScript(`document.addEventListener("securitypolicyviolation", (event) => console.error("CSP " + event.blockedURI))`);
  const reports: string[] = [];
  context.on("request", (request) => {
    if (["image", "media", "font", "websocket", "ping", "cspviolationreport"].includes(request.resourceType())) reports.push(request.url());
  });
  const found: string[] = [];
  for (const view of views) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${world.url}/inspector/${view}`);
    await page.locator("main .screen").waitFor();
    await expect.poll(() => page.locator("main .waiting", { hasText: "Loading" }).count(), settled).toBe(0);
    const own = [...(await page.evaluate<readonly string[]>(faultsInPage)), ...(await tooWide(page, [1280, 390, 320]))];
    found.push(...own.map((text) => `${view}: ${text}`));
  }
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
  expect(reports).toEqual([]);
  expect(requests.every((request) => /^GET \/(inspector|v1)\//.test(request) || /^POST \/v1\/.*recall/.test(request))).toBe(true);
});

test.skipIf(browser === undefined)(
  "each text of the conversation is shown as it is, and the longest on demand",
  { timeout: 4 * hangMs },
  async () => {
    const { page, context, faults } = await watchedPage(browser!, world.url);
    onTestFinished(() => context.close());
    const id = views.find((view) => view.startsWith("sessions/"))?.slice(9, 39) ?? "";
    const path = `/v1/sessions/${id}/events?kinds=message&limit=1000`;
    const { items } = (await world.request("GET", path)).body as {
      readonly items: readonly { readonly data: { readonly parts: readonly { text: string }[] } }[];
    };
    const wanted = items.map(({ data: { parts } }) => parts.map(({ text }) => text).join("\n")).filter((text) => text !== "");
    await page.goto(`${world.url}/inspector/sessions/${id}`);
    const earlier = page.getByRole("button", { name: "Show earlier entries" });
    await page.locator(".entry").first().waitFor();
    while (await earlier.isVisible()) {
      const before = await page.locator(".entry").count();
      await earlier.click();
      await expect.poll(() => page.locator(".entry").count(), settled).not.toBe(before);
    }
    await expect.poll(() => page.locator(".entry .waiting").count(), settled).toBe(0);
    const shown = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.entry .long-text bdi')].map(({ textContent }) => textContent)",
    );
    // What stands in the document is the text itself, which nothing has parsed.
    expect(shown).toEqual(wanted.map((text) => text.slice(0, 2_000).toWellFormed()));
    expect(faults).toEqual([]);
  },
);

test("no answer under /inspector/ has a policy with `unsafe`", async () => {
  const { text } = await world.request("GET", "/inspector/");
  const files = [...text.matchAll(/(?:src|href)="(\/inspector\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(1);
  for (const path of ["/inspector/", "/inspector/sessions/ses_1?at=<script>", "/inspector/%3Cscript%3E", ...files]) {
    const { headers, status } = await world.request("GET", path);
    expect(status).toBe(200);
    const policy = headers.get("content-security-policy") ?? "";
    expect([path, policy]).toEqual([path, expect.stringContaining("default-src 'none'")]);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  }
});
