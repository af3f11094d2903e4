/** Tools of an MCP server that is a process. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connectMcp, type McpOptions, type McpServer } from "../../../packages/throughline/src/mcp.ts";
import { calling, callsIn, conversation } from "../../runtime/loop/harness.ts";
import { collect } from "../../runtime/harness.ts";
import { callOf, newLog, toolOf } from "./calling.ts";

const program = fileURLToPath(new URL("notes-server.ts", import.meta.url));
const notes = (log: string, options?: McpOptions): Promise<McpServer> =>
  connectMcp({ command: process.execPath, args: [program, log], env: { NOTES_FOLDER: "notes" } }, options);

/** A server of its own for a test. */
async function opened(options?: McpOptions): Promise<{ readonly server: McpServer; readonly log: ReturnType<typeof newLog> }> {
  const log = newLog();
  const server = await notes(log.path, options);
  onTestFinished(() => server.close());
  return { server, log };
}

describe("a server that stays", () => {
  let server: McpServer;
  beforeAll(async () => {
    server = await notes("/dev/null", {
      name: "notes",
      maxCharacters: 1_000,
      tools: {
        search: { inputsFromState: { name: "author" }, outputsToState: { docs: { source: "results" }, total: { source: "count" } } },
        legacy: { outputsToState: { total: { source: "count" } }, effects: "none" },
        cover: { approval: true, timeoutMs: 5_000, name: "show_cover" },
      },
    });
  });
  afterAll(() => server.close());

  test("gives its tools under names that models accept, with what its hints say of their effects", () => {
    const said = Object.fromEntries(server.tools.map(({ name, effects }) => [name, effects]));
    expect(said).toMatchObject({ notes_search: "none", notes_set_title: "idempotent", notes_save: "once", notes_legacy: "none", show_cover: "once" });
    expect(toolOf(server, "notes_set_title").description).toBe("Sets the title");
    expect(toolOf(server, "show_cover")).toMatchObject({ timeoutMs: 5_000, approval: { expiresMs: 86_400_000 } });
    expect(Object.isFrozen(server.tools) && server.tools.every((tool) => Object.isFrozen(tool))).toBe(true);
  });
  test("does not show the model what the state gives (F)", () => {
    const { model, parameters } = toolOf(server, "notes_search");
    expect(model.parameters).toEqual({ type: "object", properties: { query: { type: "string" } }, required: ["query"] });
    expect(parameters).toMatchObject({ required: ["query", "author"] });
  });
  test("is given the state's value, also when the model sends another", async () => {
    const { value, shown } = await callOf(toolOf(server, "notes_search"), { query: "bees", author: "Mallory" }, { state: { name: "Ada" } });
    expect({ value, shown }).toEqual({ value: { results: ["Ada on bees"], count: 1 }, shown: undefined });
  });
  test("has structured results as values, and shows what it says besides", async () => {
    expect(await callOf(toolOf(server, "notes_set_title"), { title: "Bees" })).toEqual({
      value: { title: "Bees" },
      shown: [{ type: "text", text: "Set." }],
    });
  });
  test("names pictures and files, and leaves them out", async () => {
    expect(await callOf(toolOf(server, "show_cover"))).toEqual({
      value: [
        { type: "text", text: "The cover" },
        { type: "image", mime_type: "image/png", bytes: 9 },
        { type: "resource_link", uri: "notes://1", name: "first" },
      ],
      shown: [{ type: "text", text: "The cover\n[image, image/png, 9 bytes, left out]\n[first: notes://1]" }],
    });
  });
  test("cuts texts that are too long, and says so", async () => {
    const { value } = await callOf(toolOf(server, "notes_long"));
    expect(value).toBe(`${"é".repeat(1_000)}… (cut: 5000 characters in all)`);
  });
  test("fails with its own words when it says that it failed", async () => {
    const { error } = await callOf(toolOf(server, "notes_refuse"));
    expect(error?.toJSON()).toMatchObject({ code: "tool.failed", message: "The notebook is locked." });
  });
  test("is started with the variables that it is given, and a few harmless ones", async () => {
    process.env["THROUGHLINE_TEST_SECRET"] = "s";
    onTestFinished(() => void delete process.env["THROUGHLINE_TEST_SECRET"]);
    const { value } = await callOf(toolOf(server, "notes_environment"));
    expect(value).toMatch(/\bNOTES_FOLDER\b.*\bPATH\b/);
    expect(value).not.toContain("THROUGHLINE_TEST_SECRET");
  });
  test("is not disturbed by lines that are no messages", async () => {
    expect(await callOf(toolOf(server, "notes_garbage"))).toEqual({ value: "after garbage" });
    expect(await callOf(toolOf(server, "notes_legacy"))).toEqual({ value: '{"count":7}' });
  });
  test("works in a turn: its results are written to the state, also out of a text", async () => {
    const { session, model } = await conversation(
      (_request, call) => [calling(["notes_search", { query: "bees" }]), calling(["notes_legacy"]), "done"][call] ?? "",
      { loop: { tools: server.tools } },
    );
    await session.edit({ name: "Ada" });
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "done" });
    expect((await session.state()).document).toMatchObject({ docs: ["Ada on bees"], total: 7 });
    expect(JSON.stringify(model.requests)).toContain("Ada on bees");
    expect(callsIn(await collect(session))).toEqual([
      "called notes_search",
      "returned notes_search ok",
      "called notes_legacy",
      "returned notes_legacy ok",
    ]);
  });
});

