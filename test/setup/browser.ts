/** Chromium for tests: the one that comes with `npm ci`, or one that is installed; without either, the tests that need one are skipped with a reason. */
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as driver } from "playwright-core";
import { rolldown } from "rolldown";
import { findChromium } from "../interop/chromium.ts";

/** Arguments that make the packaged browser one process or a lax one. Tests want neither. */
const unwanted = /^--(single-process|no-zygote|headless|disable-web-security|allow-running-insecure-content|disable-site-isolation-trials)\b/;

/** Starts Chromium, or says why there is none. */
export async function startBrowser(): Promise<Browser | string> {
  const reasons: string[] = [];
  const tries = [
    async () => ({ executablePath: await chromium.executablePath(), args: chromium.args.filter((arg) => !unwanted.test(arg)) }),
    async () => ({ executablePath: findChromium() ?? "", args: ["--no-sandbox", "--disable-gpu"] }),
  ];
  for (const options of tries) {
    try {
      return await driver.launch({ ...(await options()), headless: true });
    } catch (error) {
      reasons.push(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error));
    }
  }
  return `No Chromium starts here: ${reasons.join("; ")}`;
}

/** Bundles a module for browsers, as a program does that is built for production. */
export async function bundleFor(input: string, external: readonly string[] = []): Promise<string> {
  const bundle = await rolldown({
    ...{ input, platform: "browser", external: [...external] },
    // Packages for server components mark their modules for those.
    onLog: (level, log, report) => {
      if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
    },
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.generate({ format: "es", minify: true });
  await bundle.close();
  return output[0].code;
}
