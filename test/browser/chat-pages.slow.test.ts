/** The example pages in Chromium: what a reader sees while a reply is written, and after everything that can cut it off. */
import axe from "axe-core";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { chatHandler, nodeListener } from "../../packages/adapters/src/ai-sdk.ts";
import { createServer } from "../../packages/server/src/server.ts";
import { root, runCompiler } from "../../scripts/root.ts";
import { bundleFor, startBrowser } from "../setup/browser.ts";
import { type PageServer, servePage, startWorld } from "./chat-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The pages are not looked at: ${started}`);
afterAll(() => browser?.close());

const world = await startWorld();
afterAll(() => world.close());

const settled = { timeout: 15_000, interval: 20 };

interface Case {
  readonly name: string;
  readonly serve: () => Promise<PageServer>;
}

const cases: readonly Case[] = [
  {
    name: "useChat",
    serve: async () => {
      const handle = chatHandler({
        open: async (_, id) => ({ session: await world.session(id) }),
        ...{ visibleTools: ["look_up"], decidableTools: ["refund"] },
      });
      return servePage(await bundleFor(`${root}/examples/browser-chat/page/use-chat-page.tsx`), nodeListener(handle));
    },
  },
  {
    name: "useSession",
    serve: async () => {
      const service = await createServer({ runtime: world.runtime, agents: [world.agent] });
      afterAll(() => service.close({ drainMs: 0 }));
      return servePage(
        await bundleFor(`${root}/examples/browser-chat/page/use-session-page.tsx`),
        nodeListener(async (request) => service.fetch(request)),
      );
    },
  },
];

test("the pages hold against the types of what they use", () => {
  expect(runCompiler(["-p", "examples/browser-chat/page"])).toEqual({ code: 0, output: "" });
});

