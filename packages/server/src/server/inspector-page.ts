/** Serves the page of the inspector. Its files need no key; the requests that the page sends do. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Hono } from "hono";
import { z } from "zod";
import { ThroughlineError } from "throughline/kernel";
import type { Environment } from "./app.ts";
import { checkLocal } from "./auth/access.ts";
import type { InspectorLink } from "./inspector-link.ts";
import { readBody } from "./request-call.ts";

const base = "/inspector/";
/** The customer chat. Its other files are those of the inspector. */
const chatPath = "/demo/";
const chatFile = "chat.html";

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors";

/** Headers of the inspector, which only the chat may frame, and of the chat. */
const headersOf = {
  inspector: { "content-security-policy": `${policy} 'none'` },
  framed: { "content-security-policy": `${policy} 'self'`, "x-frame-options": "SAMEORIGIN" },
  chat: { "content-security-policy": `${policy} 'none'; frame-src 'self'` },
} as const;

/** A file of the page. */
interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Paths of screens, which all load the page. Names of files have a dot. */
const screenPath = /^[^.]*$/;
/** The most bytes of an exchange. */
const exchangeBytes = 1024;
const exchange = z.strictObject({ token: z.string().max(200) });

interface InspectorPageOptions {
  readonly link?: Pick<InspectorLink, "exchange">;
  /** Also serves the customer chat, which shows the inspector beside it. */
  readonly chat: boolean;
}

/** Serves the inspector at `/inspector/`, and exchanges the token of a link. */
export function addInspectorPage(app: Hono<Environment>, { link, chat }: InspectorPageOptions): void {
  let loading: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const files = async (): Promise<ReadonlyMap<string, PageFile>> => {
    loading ??= loadPage();
    try {
      return await loading;
    } catch (error) {
      // The next request tries again.
      loading = undefined;
      throw error;
    }
  };
  const missing = (path: string): ThroughlineError => new ThroughlineError("request.not_found", `There is nothing at ${path.slice(0, 200)}.`);
  app.get("/inspector", (context) => context.redirect(base, 308));
  app.post(`${base}key`, async (context) => {
    context.set("route", `${base}key`);
    if (link === undefined) throw missing(context.req.path);
    checkLocal(context.req.raw, new Set());
    const body = await readBody(context.req.raw, exchangeBytes);
    const { data } = exchange.safeParse(parsed(body));
    const key = data === undefined ? undefined : link.exchange(data.token);
    if (key === undefined) throw new ThroughlineError("auth.invalid", "The link was used already, or it has expired.");
    return context.json({ key }, 201, { "cache-control": "no-store" });
  });
  app.get(`${base}*`, async (context) => {
    context.set("route", `${base}*`);
    const name = context.req.path.slice(base.length);
    const found = name === chatFile ? undefined : (await files()).get(screenPath.test(name) ? "index.html" : name);
    if (found === undefined) throw missing(context.req.path);
    const cache = name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return respond(found, { ...headersOf[chat ? "framed" : "inspector"], "cache-control": cache });
  });
  if (!chat) return;
  app.get(chatPath.slice(0, -1), (context) => context.redirect(chatPath, 308));
  app.get(chatPath, async (context) => {
    context.set("route", chatPath);
    const found = (await files()).get(chatFile);
    if (found === undefined) throw missing(context.req.path);
    return respond(found, { ...headersOf.chat, "cache-control": "no-cache" });
  });
}

const respond = ({ bytes, type }: PageFile, headers: Readonly<Record<string, string>>): Response =>
  new Response(bytes, { headers: { ...headers, "content-type": type } });

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Reads all files of the page. */
async function loadPage(): Promise<ReadonlyMap<string, PageFile>> {
  const folder = await pageFolder();
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }): Promise<readonly [string, PageFile]> => {
      const path = join(parentPath, name);
      const type = mediaTypes[extname(name)] ?? "application/octet-stream";
      return [path.slice(folder.length + 1).replaceAll("\\", "/"), { bytes: new Uint8Array(await readFile(path)), type }];
    });
  return new Map(await Promise.all(files));
}

/** The folder of the built page: part of the published package; in a checkout, built when it is first needed. */
async function pageFolder(): Promise<string> {
  const home = dirname(createRequire(import.meta.url).resolve("@throughline/inspector/package.json"));
  const built = join(home, "page");
  if (existsSync(built)) return built;
  // A process of its own, because the bundler changes the environment of its process.
  const child = spawn(process.execPath, [join(home, "build-page.ts")], { stdio: ["ignore", "pipe", "pipe"] });
  const exit = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  const [code, output, errors] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  const folder = output.trim().split("\n").at(-1) ?? "";
  if (code !== 0 || folder === "") throw new ThroughlineError("internal", `The page of the inspector was not built: ${errors.trim().slice(-500)}`);
  return folder;
}
