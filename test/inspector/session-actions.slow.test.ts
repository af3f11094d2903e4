/** Actions on a session in the inspector: each is done in the page, and what the service has afterwards is compared. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ModelRequest, ScriptedModel, Session } from "../../packages/throughline/src/index.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { root } from "../../scripts/root.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { databases } from "../setup/server.ts";
import { type ActionWorld, startActions } from "./action-world.ts";
import { type Watched, watchedPage } from "./inspector-world.ts";
import { auditedOperations, qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };

interface Listed {
  readonly items: readonly {
    readonly offset: number;
    readonly kind: string;
    readonly source: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
}

describe.skipIf(browser === undefined).each(databases)("actions on a session on %s", (database) => {
  let world: ActionWorld;
  beforeAll(async () => {
    world = await startActions(database);
  });
  afterAll(() => world.close());
  const open = async (session: Session, query = ""): Promise<Watched> => {
    const watched = await watchedPage(browser!, world.url);
    onTestFinished(async () => {
      await watched.context.close();
      expect(watched.faults).toEqual([]);
    });
    await watched.page.goto(`${world.url}/inspector/sessions/${session.id}${query}`);
    await watched.page.locator("#composer").waitFor();
    return watched;
  };
  const events = async (session: Session, kinds: string): Promise<Listed["items"]> =>
    ((await world.request("GET", `/v1/sessions/${session.id}/events?kinds=${kinds}&limit=1000`)).body as Listed).items;
  const audited = (): Promise<readonly string[]> => auditedOperations(world);
  const command = async (page: Page, words: string): Promise<void> => {
    await expect.poll(() => page.getByRole("dialog").count(), settled).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command palette" }).fill(words);
    await page.keyboard.press("Enter");
  };
  const lastTexts = (page: Page): Promise<readonly string[]> => page.locator(".entry.message .long-text").allInnerTexts();

  test("leaves the room of a phone to the log: the composer opens when it is wanted", async () => {
    const session = await world.talk("ada");
    const { page, context, faults } = await watchedPage(browser!, world.url);
    onTestFinished(() => context.close());
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${world.url}/inspector/sessions/${session.id}`);
    await page.getByText("Write a message").waitFor();
    expect(await page.locator("#composer").isVisible()).toBe(false);
    await page.keyboard.press("r");
    await page.keyboard.type("from a phone");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => lastTexts(page), settled).toEqual(["from a phone", "You said from a phone."]);
    expect(faults).toEqual([]);
  });

  test("sends as the customer, as an operator, as the agent and as the system", async () => {
    const session = await world.talk("ada");
    const { page } = await open(session);
    await page.keyboard.press("r");
    await page.keyboard.type("hello <b>there</b>");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => lastTexts(page), settled).toEqual(["hello <b>there</b>", "You said hello <b>there</b>."]);
    expect(await page.locator("#composer").inputValue()).toBe("");
    await page.locator("#composer").blur();
    await command(page, "send as: operator");
    await page.keyboard.type("I am a person");
    // Without a name nothing is sent: the field is focused.
    await page.keyboard.press("Control+Enter");
    await page.keyboard.type("Kim");
    await page.keyboard.press("Control+Enter");
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toBe("I am a person");
    await page.getByLabel("In the agent's name").check();
    await page.locator("#composer").fill("As the agent");
    await page.getByRole("button", { name: /^Send/ }).last().click();
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toBe("As the agent");
    await page.getByRole("button", { name: "System", exact: true }).click();
    await page.locator("#composer").fill('{"payment":"received"}');
    await page.keyboard.press("Control+Enter");
    await page.locator(".entry.custom").waitFor();
    const sent = await events(session, "message,custom");
    expect(sent.map(({ source }) => source)).toEqual(["customer", "ai_agent", "human_agent", "human_agent_on_behalf_of_ai_agent", "system"]);
    expect(sent.at(-1)?.data).toMatchObject({ value: { payment: "received" } });
    expect(sent[2]?.data).toMatchObject({ participant: { display_name: "Kim" } });
  });

  test("stops a turn, and retries it", async () => {
    const session = await world.talk("ada");
    const release = world.hold();
    const { page } = await open(session);
    await page.locator("#composer").fill("are you there?");
    await page.keyboard.press("Control+Enter");
    await page.locator(".entry.draft").waitFor();
    await page.getByRole("button", { name: /^Stop the turn/ }).click();
    await expect.poll(async () => (await session.turns({ order: "desc" })).items[0]?.outcome?.status, settled).toBe("stopped");
    release();
    await page.getByRole("button", { name: /^Retry the turn/ }).click();
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toBe("You said are you there?.");
    await expect.poll(() => page.getByRole("button", { name: /^Retry the turn/ }).count(), settled).toBe(0);
    expect(await audited()).toContain("stopTurn");
    // A turn that failed is retried by keyboard.
    await session.send("fail").catch(() => undefined);
    await page.getByRole("button", { name: /^Retry the turn/ }).waitFor();
    await page.locator("#composer").blur();
    await page.keyboard.press("R");
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toBe("You said fail.");
  });

  test("takes back a turn after it said what is not undone", async () => {
    const session = await world.talk("ada", "hello", "pay", "bye");
    const payOffset = (await events(session, "message")).find(({ data }) => JSON.stringify(data).includes('"pay"'))?.offset ?? 0;
    const { page } = await open(session, `?at=${payOffset}`);
    await page.getByRole("button", { name: /^Take back/ }).waitFor();
    await page.keyboard.press("W");
    const dialog = page.getByRole("dialog", { name: "Take back a turn?" });
    await dialog.getByText(new RegExp(`Takes back everything from turn .* which begins at #${payOffset}\\.`)).waitFor();
    await expect.poll(() => dialog.locator(".effects li").allInnerTexts(), settled).toEqual([expect.stringMatching(/pay[^]*runs once[^]*recorded/)]);
    await page.keyboard.press("Escape");
    expect((await session.turns()).items).toHaveLength(3);
    expect((await session.state()).document).toMatchObject({ topic: "bye", count: 3 });
    await page.keyboard.press("W");
    await dialog.getByText(/^Takes back everything/).waitFor();
    await dialog.getByRole("button", { name: "Take back" }).click();
    await expect.poll(async () => (await session.state()).document, settled).toMatchObject({ topic: "hello", count: 1 });
    await expect.poll(() => page.locator(".entry.withdrawn").count(), settled).toBeGreaterThan(3);
    expect(await page.locator(".entry:not(.withdrawn) .long-text").allInnerTexts()).toEqual(["hello", "You said hello."]);
    expect((await events(session, "message")).map(({ offset }) => offset).every((offset) => offset < payOffset)).toBe(true);
    expect(await audited()).toContain("withdrawEvents");
  });

  test("approves and rejects calls, in the conversation and in the tab of tools", async () => {
    const session = await world.talk("ada");
    await session.send("wire");
    const { page } = await open(session);
    const waiting = page.getByRole("region", { name: "Conversation and timeline" }).getByRole("group", { name: "Waiting for your decision" });
    await waiting.waitFor();
    expect(await waiting.innerText()).toMatch(/wire[^]*"amount": 5/);
    await page.keyboard.press("a");
    await page.getByRole("dialog", { name: "Approve the call of wire?" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toBe("Result: wired 5");
    await expect.poll(() => waiting.count(), settled).toBe(0);
    // With other arguments, from the tab of tools.
    await session.send("wire");
    await page.getByRole("tab", { name: "Tools" }).click();
    const tab = page.getByRole("tabpanel").getByRole("group", { name: "Waiting for your decision" });
    await tab.getByRole("button", { name: "Approve with other arguments" }).click();
    await page.getByLabel("Arguments", { exact: true }).fill("{");
    await page.keyboard.press("Control+Enter");
    await page.getByText("This is not JSON.").waitFor();
    await page.getByLabel("Arguments", { exact: true }).fill('{"amount": 7}');
    await page.keyboard.press("Control+Enter");
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toMatch(/^Result: [^]*wired 7$/);
    // Rejected with a reason, which the agent is told.
    await session.send("wire");
    await tab.getByRole("button", { name: /^Reject/ }).click();
    await page.getByLabel("Reason, for the agent").fill("Too much.");
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toContain("Too much.");
    // A question of a tool is answered.
    await session.send("book");
    await tab.getByRole("button", { name: /^Answer/ }).click();
    await page.getByLabel("Your answer").fill("4");
    await page.getByLabel("It is JSON").check();
    await page.getByRole("dialog").getByRole("button", { name: "Answer" }).click();
    await expect.poll(async () => (await lastTexts(page)).at(-1), settled).toBe("Result: booked Friday for 4");
    expect(await audited()).toContain("decideCall");
  });

  test("hands over, takes up, puts back, hands back, and sets the mode", async () => {
    const session = await world.talk("ada", "hello");
    const { page } = await open(session);
    await page.keyboard.press("h");
    await page.keyboard.type("wants a person");
    await page.keyboard.press("Enter");
    await expect.poll(() => session.info(), settled).toMatchObject({ mode: "manual", handover: { status: "waiting", reason: "wants a person" } });
    await page.getByRole("button", { name: /^Take up/ }).click();
    await page.getByLabel("Your name").fill("Kim");
    await page.keyboard.press("Enter");
    await expect.poll(() => session.info(), settled).toMatchObject({ handover: { status: "assigned", operator: "Kim" } });
    await page.getByRole("button", { name: /^Put back/ }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Put back/ })
      .click();
    await expect.poll(() => session.info(), settled).toMatchObject({ handover: { status: "waiting" } });
    await session.assign({ operator: "Bob" });
    await page.locator(".facts").getByText("Bob").waitFor();
    await page.getByRole("button", { name: /^Take up/ }).click();
    await page.getByText("Bob has this session.").waitFor();
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => session.info(), settled).toMatchObject({ handover: { status: "assigned", operator: "Kim" } });
    await page.getByRole("button", { name: /^Hand back/ }).click();
    await page.getByLabel("Summary for the agent").fill("All is well.");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => session.info(), settled).toMatchObject({ mode: "auto", handover: { status: "resolved" } });
    await page.getByRole("button", { name: /^Hand over/ }).waitFor();
    await command(page, "people answer");
    await expect.poll(async () => (await session.info()).mode, settled).toBe("manual");
    await page.getByRole("button", { name: /^Hand back/ }).waitFor();
    await command(page, "the agent answers");
    await expect.poll(async () => (await session.info()).mode, settled).toBe("auto");
    expect(await audited()).toEqual(expect.arrayContaining(["handOver", "assignSession", "unassignSession", "handBack"]));
  });

  test("forks by keyboard alone from the list, and says which effects stay", async () => {
    const session = await world.talk(`forker-${database}`, "hello", "pay", "bye");
    const payOffset = (await events(session, "message")).find(({ data }) => JSON.stringify(data).includes('"pay"'))?.offset ?? 0;
    const watched = await watchedPage(browser!, world.url);
    onTestFinished(() => watched.context.close());
    const { page } = watched;
    await page.goto(`${world.url}/inspector/?q=customer:forker-${database}`);
    await expect.poll(() => page.locator("#sessions .rows .row").count(), settled).toBe(1);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator(".entry.message").first().waitFor();
    // Three messages up: to the one before the payment.
    while (Number(new URL(page.url()).searchParams.get("at") ?? Number.MAX_SAFE_INTEGER) > payOffset) {
      const { search } = new URL(page.url());
      await page.keyboard.press("k");
      await expect.poll(() => new URL(page.url()).search, settled).not.toBe(search);
    }
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog", { name: `Fork at #${payOffset}` });
    await expect.poll(() => dialog.locator(".effects li").allInnerTexts(), settled).toEqual([expect.stringMatching(/pay[^]*runs once[^]*recorded/)]);
    const paidBefore = world.paid.length;
    await page.keyboard.press("Tab");
    await page.keyboard.type("Another way");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Another way" }).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect(id).not.toBe(session.id);
    const forked = (await world.request("GET", `/v1/sessions/${id}`)).body as unknown;
    expect(forked).toMatchObject({ origin: { session_id: session.id, at: payOffset }, title: "Another way" });
    // The fork pays with the recorded result.
    const fork = await world.runtime.sessions.get(id);
    await expect.poll(async () => (await fork.turns({ order: "desc" })).items[0]?.status, settled).toBe("ended");
    await fork.send("pay");
    expect(world.paid.length).toBe(paidBefore);
    expect(await audited()).toContain("forkSession");
    // The other choice runs tools again.
    await page.goto(`${world.url}/inspector/sessions/${session.id}?at=${payOffset - 1}`);
    await page.getByRole("button", { name: /^Fork here/ }).click();
    await page.getByLabel("Run again").check();
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    await page.waitForURL((address) => !address.pathname.endsWith(session.id));
    const again = await world.runtime.sessions.get(new URL(page.url()).pathname.split("/").at(-1) ?? "");
    await again.send("pay");
    expect(world.paid.length).toBe(paidBefore + 1);
    expect(watched.faults).toEqual([]);
  });

  test("saves a bundle, masked or whole", async () => {
    const session = await world.talk("ada", "secret-canary");
    const { page } = await open(session);
    const save = async (label: string): Promise<string> => {
      await page.keyboard.press("E");
      await page.getByLabel(label).check();
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save file" }).click()]);
      expect(download.suggestedFilename()).toContain(session.id);
      const pieces = await Array.fromAsync(await download.createReadStream(), String);
      await expect.poll(() => page.getByRole("dialog").count(), settled).toBe(0);
      return pieces.join("");
    };
    const masked = await save("Mask all texts");
    expect(masked).not.toContain("secret-canary");
    const whole = await save("Keep all texts");
    expect(whole).toContain("secret-canary");
    const answered = (await world.request("GET", `/v1/sessions/${session.id}/export`)).text;
    expect(whole.split("\n").length).toBe(answered.split("\n").length);
    expect(await audited()).toContain("exportSession");
  });
});

describe.skipIf(browser === undefined)("the state and the prompt", () => {
  let world: ActionWorld;
  beforeAll(async () => {
    world = await startActions();
  });
  afterAll(() => world.close());
  const open = async (session: Session, query = ""): Promise<Page> => {
    const { page, context, faults } = await watchedPage(browser!, world.url, { permissions: ["clipboard-read", "clipboard-write"] });
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    await page.goto(`${world.url}/inspector/sessions/${session.id}${query}`);
    await page.locator("#composer").waitFor();
    return page;
  };
  const stateOf = async (session: Session): Promise<unknown> => (await session.state()).document;

  test("edits the state by a form: nothing is applied before its diff was shown", async () => {
    const session = await world.talk("ada", "hello");
    await session.edit({ profile: { city: "Turin", pets: [{ name: "Tom", kind: "cat" }] }, nickname: "Countess", tags: ["old"] });
    const page = await open(session);
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Edit state" });
    const field = (name: string): Locator => dialog.getByRole("region", { name, exact: true });
    await field("topic").getByLabel("topic").last().fill("<b>weather</b>");
    await field("count").getByLabel("Add to count").fill("4");
    await field("mood").getByRole("button", { name: "Add mood" }).click();
    await field("mood").locator("select").selectOption("glad");
    await field("nickname").getByLabel("nickname is null").check();
    await field("vip").getByRole("button", { name: "Add vip" }).click();
    await field("vip").getByRole("checkbox").check();
    await field("tags").getByRole("button", { name: "Add an item to Items for tags" }).click();
    await field("tags").getByRole("textbox").fill("new");
    const profile = field("profile");
    await profile.getByLabel("city").fill("Milan");
    await profile.getByRole("button", { name: "Add age" }).click();
    await profile.getByLabel("age", { exact: true }).fill("36");
    await profile.getByRole("button", { name: "Add an item to pets" }).click();
    await profile.getByLabel("name").nth(1).fill("Rex");
    await profile.getByLabel("kind").nth(1).selectOption("dog");
    // What the form cannot show is written as JSON.
    await field("extra").getByRole("button", { name: "Add extra" }).click();
    await field("extra").getByRole("textbox").fill("{");
    await field("extra").getByText("This is not JSON.").waitFor();
    expect(await dialog.getByRole("button", { name: "Preview" }).isDisabled()).toBe(true);
    await field("extra").getByRole("textbox").fill('{"seats": 2}');
    const before = await stateOf(session);
    await dialog.getByRole("button", { name: "Preview" }).click();
    const diff = dialog.getByRole("region", { name: "What the edit would change" });
    await diff.getByText("<b>weather</b>").waitFor();
    expect(await stateOf(session)).toEqual(before);
    expect(await diff.locator(".path").allInnerTexts()).toEqual(
      expect.arrayContaining(["/topic", "/count", "/mood", "/nickname", "/vip", "/tags/1"]),
    );
    await dialog.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => page.getByRole("dialog").count(), settled).toBe(0);
    expect(await stateOf(session)).toEqual({
      ...{ topic: "<b>weather</b>", count: 5, mood: "glad", nickname: null, vip: true, tags: ["old", "new"], extra: { seats: 2 } },
      profile: {
        ...{ city: "Milan", age: 36 },
        pets: [
          { name: "Tom", kind: "cat" },
          { name: "Rex", kind: "dog" },
        ],
      },
    });
    expect(await auditedOperations(world)).toEqual(expect.arrayContaining(["previewState", "editState"]));
  });

  test("says what an edit would be refused for, and that somebody was faster", async () => {
    const session = await world.talk("ada", "hello");
    await session.edit({ profile: { city: "Turin", pets: [] } });
    const page = await open(session);
    await page.getByRole("button", { name: /^Edit state/ }).click();
    const dialog = page.getByRole("dialog", { name: "Edit state" });
    const profile = dialog.getByRole("region", { name: "profile", exact: true });
    await profile.getByRole("button", { name: "As JSON" }).click();
    await profile.getByRole("textbox").fill('{"city": 5, "pets": []}');
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("state.invalid_value").waitFor();
    expect(await dialog.getByRole("button", { name: "Apply" }).count()).toBe(0);
    await profile.getByRole("textbox").fill('{"city": "Rome", "pets": []}');
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByRole("button", { name: "Apply" }).waitFor();
    const { offset } = await session.edit({ topic: "by another" });
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText(`Somebody changed the state at #${offset}, after your preview.`).waitFor();
    expect(await stateOf(session)).toMatchObject({ topic: "by another", profile: { city: "Turin" } });
    expect(await profile.getByRole("textbox").inputValue()).toContain("Rome");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => stateOf(session), settled).toMatchObject({ topic: "by another", profile: { city: "Rome" } });
  });

  test("copies a prompt as a command and as a fixture, without a key", async () => {
    const session = await world.talk("ada", "it's <b>here</b> $HOME `id`");
    const page = await open(session, "?tab=prompt");
    const copied = async (name: string): Promise<string> => {
      await page.getByRole("button", { name }).click();
      await page.getByText("Copied").waitFor();
      await page.getByRole("button", { name }).waitFor();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    const command = await copied("Copy as curl");
    // The shell itself says what curl would send.
    const shown = spawnSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; cat; }\n${command}`], {
      encoding: "utf8",
      env: { MODEL_URL: "http://127.0.0.1:9/v1", MODEL_KEY: "canary-key", PATH: process.env["PATH"] ?? "" },
    });
    expect(shown.stderr).toBe("");
    expect(shown.stdout.split("\n", 1)).toEqual(["http://127.0.0.1:9/v1/chat/completions"]);
    const sent = JSON.parse(shown.stdout.slice(shown.stdout.indexOf("\n{"))) as {
      readonly messages: readonly { readonly role: string; readonly content: string }[];
      readonly tools: readonly { readonly function: { readonly name: string } }[];
    };
    expect(sent.messages.at(-1)).toEqual({ role: "user", content: "it's <b>here</b> $HOME `id`" });
    expect(sent.tools.map((tool) => tool.function.name)).toEqual(["pay", "wire", "book"]);
    expect(command).toContain("Bearer $MODEL_KEY");
    expect(command).not.toContain(world.url);
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command palette" }).fill("prompt as curl");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate<string>("navigator.clipboard.readText()"), settled).toBe(command);
    const fixture = await copied("Copy as test fixture");
    const folder = mkdtempSync(join(root, "node_modules/.cache/fixture-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "fixture.ts"), fixture);
    const { model, request } = (await import(join(folder, "fixture.ts"))) as { readonly model: ScriptedModel; readonly request: ModelRequest };
    const parts = await Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
    expect(parts[0]).toEqual({ type: "text_delta", text: "You said it's <b>here</b> $HOME `id`." });
    expect(request.messages.at(-1)?.text).toBe("it's <b>here</b> $HOME `id`");
  });
});

describe.skipIf(browser === undefined)("actions that may not be done", () => {
  const start = async (): Promise<ActionWorld> => {
    const world = await startActions();
    onTestFinished(() => world.close());
    return world;
  };

  test("are shown with the scope that they need, and with what the service said", async () => {
    const world = await start();
    const session = await world.talk("ada", "hello");
    const { key } = await createKey(world.store, { name: "reader", scopes: ["sessions:read"] });
    const { page, context, faults } = await watchedPage(browser!, world.url);
    onTestFinished(() => context.close());
    await context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    await page.goto(`${world.url}/inspector/sessions/${session.id}`);
    await page.locator("#composer").fill("hello?");
    await page.keyboard.press("Control+Enter");
    await page.getByText("The key lacks the scope sessions:write, which this needs.").first().waitFor();
    await page.getByText("auth.forbidden").first().waitFor();
    expect(await page.locator("#composer").inputValue()).toBe("hello?");
    expect(await page.getByRole("button", { name: /^Send/ }).last().isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: /^Fork here/ }).isDisabled()).toBe(true);
    await page.locator("#composer").blur();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("fork");
    const entry = page.getByRole("option", { name: /Fork here/ });
    expect(await entry.getAttribute("aria-disabled")).toBe("true");
    expect(await entry.innerText()).toContain("The key lacks the scope sessions:write");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("export");
    expect(await page.getByRole("option", { name: /Export/ }).innerText()).toMatch(/Export\s+export/);
    expect(faults).toEqual([]);
  });

  test("has no serious fault, in both themes and all widths, with dialogs", async () => {
    const world = await start();
    const session = await world.talk("ada", "pay", "hello");
    const waiting = await world.talk("grace");
    await waiting.send("wire");
    expect(
      await qualityFaults(browser!, world.url, [
        { path: `sessions/${session.id}`, ready: ".action-bar .button" },
        { path: `sessions/${waiting.id}?tab=tools`, ready: ".tab-panel .pending-calls" },
        ...["f", "W", "h", "E"].map((key) => ({
          path: `sessions/${session.id}?at=2`,
          ready: '.action-bar button:has-text("Take back")',
          press: key,
          shows: "dialog .dialog-tools",
        })),
        { path: `sessions/${session.id}`, ready: ".action-bar .button", press: "e", shows: "dialog .edited" },
        { path: `sessions/${waiting.id}`, ready: ".pending-calls", press: "x", shows: "dialog .dialog-tools" },
        { path: `sessions/${waiting.id}`, ready: ".pending-calls", press: "a", shows: "dialog .dialog-tools" },
        { path: `sessions/${waiting.id}`, ready: ".pending-calls", press: "h", shows: "dialog .effects" },
      ]),
    ).toEqual([]);
  });
});
