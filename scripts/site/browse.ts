/** Looks at the pages of a built site in Chromium: both themes, two widths. */
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** Serves the files of a folder on this machine. */
async function serveFolder(folder: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname);
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** A finding of axe, as far as it is told. */
interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly target: string;
}

/** What axe finds that is serious, and whether the page is wider than the window. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: axe.source });
  const findings = await page.evaluate<readonly Finding[]>(
    "axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, target: String(nodes[0].target) + ' and ' + (nodes.length - 1) + ' more' })))",
  );
  const wide = await page.evaluate<number>("document.scrollingElement.scrollWidth - innerWidth");
  return [
    ...findings.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, target }) => `${id} at ${target}`),
    ...(wide > 0 ? [`${wide} pixels wider than the window`] : []),
  ];
}

const widths = [390, 1280];
const themes = ["light", "dark"] as const;

/** A window to look through. */
interface View {
  readonly browser: Browser;
  readonly url: string;
  readonly theme: (typeof themes)[number];
  readonly width: number;
}

/** The faults of the pages in one theme and width. */
async function faultsIn({ browser, url, theme, width }: View, pages: readonly string[]): Promise<readonly string[]> {
  const faults: string[] = [];
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  let place = "";
  page.on("pageerror", ({ message }) => faults.push(`${place}: ${message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) faults.push(`${place}: asks ${request.url()}`);
  });
  for (const path of pages) {
    place = `${path} (${theme}, ${width} pixels)`;
    await page.goto(`${url}/${path}`, { waitUntil: "load" });
    faults.push(...(await faultsOf(page)).map((fault) => `${place}: ${fault}`));
  }
  await context.close();
  return faults;
}

/** Returns one line for each fault of the pages: findings of axe, errors of the page, requests to other hosts, and text outside of the window. */
export async function browse(
  browser: Browser,
  { folder, pages }: { readonly folder: string; readonly pages: readonly string[] },
): Promise<readonly string[]> {
  const faults: string[] = [];
  const { url, close } = await serveFolder(folder);
  try {
    for (const theme of themes) {
      for (const width of widths) faults.push(...(await faultsIn({ browser, url, theme, width }, pages)));
    }
    faults.push(...(await searchFaults(browser, url)));
  } finally {
    close();
  }
  return faults;
}

/** Whether the search finds a page. */
async function searchFaults(browser: Browser, url: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    await page.goto(`${url}/`, { waitUntil: "load" });
    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").fill("idempotency key");
    await page.locator(".VPLocalSearchBox .result").first().waitFor({ timeout: 20_000 });
    return [];
  } catch (error) {
    return [`The search finds nothing: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await page.close();
  }
}
