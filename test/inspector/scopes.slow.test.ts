/** A key of each scope in the inspector: it sees what the API allows it, is told the scope of what it may not see, and asks for that once. */
import type { Browser, Request } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { agent as companion } from "../../packages/companion/src/agent.ts";
import { scopes, type Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { openServer } from "../setup/server.ts";
import { watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 2, interval: 30 };

let world: Awaited<ReturnType<typeof openServer>>;
let session_id: string;
/** Each scope alone, and with the one that a session needs. */
const held: readonly (readonly Scope[])[] = [
  ...scopes.map((scope) => [scope]),
  ...(["state:read", "memory:read", "prompts:read", "safety:read", "metadata:read"] as const).map((scope) => ["sessions:read", scope] as const),
];
const keys = new Map<string, string>();
beforeAll(async () => {
  world = await openServer({ agents: [Object.freeze({ ...companion, keepRequestsMs: 86_400_000 })], inspector: true });
  const session = await world.runtime.sessions.open({ agent: companion.name, customer: "ada" });
  session_id = session.id;
  for (const text of ["My name is Ada and I live in Turin.", "Work keeps me awake at night."]) await session.send(text);
  await session.handOver({ reason: "asks for a person" });
  for (const own of held) keys.set(own.join(), (await createKey(world.store, { name: own.join(), scopes: own })).key);
});
afterAll(() => world?.close());

/** Tabs that show nothing, or less, without a scope. */
const tabScopes: Readonly<Record<string, Scope>> = {
  ...{ state: "state:read", diff: "state:read", prompt: "prompts:read", recall: "memory:read", safety: "safety:read" },
};
const tabs = ["state", "diff", "prompt", "recall", "safety", "tools", "waterfall", "log"];
/** Paths of the screens and tabs. The navigation may have more. */
const views = (): readonly string[] => [
  ...["", "handover", "customers", "customers/ada", "memory", "customers/ada/memory"],
  ...tabs.flatMap((tab) => [`sessions/${session_id}?log=timeline&tab=${tab}`]),
];
/** Milliseconds longer than any screen waits before it reads again. */
const longestRefresh = 6_000;
/** Keys that may and may not read lists: the others behave like one of them. */
const waits: ReadonlySet<string> = new Set(["sessions:read", "handover", "usage:read"]);

/** A request that was refused for a scope. */
interface Refused {
  readonly request: string;
  readonly scope: string;
}

test.skipIf(browser === undefined).each(held.map((own) => [own.join(" and "), own] as const))(
  "a key with %s",
  { timeout: 4 * hangMs },
  async (_, own) => {
    const { page, context, faults } = await watchedPage(browser!, world.url);
    onTestFinished(() => context.close());
    await context.addInitScript(
      `if (location.protocol === "http:") sessionStorage.setItem("throughline.key", ${JSON.stringify(keys.get(own.join()))})`,
    );
    const refused: Refused[] = [];
    // Requests under way, without streams.
    const pending = new Set<Request>();
    // The visit that each request belongs to: an answer may come when the page has been left.
    const visits = new WeakMap<Request, number>();
    let visit = 0;
    page.on("request", (request) => {
      visits.set(request, visit);
      if (request.url().includes("/v1/")) pending.add(request);
    });
    page.on("requestfailed", (request) => void pending.delete(request));
    page.on("response", (response) => {
      const request = response.request();
      const { pathname, search } = new URL(response.url());
      const end = (): void => void pending.delete(request);
      if (response.status() !== 403) return end();
      // The page may be left before the answer is read.
      const read = (body: { readonly code: string; readonly details?: { readonly scope?: string } }): void =>
        void (
          visits.get(request) === visit &&
          refused.push({ request: `${request.method()} ${pathname}${search}`, scope: body.details?.scope ?? body.code })
        );
      response
        .json()
        .then(read, () => {})
        .finally(end);
    });
    const open = async (path: string): Promise<void> => {
      // Nothing of the last visit is sent from the next.
      await page.goto("about:blank");
      pending.clear();
      refused.length = 0;
      visit += 1;
      await page.goto(`${world.url}/inspector/${path}`);
      await complete();
    };
    const complete = async (): Promise<void> => {
      await page.locator("main .screen, main .waiting").first().waitFor();
      await expect.poll(() => pending.size, settled).toBe(0);
      await expect.poll(() => page.locator("main .waiting", { hasText: "Loading" }).count(), settled).toBe(0);
    };
    await open("");
    const linked = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('nav li a')].map(({ pathname }) => pathname.slice('/inspector/'.length))",
    );
    expect(linked.length).toBeGreaterThan(2);
    const found: string[] = [];
    for (const view of new Set([...views(), ...linked])) {
      await open(view);
      // What is missing is named on the screen where it is missing.
      const unnamed = async (): Promise<readonly Refused[]> => {
        const text = await page.locator("body").innerText();
        return refused.filter((one) => !text.includes(one.scope));
      };
      await expect.poll(unnamed, { ...settled, message: `${view} names the scopes that it lacks` }).toEqual([]);
      if (own.includes("admin") && refused.length > 0) found.push(`${view}: ${refused.map(({ request }) => request).join(", ")} refused`);
    }
    // A tab says that its scope is missing if, and only if, it is.
    if (own.includes("sessions:read"))
      for (const [tab, scope] of Object.entries(tabScopes)) {
        await open(`sessions/${session_id}?tab=${tab}`);
        const text = await page.locator("[role=tabpanel]").innerText();
        if (text.includes(scope) === own.includes(scope)) found.push(`${tab}: ${text.slice(0, 200)}`);
      }
    // Within one visit nothing is asked for again that was refused: not by reading again, and not by moving on.
    for (const view of ["", "handover", `sessions/${session_id}?tab=prompt`]) {
      await open(view);
      refused.length = 0;
      for (const pressed of ["4", "3", "K", "4", "3", "5", "1", "2", "k", "1"]) {
        await page.keyboard.press(pressed);
        await complete();
      }
      if (!view.includes("/") && waits.has(own.join())) await page.waitForTimeout(longestRefresh);
      await complete();
      const times = new Map<string, number>();
      for (const { request } of refused) {
        const same = request.replaceAll(/at=\d+|turn=\w+|trn_\w+/g, "");
        times.set(same, (times.get(same) ?? 0) + 1);
      }
      found.push(...[...times].filter(([, number]) => number > 1).map(([request, number]) => `${view}: ${request} refused ${number} times`));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  },
);
