/** Chromium, driven over its DevTools protocol: no package is needed for that. */
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where Chromium is: the variable `CHROMIUM` says, or it is on the path; undefined if there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM: named, PATH: path = "" } = process.env;
  if (named !== undefined) return named;
  return path
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isProgram);
}

/** What the browser answers, or tells of by itself. */
interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A page in a browser of its own. */
export interface BrowserPage {
  /** What an expression comes to, promises included; throws what it throws. */
  evaluate(expression: string): Promise<unknown>;
  /** Everything that went wrong in the page so far: exceptions, and what its policy has refused. */
  readonly faults: readonly string[];
}

/** The address that the browser is told by, from what it says when it starts. */
function addressOf(said: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    said.on("data", (bytes: Buffer) => {
      text += bytes.toString();
      const [, address] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    said.on("end", () => reject(new Error(`Chromium did not start: ${text}`)));
  });
}

/** Opens a page; the browser ends with the test. */
export async function openPage(program: string, url: string): Promise<BrowserPage> {
  const profile = mkdtempSync(join(tmpdir(), "throughline-chromium-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const child = spawn(program, [...flags, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const socket = new WebSocket(await addressOf(child.stderr));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("Chromium cannot be told anything.")));
  });
  const faults: string[] = [];
  const waiting = new Map<number, (told: Told) => void>();
  socket.addEventListener("message", ({ data }) => {
    const told = JSON.parse(String(data)) as Told;
    if (told.id !== undefined) waiting.get(told.id)?.(told);
    else if (told.method === "Runtime.exceptionThrown" || told.method === "Audits.issueAdded") faults.push(JSON.stringify(told.params));
  });
  let last = 0;
  const tell = async (method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> => {
    const id = ++last;
    const answer = new Promise<Told>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    const { error, result } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as Record<string, unknown>;
  };
  const { targetId } = await tell("Target.createTarget", { url: "about:blank" });
  const { sessionId } = (await tell("Target.attachToTarget", { targetId, flatten: true })) as { readonly sessionId: string };
  for (const domain of ["Page", "Runtime", "Audits"]) await tell(`${domain}.enable`, {}, sessionId);
  await tell("Page.navigate", { url }, sessionId);
  return {
    faults,
    evaluate: async (expression) => {
      const params = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = (await tell("Runtime.evaluate", params, sessionId)) as {
        readonly result: { readonly value?: unknown };
        readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
      };
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? "The page threw.");
      return result.value;
    },
  };
}
