/** The import of a bundle in the inspector: what Export saves, and files that are something else. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startBrowser } from "../setup/browser.ts";
import { hangMs } from "../setup/limits.ts";
import { bundleWith } from "../setup/sample-requests.ts";
import { databases } from "../setup/server.ts";
import { type InspectorWorld, startInspected, type Watched, watchedPage } from "./inspector-world.ts";
import { auditedOperations, qualityFaults } from "./screen-faults.ts";

const started = await startBrowser();
const browser: Browser | undefined = typeof started === "string" ? undefined : started;
if (typeof started === "string") console.log(`The inspector is not looked at: ${started}`);
afterAll(() => browser?.close());

const settled = { timeout: hangMs / 3, interval: 20 };
const hostile = `<img src=x onerror=alert(1)> \u202E${"x".repeat(150)}`;
const file = (text: string) => ({ name: "session.jsonl", mimeType: "application/x-ndjson", buffer: Buffer.from(text) });

describe.skipIf(browser === undefined).each(databases)("the import of a bundle on %s", (database) => {
  let world: InspectorWorld;
  beforeAll(async () => {
    world = await startInspected(database);
  });
  afterAll(() => world.close());
  const open = async (path: string, of = world): Promise<Watched> => {
    const watched = await watchedPage(browser!, of.url);
    onTestFinished(async () => {
      await watched.context.close();
      expect(watched.faults).toEqual([]);
    });
    await watched.page.goto(`${of.url}/inspector/${path}`);
    return watched;
  };

  test("takes the file that Export has saved, shows what it holds, and opens the session", async () => {
    const source = await startInspected();
    onTestFinished(() => source.close());
    const session = await source.talk("ada", hostile, "weather");
    await session.setTitle(hostile);
    const { page: saving } = await open(`sessions/${session.id}`, source);
    await saving.locator("#composer").waitFor();
    await saving.keyboard.press("E");
    await saving.getByLabel("Keep all texts").check();
    const [download] = await Promise.all([saving.waitForEvent("download"), saving.getByRole("button", { name: "Save file" }).click()]);
    const saved = (await Array.fromAsync(await download.createReadStream(), String)).join("");

    const { page } = await open("");
    await page.getByRole("button", { name: "Import a bundle" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command palette" }).fill("import a bundle");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const submit = dialog.getByRole("button", { name: "Import", exact: true });
    await submit.waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel("File of an export").setInputFiles(file(saved));
    const holds = dialog.getByRole("region", { name: "What the bundle holds" });
    await holds.waitFor();
    const { head } = await session.info();
    expect(await holds.innerText()).toMatch(new RegExp(`ada[^]*Sessions\\s*1\\s*Events\\s*${head + 1}[^]*${head + 1} events[^]*is added to them`));
    expect(await holds.locator("li bdi").first().innerText()).toContain("<img src=x onerror=alert(1)>");
    await submit.click();
    await page.waitForURL(/\/sessions\/ses_[0-9a-z]{26}$/);
    const [imported] = (await world.runtime.sessions.list({ customer: "ada" })).items;
    expect(page.url()).toBe(`${world.url}/inspector/sessions/${imported?.id}`);
    expect([imported?.customer_id, imported?.head, imported?.title]).toEqual(["ada", head, hostile]);
    await expect.poll(() => page.locator(".entry.message.user .long-text").allInnerTexts(), settled).toEqual([hostile, "weather"]);
    expect(await auditedOperations(world)).toContain("importBundle");
  });

  test("says in plain words why a file is refused: by the page before it is sent, or by the service", async () => {
    const { page, requests } = await open("");
    await page.getByRole("button", { name: "Import a bundle" }).click();
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel("File of an export");
    await field.waitFor();
    const bundle = bundleWith("Nights");
    for (const [text, reason] of [
      ["a picture", "The file is not an export of sessions. Choose a file that Export has saved."],
      [bundle.slice(0, -20), "Line 5 of the file is damaged. Export the session again."],
      [
        bundle.replace('"redacted":false', '"redacted":true'),
        "All texts of this export are masked, so it cannot be imported. Export again with all texts.",
      ],
    ] as const) {
      await field.setInputFiles(file(text));
      await dialog.getByText(reason, { exact: true }).waitFor();
      expect(await dialog.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true);
    }
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual([]);
    const { total } = await world.runtime.sessions.list({});
    await field.setInputFiles(file(bundle.replace("Nights", "Nightz")));
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.locator(".failure code", { hasText: "bundle.invalid" }).waitFor();
    expect(await dialog.locator(".failure").innerText()).toContain("the bundle was changed");
    // A file that is larger than a request.
    await field.setInputFiles(file(bundleWith("x".repeat(1_200_000))));
    await dialog.getByRole("region", { name: "What the bundle holds" }).waitFor();
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.locator(".failure code", { hasText: "request.too_large" }).waitFor();
    expect((await world.runtime.sessions.list({})).total).toBe(total);
    // Several sessions at once stay in the list.
    await field.setInputFiles(file(bundleWith("Several", { customer: "grace", sessions: 12 })));
    await dialog.getByText("2 more sessions.").waitFor();
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await expect.poll(() => page.getByRole("dialog").count(), settled).toBe(0);
    expect((await world.runtime.sessions.list({ customer: "grace" })).total).toBe(12);
    expect(new URL(page.url()).pathname).toBe("/inspector/");
  });
});

test.skipIf(browser === undefined)("the dialog of an import has no serious fault, and names the scope that a key lacks", async () => {
  const world = await startInspected();
  onTestFinished(() => world.close());
  await world.talk("ada", "hello");
  const view = { path: "", ready: "#sessions .rows .row", press: "i", shows: "dialog .dialog-tools" };
  expect(await qualityFaults(browser!, world.url, [view])).toEqual([]);
  const { key } = await createKey(world.store, { name: "reader", scopes: ["sessions:read", "export"] });
  const { page, context, faults } = await watchedPage(browser!, world.url);
  onTestFinished(() => context.close());
  await context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
  await page.goto(`${world.url}/inspector/`);
  await page.locator("#sessions .rows .row").waitFor();
  await page.keyboard.press("i");
  await page.getByLabel("File of an export").setInputFiles(file(bundleWith("Nights")));
  await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("dialog").getByText("The key lacks the scope admin, which this needs.").first().waitFor();
  expect(faults).toEqual([]);
});
