/** Serves the example page and the client modules that it uses to a browser. The page loads nothing from other hosts, and no other file is served. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Hono } from "hono";
import { ThroughlineError } from "throughline/kernel";
import type { Environment } from "./app.ts";

const page = new URL("../../chat-page/", import.meta.url);
/** The modules of the client, wherever it is installed. */
const source = new URL("./", pathToFileURL(createRequire(import.meta.url).resolve("@throughline/client")));

/** The files of the page by name. Other files in the folder are not served. */
const files: Readonly<Record<string, string>> = {
  "": "index.html",
  "chat.css": "chat.css",
  "chat.js": "chat.js",
  "view.js": "view.js",
};
/** Matches a client module: compiled in the package, TypeScript source in the repository. */
const clientModule = /^client\/src\/[a-z]+(?:-[a-z]+)*\.(?:js|ts)$/;

const mediaTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-cache",
};

/** Serves the example page at `/demo/`. */
export function addDemoPage(app: Hono<Environment>): void {
  app.get("/demo", (context) => context.redirect("/demo/", 308));
  app.get("/demo/*", async (context) => {
    context.set("route", "/demo/*");
    const name = context.req.path.slice("/demo/".length);
    const found = await fileOf(name);
    if (found === undefined) throw new ThroughlineError("request.not_found", `There is nothing at ${context.req.path.slice(0, 200)}.`);
    return new Response(found.text, { headers: { ...headers, "content-type": mediaTypes[found.type] ?? "text/plain" } });
  });
}

async function fileOf(name: string): Promise<{ readonly text: string; readonly type: string } | undefined> {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file !== undefined) return { text: await readFile(new URL(file, page), "utf8"), type: file.slice(file.lastIndexOf(".") + 1) };
  const text = clientModule.test(name) ? await moduleText(name) : undefined;
  return text === undefined ? undefined : { text, type: "js" };
}

async function moduleText(name: string): Promise<string | undefined> {
  const stem = name.slice("client/src/".length, -".js".length);
  const compiled = await readFile(new URL(`${stem}.js`, source), "utf8").catch(() => undefined);
  if (compiled !== undefined) return compiled;
  const written = await readFile(new URL(`${stem}.ts`, source), "utf8").catch(() => undefined);
  return written === undefined ? undefined : withoutTypes(written);
}

/** Removes types from a module. Node warns about this experimental function. The operator cannot act on the warning, so it is suppressed. */
async function withoutTypes(text: string): Promise<string> {
  // Only a checkout has the client unbuilt. Other runtimes than Node do not have this function.
  const { stripTypeScriptTypes } = await import("node:module");
  const warner: { emitWarning: (...warning: never) => void } = process;
  const { emitWarning } = warner;
  warner.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    warner.emitWarning = emitWarning;
  }
}