describe("a server that does not stay", () => {
  test("loses the call in the middle of which it dies, and is started anew for the next one", async () => {
    const { server, log } = await opened();
    const { error } = await callOf(toolOf(server, "die"));
    expect(error).toMatchObject({ code: "tool.lost", kind: "unavailable", message: expect.stringContaining("closed the connection") as string });
    expect(await callOf(toolOf(server, "save"), { note: "n" })).toEqual({ value: 'Saved "n".' });
    expect(log.read()).toEqual(["die", "save n"]);
  });
  test("leaves a call that must not happen twice unknown, and the turn goes on", async () => {
    const { server, log } = await opened();
    const { session } = await conversation((_request, call) => (call === 0 ? calling(["die"]) : "well"), { loop: { tools: server.tools } });
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "well" });
    expect(callsIn(await collect(session))).toEqual(["called die", "returned die unknown"]);
    expect(log.read()).toEqual(["die"]);
  });
  test("is told when a call is given up", async () => {
    const { server, log } = await opened();
    const reason = new Error("enough");
    await expect(callOf(toolOf(server, "hang"), {}, { signal: abortedAfter(50, reason) })).rejects.toBe(reason);
    await expect.poll(() => log.read()).toEqual(["hang was cancelled"]);
    expect(await callOf(toolOf(server, "legacy"))).toMatchObject({ value: '{"count":7}' });
  });
  test("times a call out by itself", async () => {
    const { server } = await opened({ tools: { hang: { timeoutMs: 50 } } });
    const { error } = await callOf(toolOf(server, "hang"));
    expect(error).toMatchObject({ code: "timeout", message: expect.stringContaining("within 50 ms") as string });
  });
  test("is replaced when it hangs and does not even answer a ping", async () => {
    const { server } = await opened({ connectMs: 800 });
    await expect(callOf(toolOf(server, "freeze"), {}, { signal: abortedAfter(50, new Error("enough")) })).rejects.toThrow("enough");
    await expect.poll(async () => (await callOf(toolOf(server, "legacy"))).value).toBe('{"count":7}');
  });
  test("says that its tools have changed, and the tools that are connected stay as they are", async () => {
    let changes = 0;
    const { server } = await opened({ onToolsChanged: () => (changes += 1) });
    const before = server.tools.map(({ name }) => name);
    expect(await callOf(toolOf(server, "grow"))).toEqual({ value: "grown" });
    await expect.poll(() => changes).toBe(1);
    expect(server.tools.map(({ name }) => name)).toEqual(before);
  });
  test("is gone after it was closed, once or twice, and whoever waited for it hears so", async () => {
    const { server } = await opened();
    const waiting = callOf(toolOf(server, "hang"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect((await waiting).error).toMatchObject({ code: "tool.lost" });
    const { error } = await callOf(toolOf(server, "legacy"));
    expect(error).toMatchObject({ code: "tool.unavailable", message: expect.stringContaining("was closed") as string });
  });
});

describe("a server that cannot be connected", () => {
  test("because there is no such program", async () => {
    await expect(connectMcp({ command: "throughline-no-such-program", args: ["--key=secret"] })).rejects.toMatchObject({
      code: "tool.unavailable",
      message: expect.stringMatching(/^Cannot connect the MCP server throughline-no-such-program\. (?!.*secret)/) as string,
    });
  });
  test("because it ends at once, with its last words as the cause", async () => {
    const failing = connectMcp({ command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(3)"] });
    const error = await failing.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "tool.unavailable", cause: { message: "no licence" } });
  });
  test("because it never says anything", async () => {
    const silent = connectMcp({ command: process.execPath, args: ["-e", "process.stdin.resume()"] }, { connectMs: 300 });
    await expect(silent).rejects.toMatchObject({ code: "tool.unavailable", message: expect.stringContaining("within 300 ms") as string });
  });
});

function abortedAfter(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}
