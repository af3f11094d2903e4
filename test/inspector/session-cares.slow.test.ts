/** What the inspector guards on a session: what a person wrote, and actions that a stray key or click must not do. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Session } from "../../packages/throughline/src/index.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { type ActionWorld, startActions } from "./action-world.ts";
import { watchedPage } from "./inspector-world.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

describe.skipIf(browser === undefined)("a session in the inspector", () => {
  let world: ActionWorld;
  beforeAll(async () => {
    world = await startActions();
  });
  afterAll(() => world.close());
  const open = async (session: Session): Promise<Page> => {
    const { page, context, faults } = await watchedPage(browser!, world.url);
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    await page.goto(`${world.url}/inspector/sessions/${session.id}`);
    await page.locator("#composer").waitFor();
    return page;
  };
  const boxOf = async (page: Page): Promise<{ readonly x: number; readonly y: number; readonly width: number; readonly height: number }> => {
    const box = await page.getByRole("dialog").boundingBox();
    if (box === null) throw new Error("No dialog is on the page.");
    return box;
  };

  test("keeps what was written in a form: through a stray press, a click beside it and Esc", async () => {
    const page = await open(await world.talk("ada", "hello"));
    const dialog = page.getByRole("dialog", { name: "Edit state" });
    await page.keyboard.press("e");
    const city = dialog.getByRole("region", { name: "topic", exact: true }).getByRole("textbox");
    await city.waitFor();
    const { x, y } = await boxOf(page);
    // Text is selected by a press in the field that ends left of the dialog, before anything was written.
    const field = await city.boundingBox();
    if (field === null) throw new Error("The field is not on the page.");
    const drag = async (): Promise<void> => {
      await page.mouse.move(field.x + 40, field.y + field.height / 2);
      await page.mouse.down();
      await page.mouse.move(x - 30, field.y + field.height / 2, { steps: 4 });
      await page.mouse.up();
    };
    await drag();
    expect(await dialog.count()).toBe(1);
    await city.fill("written");
    await drag();
    await page.mouse.click(x - 30, y + 20);
    await dialog.getByText("What you wrote was not sent. Cancel discards it.").waitFor();
    await city.press("End");
    await page.keyboard.type("!");
    expect(await dialog.getByRole("alert").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog.getByRole("alert").waitFor();
    expect(await city.inputValue()).toBe("written!");
    // Esc leads to the button that discards.
    await page.keyboard.press("Enter");
    await expect.poll(() => dialog.count(), settled).toBe(0);
    // With nothing written, both still close it.
    await page.keyboard.press("e");
    await city.waitFor();
    await page.mouse.click(x - 30, y + 20);
    await expect.poll(() => dialog.count(), settled).toBe(0);
    await page.keyboard.press("e");
    await city.waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count(), settled).toBe(0);
  });

  test("keeps the focus in a field for a long text", async () => {
    const page = await open(await world.talk("ada", "hello"));
    await page.keyboard.press("e");
    const topic = page.getByRole("dialog").getByRole("region", { name: "topic", exact: true }).getByRole("textbox");
    await topic.fill("");
    await topic.focus();
    const text = "The customer asks for a table by the window, for four, on Friday night.";
    await page.keyboard.type(text);
    expect(await topic.inputValue()).toBe(text);
  });

  test("names the calls that a hand-over cancels", async () => {
    const session = await world.talk("ada");
    await session.send("wire");
    const page = await open(session);
    await page.getByRole("group", { name: "Waiting for your decision" }).waitFor();
    await page.keyboard.press("h");
    const dialog = page.getByRole("dialog", { name: "Hand over" });
    expect(await dialog.getByRole("region", { name: "These calls wait for a decision and are cancelled:" }).innerText()).toMatch(
      /wire[^]*"amount":5/,
    );
    await dialog.getByRole("button", { name: "Hand over" }).click();
    await expect.poll(async () => (await session.info()).mode, settled).toBe("manual");
    expect((await session.pending()).calls).toEqual([]);
    // The mode does the same, and so asks as well.
    const other = await world.talk("grace");
    await other.send("wire");
    await page.goto(`${world.url}/inspector/sessions/${other.id}`);
    await page.getByRole("group", { name: "Waiting for your decision" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command palette" }).fill("people answer");
    await page.keyboard.press("Enter");
    await dialog.getByText("These calls wait for a decision and are cancelled:").waitFor();
    expect((await other.info()).mode).toBe("auto");
  });

  test("says what waits and until when, and a key alone approves nothing", async () => {
    const session = await world.talk("ada");
    await session.send("wire");
    const page = await open(session);
    const waiting = page.getByRole("group", { name: "Waiting for your decision" });
    await waiting.waitFor();
    const shown = await waiting.innerText();
    expect(shown).toContain("wire runs only after a person approves it");
    expect(shown).not.toContain("asked by");
    const [call] = (await session.pending()).calls;
    const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" }).format(call?.expires_at);
    expect(shown).toMatch(/Without a decision it counts as rejected: .*\(in \d+\s*\w+\.?\)/);
    expect(shown).toContain(date);
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "Approve the call of wire?" });
    expect(await dialog.innerText()).toContain('"amount": 5');
    // Enter on the first focus does nothing.
    await page.keyboard.press("Enter");
    await expect.poll(() => dialog.count(), settled).toBe(0);
    expect((await session.pending()).calls).toHaveLength(1);
    await page.keyboard.press("a");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => page.locator(".entry.message .long-text").last().innerText(), settled).toBe("Result: wired 5");
  });

  test("asks before a session goes back into the queue", async () => {
    const session = await world.talk("ada", "hello");
    await session.handOver({ operator: "Kim" });
    const page = await open(session);
    await page.getByRole("button", { name: /^Put back/ }).waitFor();
    await page.keyboard.press("u");
    const dialog = page.getByRole("dialog", { name: "Put back into the queue" });
    await dialog.getByText("Kim no longer has this session.").waitFor();
    expect(await session.info()).toMatchObject({ handover: { status: "assigned" } });
    await dialog.getByRole("button", { name: "Put back into the queue" }).click();
    await expect.poll(() => session.info(), settled).toMatchObject({ handover: { status: "waiting" } });
  });

  test("offers a turn that was taken back neither for taking back nor for another try", async () => {
    const session = await world.talk("ada", "hello", "again");
    await session.send("fail").catch(() => undefined);
    const page = await open(session);
    const retry = page.getByRole("button", { name: /^Retry the turn/ });
    await retry.waitFor();
    const dialog = page.getByRole("dialog", { name: "Take back a turn?" });
    const takeBack = async (): Promise<number> => {
      await page.keyboard.press("W");
      const said = await dialog.getByText(/^Takes back everything/).innerText();
      await dialog.getByRole("button", { name: "Take back" }).click();
      await expect.poll(() => dialog.count(), settled).toBe(0);
      return Number(/turn (\d+) /.exec(said)?.[1]);
    };
    expect(await takeBack()).toBe(3);
    await expect.poll(() => retry.count(), settled).toBe(0);
    expect(await takeBack()).toBe(2);
    expect((await session.state()).document).toMatchObject({ topic: "hello" });
    expect(await takeBack()).toBe(1);
    await expect.poll(() => page.getByRole("button", { name: /^Take back/ }).count(), settled).toBe(0);
  });

  test("sends an answer as the text that it is, and no empty one", async () => {
    const session = await world.talk("ada");
    await session.send("book");
    const page = await open(session);
    await page.getByRole("group", { name: "Waiting for your decision" }).waitFor();
    await page.keyboard.press("A");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Answer" }).click();
    await dialog.getByText("Nothing is written.").waitFor();
    expect((await session.pending()).calls).toHaveLength(1);
    await dialog.getByLabel("Your answer").fill("5");
    await dialog.getByRole("button", { name: "Answer" }).click();
    await expect.poll(() => page.locator(".entry.message .long-text").last().innerText(), settled).toBe('Result: booked Friday for "5"');
  });

  test("keeps a draft for its session, and the sender of one session is not that of another", async () => {
    const [first, second] = [await world.talk("drafter", "hello"), await world.talk("drafter", "hi")];
    const page = await open(first);
    const composer = page.locator("#composer");
    const goTo = async (session: Session): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Command palette" }).fill(session.id);
      await page.keyboard.press("Enter");
      await page.waitForURL((address) => address.pathname.endsWith(session.id));
      await composer.waitFor();
    };
    await page.getByRole("button", { name: "System", exact: true }).click();
    await composer.fill("a draft");
    await goTo(second);
    await expect.poll(() => composer.inputValue(), settled).toBe("");
    expect(await page.getByRole("button", { name: "Customer", exact: true }).getAttribute("aria-pressed")).toBe("true");
    await composer.fill("another");
    await goTo(first);
    await expect.poll(() => composer.inputValue(), settled).toBe("a draft");
    await composer.press("Control+Enter");
    await expect.poll(() => composer.inputValue(), settled).toBe("");
    await goTo(second);
    await expect.poll(() => composer.inputValue(), settled).toBe("another");
  });
});
