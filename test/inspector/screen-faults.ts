/** What holds for a screen of the inspector: nothing that axe finds in either theme, and no overflow at any width. Screenshots on demand. */
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import type { TestServer } from "../setup/server.ts";
import { watchedPage } from "./inspector-world.ts";

/** A view of a screen. */
export interface View {
  readonly path: string;
  /** What is there when the view is complete. */
  readonly ready: string;
  /** A key that is pressed then, and what is there afterwards. */
  readonly press?: string;
  readonly shows?: string;
}

/** The folder for screenshots of the views; none if unset. */
const { THROUGHLINE_SCREENSHOTS: folder } = process.env;

const sizes = (["light", "dark"] as const).flatMap((colorScheme) => [320, 390, 1280].map((width) => ({ colorScheme, width })));

/** Looks at views in both themes and three widths, and returns every fault. */
export async function qualityFaults(
  browser: Browser,
  url: string,
  views: readonly View[],
  { key }: { readonly key?: string } = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { colorScheme, width } of sizes) {
    const { page, context, faults } = await watchedPage(browser, url, { colorScheme, bypassCSP: true, viewport: { width, height: 800 } });
    await context.addInitScript(`localStorage.setItem("throughline.operator", "Kim")`);
    if (key !== undefined) await context.addInitScript(`sessionStorage.setItem("throughline.key", ${JSON.stringify(key)})`);
    for (const [index, { path, ready, press, shows }] of views.entries()) {
      await page.goto(`${url}/inspector/${path}`);
      await page.locator(ready).first().waitFor();
      if (press !== undefined) await page.keyboard.press(press);
      if (shows !== undefined) await page.locator(shows).first().waitFor();
      const own = [...(await tooWide(page, width)), ...(width === 390 ? [] : await violations(page))];
      found.push(...own.map((text) => `${path} ${press ?? ""} at ${width}, ${colorScheme}: ${text}`));
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${index}-${width}-${colorScheme}.png`) });
    }
    found.push(...faults);
    await context.close();
  }
  return found;
}

async function tooWide(page: Page, width: number): Promise<readonly string[]> {
  const wide = await page.evaluate<number>("document.scrollingElement.scrollWidth");
  return wide > width ? [`is ${wide} wide`] : [];
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: axe.source });
  return page.evaluate<readonly string[]>(
    "axe.run().then(({ violations }) => violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html, any }) => `${impact} ${id} ${html.slice(0, 120)} ${any[0]?.message ?? ''}`)))",
  );
}

/** The operations of the audit log, newest first. */
export async function auditedOperations({ request }: TestServer): Promise<readonly string[]> {
  const answer = await request("GET", "/v1/audit?limit=100");
  const body = answer.body as { readonly items: readonly { readonly operation: string }[] };
  return body.items.map(({ operation }) => operation);
}
