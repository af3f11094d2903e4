/** The screen that compares: forks, sessions and offsets side by side, with what the API says of both. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import type { Session } from "../../packages/throughline/src/index.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { type InspectorWorld, startInspected, type Watched, watchedPage } from "./inspector-world.ts";
import { qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };
const hostile = `<img src=x onerror=alert(1)> ‮${"x".repeat(300)}`;

describe.skipIf(browser === undefined)("the compare screen", () => {
  let world: InspectorWorld;
  let origin: Session;
  let fork: Session;
  let second: Session;
  let stranger: Session;
  /** The last offset that the forks share. */
  let at: number;
  beforeAll(async () => {
    world = await startInspected();
    origin = await world.talk("ada", "first");
    at = (await origin.info()).head;
    await origin.send("in the origin");
    fork = await origin.fork({ at, title: hostile.slice(0, 200) });
    await fork.send("in the fork");
    await fork.send("weather");
    second = await origin.fork({ at: at - 1 });
    stranger = await world.talk("bob", hostile);
  });
  afterAll(() => world.close());
  const open = async (path: string): Promise<Watched> => {
    const watched = await watchedPage(browser!, world.url);
    onTestFinished(() => watched.context.close());
    await watched.page.goto(`${world.url}/inspector/sessions/${path}`);
    return watched;
  };
  const side = (page: Page, name: string): Promise<readonly string[]> =>
    page.locator(`.rounds [aria-label=${name}] .message .long-text`).allInnerTexts();

  test("aligns a fork with its origin after what they share", async () => {
    const { page, faults } = await open(`${origin.id}/compare?cmp=${fork.id}`);
    await page.getByText(`Right is a fork of left. They are the same up to #${at}.`).first().waitFor();
    await expect.poll(() => side(page, "Left"), settled).toEqual(["in the origin", "You said in the origin."]);
    const said = await side(page, "Right");
    expect([said[0], said[1], said[2], said.at(-1)]).toEqual(["in the fork", "You said in the fork.", "weather", "It is warm."]);
    expect(await page.locator(".common .message .long-text").allInnerTexts()).toEqual(["first", "You said first."]);
    expect(await page.locator(".rounds > li").count()).toBe(2);
    expect(await page.locator(".pair-head").innerText()).toContain("<img src=x onerror=alert(1)>");
    // The other way round.
    await page.keyboard.press("s");
    await page.getByText(`Left is a fork of right. They are the same up to #${at}.`).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/inspector/sessions/${fork.id}/compare`);
    await page.goBack();
    await page
      .getByText(/^Right is a fork of left/)
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  });

  test("shows the figures of both and the difference of their states, as the API has them", async () => {
    const { page, faults } = await open(`${origin.id}/compare?cmp=${fork.id}`);
    const sums = async ({ id }: Session, from: number): Promise<readonly string[]> => {
      const answer = await world.request("GET", `/v1/sessions/${id}/turns`);
      const { items } = answer.body as {
        readonly items: readonly { readonly started_offset: number; readonly usage: Record<string, number>; readonly cost: number }[];
      };
      const turns = items.filter(({ started_offset }) => started_offset > from);
      const sum = (of: (turn: (typeof turns)[number]) => number): string =>
        new Intl.NumberFormat("en", { maximumSignificantDigits: 6 }).format(turns.reduce((total, turn) => total + of(turn), 0));
      return [String(turns.length), sum(({ usage }) => usage["input"] ?? 0), sum(({ usage }) => usage["output"] ?? 0), sum(({ cost }) => cost)];
    };
    await page.locator(".figures tbody tr").first().waitFor();
    for (const [column, session] of [origin, fork].entries()) {
      const cells = await page.locator(`.figures td:nth-of-type(${column + 1})`).allInnerTexts();
      const [all, after] = [await sums(session, -1), await sums(session, at)];
      expect(cells.slice(-4)).toEqual(all.map((text, index) => `${text}\n${after[index] ?? ""} after the common part`));
    }
    const document = async ({ id }: Session): Promise<{ readonly topic: string }> =>
      ((await world.request("GET", `/v1/sessions/${id}/state?view=internal`)).body as { readonly state: { readonly topic: string } }).state;
    const topic = page.locator(".change", { hasText: "/topic" });
    await topic.waitFor();
    expect(await topic.locator(".side.before .long-text").innerText()).toBe((await document(origin)).topic);
    expect(await topic.locator(".side.after .long-text").innerText()).toBe((await document(fork)).topic);
    expect(await topic.locator(".op").innerText()).toBe("differs");
    expect(faults).toEqual([]);
  });

  test("compares two forks of one session, two offsets of one, and two that share nothing", async () => {
    const { page, faults } = await open(`${fork.id}/compare?cmp=${second.id}`);
    await page.getByText(`Both are forks of ${origin.id}. They are the same up to #${at - 1}.`).waitFor();
    const { head } = await fork.info();
    await page.goto(`${world.url}/inspector/sessions/${fork.id}/compare?at=${at}&cmp=${head}`);
    await page.getByText(`Both are the same session. They are the same up to #${at}.`).waitFor();
    expect(await side(page, "Left")).toEqual([]);
    expect((await side(page, "Right"))[0]).toBe("in the fork");
    await page.goto(`${world.url}/inspector/sessions/${origin.id}/compare?cmp=${stranger.id}`);
    await page.getByText("The two share no events that are still known.").waitFor();
    expect((await side(page, "Right"))[0]).toBe(hostile);
    expect(await page.locator(".common").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("follows a side that is compared at its end, and no other", async () => {
    const base = await world.talk("carol", "first");
    const [grown, other] = [await base.fork(), await base.fork()];
    await grown.send("one");
    await other.send("weather");
    const { head } = await grown.info();
    const { page, faults } = await open(`${grown.id}/compare?at=${head}&cmp=${other.id}`);
    await expect
      .poll(() => page.locator(".pair-head a").allInnerTexts(), settled)
      .toEqual([expect.stringMatching(`Left[^]*#${head}$`), expect.stringMatching(/Right[^]*live$/)]);
    const before = await side(page, "Right");
    await page.keyboard.press("j");
    await page.locator(".rounds > li[aria-current]").waitFor();
    await grown.send("two");
    await other.send("later");
    await expect.poll(() => side(page, "Right"), settled).toEqual([...before, "later", "You said later."]);
    await expect.poll(() => page.locator(".pair-head a").nth(1).innerText(), settled).toContain(`#${(await other.info()).head}`);
    await page.locator(".change", { hasText: "/topic" }).getByText("later").waitFor();
    expect(await side(page, "Left")).toEqual(["one", "You said one."]);
    expect(await page.locator(".rounds > li").first().getAttribute("aria-current")).toBe("true");
    // Without its offset, the left side is at its end as well.
    await page.getByLabel("Left up to #").fill("");
    await page.getByLabel("Left up to #").press("Enter");
    await expect.poll(() => side(page, "Left"), settled).toEqual(["one", "You said one.", "two", "You said two."]);
    await grown.send("three");
    await expect.poll(async () => (await side(page, "Left")).at(-1), settled).toBe("You said three.");
    expect(faults).toEqual([]);
  });

  test("is reached by keyboard from a session, and back", async () => {
    const { page, faults } = await open(`${origin.id}?at=${at}`);
    await page.locator(".log-pane").waitFor();
    await page.keyboard.press("v");
    await page.waitForURL(/\/compare\?at=\d+$/);
    const related = page.locator(".customer-list li");
    await expect.poll(() => related.count(), settled).toBe(2);
    expect(await related.first().innerText()).toContain("fork of this at #");
    await page.keyboard.press("/");
    await page.keyboard.type("not a session");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Right").fill(`${fork.id}@${at + 3}`);
    await page.keyboard.press("Enter");
    await page.getByText(/^Right is a fork of left/).waitFor();
    expect(new URL(page.url()).searchParams.get("cmp")).toBe(`${fork.id}@${at + 3}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.locator(".rounds > li[aria-current]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".log-pane").waitFor();
    expect(new URL(page.url()).searchParams.get("at")).toBe(String(at));
    await page.getByRole("link", { name: "Compare" }).click();
    await page.waitForURL(/\/compare\?at=\d+$/);
    expect(faults).toEqual([]);
  });

  test("says what the key or the address lacks", async () => {
    const own = await startInspected();
    onTestFinished(() => own.close());
    const session = await own.talk("ada", "hello");
    const { key } = await createKey(own.store, { name: "writer", scopes: ["sessions:write"] });
    const { page, context } = await watchedPage(browser!, own.url);
    onTestFinished(() => context.close());
    await context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    await page.goto(`${own.url}/inspector/sessions/${session.id}/compare?cmp=3`);
    await page.getByText("The key lacks the scope sessions:read, which this needs.").first().waitFor();
    const { page: open2, faults } = await open(`${origin.id}/compare?cmp=ses_${"0".repeat(26)}`);
    await open2.locator(".failure").waitFor();
    expect(faults).toEqual([]);
  });

  test("has no serious fault, in both themes and all widths", async () => {
    expect(
      await qualityFaults(browser!, world.url, [
        { path: `sessions/${origin.id}/compare?cmp=${fork.id}`, ready: ".change" },
        { path: `sessions/${stranger.id}/compare?cmp=${fork.id}`, ready: ".change" },
        { path: `sessions/${origin.id}/compare`, ready: ".customer-list li" },
        { path: `sessions/${stranger.id}/compare`, ready: ".empty" },
      ]),
    ).toEqual([]);
  });
});
