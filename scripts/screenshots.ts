/** `npm run docs:screenshots` takes the pictures of the inspector for the docs, of a real service in Chromium. The names of pictures select some. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startBrowser } from "../test/setup/browser.ts";
import { root } from "./root.ts";
import { type PictureService, startPictureService } from "./screenshots/conversations.ts";
import { firstMoment } from "./screenshots/picture-clock.ts";
import { fileOf, mostBytes, type Picture, pictures, type Theme, themes } from "./screenshots/picture-list.ts";

const target = join(root, "docs/pictures/inspector");
const wanted = process.argv.slice(2);
const size = { width: 1120, height: 680 };
/** The parts of the picture of the killed process: the chat, and the inspector afterwards. */
const [chatWidth, inspectorWidth] = [360, 960];

const started = await startBrowser();
if (typeof started === "string") throw new Error(started);
const browser = started;

async function newPage(theme: Theme, now: number, width = size.width): Promise<Page> {
  const viewport = { ...size, width };
  const context = await browser.newContext({ colorScheme: theme, viewport, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce" });
  await context.addInitScript(`localStorage.setItem("throughline.operator", "Kim")`);
  const page = await context.newPage();
  await page.clock.setFixedTime(now);
  return page;
}

/** What the chat shows after its process was killed, by theme. */
const killedChat = new Map<Theme, Buffer>();

async function lookAtKill(chat: string, kill: () => Promise<void>): Promise<void> {
  const pages = await Promise.all(themes.map(async (theme) => [theme, await newPage(theme, firstMoment, chatWidth)] as const));
  for (const [, page] of pages) {
    await page.goto(chat);
    await page.locator("article.agent", { hasText: "12 Hill Road." }).waitFor();
  }
  await kill();
  for (const [theme, page] of pages) {
    await page.getByText("The service cannot be reached.").waitFor();
    killedChat.set(theme, await page.screenshot());
    await page.context().close();
  }
}

/** Puts the chat whose process was killed beside what the inspector shows afterwards. */
async function besideKilled(theme: Theme, after: Buffer): Promise<Buffer> {
  const part = (text: string, picture: Buffer | undefined): string =>
    `<figure><figcaption>${text}</figcaption><img src="data:image/png;base64,${picture?.toString("base64") ?? ""}"></figure>`;
  const colors = theme === "light" ? "background: #e2e2dd; color: #1b1c1e" : "background: #2d3035; color: #e9e9e6";
  const page = await newPage(theme, firstMoment, chatWidth + inspectorWidth + 36);
  await page.setViewportSize({ width: chatWidth + inspectorWidth + 36, height: size.height + 48 });
  await page.setContent(
    `<style>body { display: flex; gap: 12px; margin: 0 12px; ${colors}; font: 600 15px/36px system-ui, sans-serif } figure { margin: 0 } img { display: block }</style>` +
      part("1. Killed with kill -9 in mid-reply", killedChat.get(theme)) +
      part("2. The next process has finished the turn, and changed each field once", after),
  );
  const picture = await page.screenshot();
  await page.context().close();
  return picture;
}

async function take({ name, path, ready, prepare, afterKill }: Picture, theme: Theme, service: PictureService): Promise<void> {
  const page = await newPage(theme, service.now(), afterKill === true ? inspectorWidth : size.width);
  await page.goto(`${service.url}${path(service.conversations)}`);
  await page.locator(ready).first().waitFor();
  await prepare?.(page);
  // The page follows the log to its end.
  await page.waitForTimeout(300);
  const taken = await page.screenshot();
  await page.context().close();
  const picture = afterKill === true ? await besideKilled(theme, taken) : taken;
  const file = fileOf(name, theme);
  if (picture.length > mostBytes) throw new Error(`${file} has ${picture.length} bytes, more than ${mostBytes}.`);
  writeFileSync(join(target, file), picture);
  console.log(`${file}: ${picture.length} bytes`);
}

const folder = mkdtempSync(join(tmpdir(), "throughline-pictures-"));
const service = await startPictureService(folder, lookAtKill);
mkdirSync(target, { recursive: true });
try {
  const due = wanted.length === 0 ? pictures : pictures.filter(({ name }) => wanted.includes(name));
  for (const theme of themes) for (const picture of due) await take(picture, theme, service);
} finally {
  await service.close();
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