describe.skipIf(browser === undefined).each(cases)("the page with $name", ({ name, serve }) => {
  let server: PageServer;
  let context: BrowserContext;
  let chat = "";
  let count = 0;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    chat = `${name}-${++count}`;
    context = await browser!.newContext();
    onTestFinished(() => context.close());
  });

  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${server.url}/?chat=${chat}`);
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    return page;
  };
  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
  };
  const log = (page: Page): Locator => page.getByRole("log");
  /** The messages as a reader hears them: the author, then the texts. */
  const heard = (page: Page): Promise<readonly string[]> =>
    page.evaluate<readonly string[]>(
      `[...document.querySelectorAll("article")].map((one) => [...one.querySelectorAll("h2, p")].map(({ textContent }) => textContent).join(" | "))`,
    );
  const focused = (page: Page): Promise<string> => page.evaluate<string>("document.activeElement.id || document.activeElement.textContent");
  const shows = (page: Page, ...messages: readonly string[]): Promise<void> => expect.poll(() => heard(page), settled).toEqual(messages);
  const isReady = (page: Page): Promise<void> => expect.poll(() => log(page).getAttribute("aria-busy"), settled).toBe("false");

  test("text comes piece by piece, and the log is busy until it is whole", async () => {
    const release = world.hold();
    const page = await open();
    expect(await focused(page)).toBe("message");
    await send(page, "hello");
    await shows(page, "You | hello", "Assistant | One ");
    expect(await log(page).getAttribute("aria-busy")).toBe("true");
    expect(await page.getByRole("status").textContent()).toBe("The assistant is writing.");
    release();
    await shows(page, "You | hello", "Assistant | One two hello.");
    await isReady(page);
    await page.reload();
    await shows(page, "You | hello", "Assistant | One two hello.");
  });

  test("the card of a call comes before the text that follows it", async () => {
    const release = world.hold();
    const page = await open();
    await send(page, "look_up");
    const card = page.getByRole("region", { name: "look_up" });
    await expect.poll(() => card.getAttribute("data-state"), settled).toBe("running");
    release();
    await shows(page, "You | look_up", 'Assistant | "Rome: 21" | It is done.');
    expect(await card.getAttribute("data-state")).toBe("done");
    expect(await card.locator("code").textContent()).toBe('{"of":"Rome"}');
  });

  test.each([
    ["Approve", '"paid 5"', "done"],
    ["Reject", "failed", "failed"],
  ])("a button decides about a call: %s", async (button, shown, state) => {
    const page = await open();
    await send(page, "refund");
    await page.getByRole("button", { name: button }).waitFor();
    await isReady(page);
    // A page that is loaded now asks, too.
    await page.reload();
    await page.getByRole("button", { name: button }).click();
    await shows(page, "You | refund", `Assistant | ${shown} | It is done.`);
    expect(await page.getByRole("region", { name: "refund" }).getAttribute("data-state")).toBe(state);
    expect(await focused(page)).toBe("message");
    await isReady(page);
  });

  test("a page that is loaded again in mid-reply goes on with it, and doubles nothing", async () => {
    const release = world.hold();
    const page = await open();
    await send(page, "hello");
    await shows(page, "You | hello", "Assistant | One ");
    await page.reload();
    await shows(page, "You | hello", "Assistant | One ");
    release();
    await shows(page, "You | hello", "Assistant | One two hello.");
    await isReady(page);
    await send(page, "again");
    await shows(page, "You | hello", "Assistant | One two hello.", "You | again", "Assistant | One two again.");
  });

  test("a second tab shows the same", async () => {
    const release = world.hold();
    const page = await open();
    await send(page, "hello");
    await shows(page, "You | hello", "Assistant | One ");
    const second = await open();
    await shows(second, "You | hello", "Assistant | One ");
    release();
    for (const tab of [page, second]) await shows(tab, "You | hello", "Assistant | One two hello.");
  });

  test("a page that is offline for 5 s has the whole reply afterwards, once", async () => {
    const release = world.hold();
    const page = await open();
    await send(page, "hello");
    await shows(page, "You | hello", "Assistant | One ");
    await context.setOffline(true);
    server.cut();
    await expect.poll(() => page.getByRole("alert").count(), settled).toBe(1);
    release();
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect(await heard(page)).toEqual(["You | hello", "Assistant | One "]);
    await context.setOffline(false);
    await shows(page, "You | hello", "Assistant | One two hello.");
    await isReady(page);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("stop ends the turn", async () => {
    const release = world.hold();
    const page = await open();
    await send(page, "hello");
    await shows(page, "You | hello", "Assistant | One ");
    await page.getByRole("button", { name: "Stop" }).click();
    const session = await world.session(chat);
    await expect.poll(async () => (await session.turns()).items[0]?.outcome?.status, settled).toBe("stopped");
    release();
    await isReady(page);
    await send(page, "next");
    await expect.poll(async () => (await heard(page)).at(-1), settled).toBe("Assistant | One two next.");
  });

  test.runIf(name === "useSession")("a message whose answer is written again keeps its input", async () => {
    const page = await open();
    const session = await world.session(chat);
    const { offset } = await session.post("hello", { input: { tone: "warm" } });
    await shows(page, "You | hello", "Assistant | One two hello.");
    await page.getByRole("button", { name: "Write again" }).click();
    const inputs = async (): Promise<readonly unknown[]> => {
      const events = await Array.fromAsync(session.events({ kinds: ["message"], minOffset: offset + 1, follow: false }));
      return events.flatMap((event) => (event.kind === "message" && event.source === "customer" ? [event.data.input] : []));
    };
    await expect.poll(inputs, settled).toEqual([{ tone: "warm" }]);
  });

  test("an answer is written again, in the place of the last one", async () => {
    const page = await open();
    await send(page, "hello");
    await shows(page, "You | hello", "Assistant | One two hello.");
    const session = await world.session(chat);
    const [before] = (await session.turns()).items;
    await page.getByRole("button", { name: "Write again" }).click();
    await expect.poll(async () => (await session.turns()).items[0]?.turn_id !== before?.turn_id, settled).toBe(true);
    await shows(page, "You | hello", "Assistant | One two hello.");
    await isReady(page);
    await page.reload();
    await shows(page, "You | hello", "Assistant | One two hello.");
    expect((await session.messages()).map(({ text }) => text)).toEqual(["hello", "One two hello."]);
  });

  test("errors are said in sentences for the customer", async () => {
    const page = await open();
    await send(page, "fail");
    await shows(page, "You | fail", "Assistant | Sorry, that did not work.");
    await isReady(page);
    await send(page, "x".repeat(100_001));
    await expect.poll(() => page.getByRole("alert").textContent(), settled).toBe("This message could not be sent.");
    expect(await page.content()).not.toContain("provider");
  });

  test("has no fault that axe finds, in the midst of a question", async () => {
    const page = await open();
    await send(page, "refund");
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.addScriptTag({ content: axe.source });
    const faults = await page.evaluate<readonly string[]>("axe.run().then(({ violations }) => violations.map(({ id }) => id))");
    expect(faults).toEqual([]);
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Send");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Write again");
  });
});
