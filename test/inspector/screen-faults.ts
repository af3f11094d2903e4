/** What holds for a screen of the inspector: nothing that axe finds in either theme, and no overflow at any width. Screenshots on demand. */
import axe from "axe-core";
import type { Browser } from "playwright-core";
import type { TestServer } from "../setup/server.ts";
import { watchedPage } from "./inspector-world.ts";

/** A view of a screen. */
export interface View {
  readonly path: string;
  /** What is there when the view is complete. */
  readonly ready: string;
}

/** The folder for screenshots of the views; none if unset. */
const { THROUGHLINE_SCREENSHOTS: folder } = process.env;

/** Looks at views in both themes and three widths, and returns every fault. */
export async function qualityFaults(browser: Browser, url: string, views: readonly View[], operator = "Kim"): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [320, 390, 1280]) {
      const { page, context, faults } = await watchedPage(browser, url, { colorScheme, bypassCSP: true, viewport: { width, height: 800 } });
      await context.addInitScript(`localStorage.setItem("throughline.operator", ${JSON.stringify(operator)})`);
      for (const [index, { path, ready }] of views.entries()) {
        const name = `${path} at ${width}, ${colorScheme}`;
        await page.goto(`${url}/inspector/${path}`);
        await page.locator(ready).first().waitFor();
        const wide = await page.evaluate<number>("document.scrollingElement.scrollWidth");
        if (wide > width) found.push(`${name}: is ${wide} wide`);
        if (width !== 390) {
          await page.addScriptTag({ content: axe.source });
          const violations = await page.evaluate<readonly string[]>(
            "axe.run().then(({ violations }) => violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html, any }) => `${impact} ${id} ${html.slice(0, 120)} ${any[0]?.message ?? ''}`)))",
          );
          found.push(...violations.map((text) => `${name}: ${text}`));
        }
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/${path.replaceAll(/[^a-z]+/g, "-")}-${index}-${width}-${colorScheme}.png` });
      }
      found.push(...faults);
      await context.close();
    }
  }
  return found;
}

/** The operations of the audit log, newest last. */
export async function auditedOperations({ request }: TestServer): Promise<readonly string[]> {
  const { body } = await request("GET", "/v1/audit?limit=100");
  const { items } = body as { readonly items: readonly { readonly operation: string }[] };
  return items.map(({ operation }) => operation);
}
