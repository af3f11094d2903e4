/** What connectMcp takes and refuses, and how answers become results. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connectMcp, type McpOptions } from "../../../packages/throughline/src/mcp.ts";
import { resultFrom, takeFrom } from "../../../packages/throughline/src/tools/mcp/mcp-result.ts";
import { resultOf } from "../../../packages/throughline/src/tools/results.ts";
import { type Answering, serve, stateless } from "./http.ts";

const refused = (code: string, message: RegExp): unknown => expect.objectContaining({ code, message: expect.stringMatching(message) as string });

/** A server by hand, of the revision of 2025: it lists tools of these names, which its own package would not let it have. */
function listing(...names: readonly string[]): Answering {
  return async (request) => {
    const { id, method } = (await request.json()) as { id?: number; method: string };
    if (id === undefined) return new Response(null, { status: 202 });
    const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    const hello = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "by hand", version: "1" } };
    const result = method === "initialize" ? hello : method === "tools/list" ? { tools } : undefined;
    return Response.json({ jsonrpc: "2.0", id, ...(result === undefined ? { error: { code: -32_601, message: "no such method" } } : { result }) });
  };
}

describe("options", () => {
  const wrong: readonly (readonly [string, unknown, unknown, RegExp])[] = [
    ["nothing", undefined, {}, /a server is \{ command/],
    ["an address that is none", { url: "not an address" }, {}, /`url` is an http/],
    ["another protocol", { url: "file:///etc/passwd" }, {}, /`url` is an http/],
    ["both", { command: "node", url: "http://x" }, {}, /has no "url"/],
    ["an empty command", { command: "" }, {}, /`command` is a program/],
    ["arguments in one text", { command: "node", args: "a b" }, {}, /`args` is a list/],
    ["a misspelt option", { command: "node" }, { timeoutMS: 3 }, /no option "timeoutMS"/],
    ["no time at all", { command: "node" }, { timeoutMs: 0 }, /`timeoutMs` is a whole number/],
    ["a name with spaces", { command: "node" }, { name: "my server" }, /`name` is 1 to 32/],
    ["a deny that is no list", { command: "node" }, { deny: "save" }, /`deny` is a list/],
    ["null", { command: "node" }, null, /options are an object/],
  ];
  test.each(wrong)("%s is refused", async (_title, target, options, message) => {
    await expect(connectMcp(target as never, options as never)).rejects.toEqual(refused("input.invalid", message));
  });

  const connected = async (options: McpOptions): Promise<readonly string[]> => {
    const { url } = await serve(stateless("/dev/null"));
    const server = await connectMcp({ url }, options);
    onTestFinished(() => server.close());
    return server.tools.map(({ name, effects }) => `${name} ${effects}`);
  };
  test("allow and deny choose the tools", async () => {
    expect(await connected({ allow: ["save", "search", "set.title"], deny: ["save"] })).toEqual(["search none", "set_title idempotent"]);
  });
  test("a server is not believed when its hints are not trusted, and options win over hints", async () => {
    const options: McpOptions = { allow: ["search", "set.title"], trustHints: false, tools: { "set.title": { effects: "idempotent" } } };
    expect(await connected(options)).toEqual(["search once", "set_title idempotent"]);
  });
  test.each([
    [{ deny: ["sav"] }, /`deny` names the tool "sav"/],
    [{ allow: ["serch"] }, /`allow` names the tool "serch"/],
    [{ tools: { save_note: {} } }, /`tools` names the tool "save_note"/],
  ] as const)("a tool that there is not is refused: %o", async (options, message) => {
    await expect(connected(options)).rejects.toEqual(refused("input.invalid", message));
  });
  test.each([
    [{ tools: { search: { inputsFromState: { user_name: "auther" } } } }, /"auther"/],
    [{ tools: { search: { retries: 3 } as never } }, /no option "retries"/],
    [{ tools: { search: { name: "save" } } }, /"search" and "save" .* are both called "save"/],
  ] as const)("options that do not fit the tool are refused: %o", async (options, message) => {
    await expect(connected(options)).rejects.toEqual(refused("tool.invalid", message));
  });
  test("a tool may have a name that objects have members of", async () => {
    const { url } = await serve(listing("constructor", "toString"));
    const server = await connectMcp({ url });
    onTestFinished(() => server.close());
    expect(server.tools.map(({ name }) => name)).toEqual(["constructor", "toString"]);
  });
  test("two names that become one are refused", async () => {
    const { url } = await serve(listing("a.b", "a/b"));
    await expect(connectMcp({ url })).rejects.toEqual(refused("tool.invalid", /"a\.b" and "a\/b" .* are both called "a_b"/));
  });
});

describe("results", () => {
  const most = 20;
  const from = (answer: object): unknown => resultFrom(answer, { tool: "t", most });
  const tool = { name: "t", outputsToState: {}, state: undefined } as never;
  const stored = (answer: object): unknown => resultOf(tool, from(answer));
  const text = (said: string): object => ({ type: "text", text: said });

  test.each([
    ["nothing", {}, ""],
    ["content that is no list", { content: "text" }, ""],
    ["texts", { content: [text("a"), text("b")] }, "a\nb"],
    ["an embedded text", { content: [{ type: "resource", resource: { uri: "a:1", text: "a" } }] }, "a"],
    ["a structured list", { structuredContent: [1, 2], content: [] }, [1, 2]],
    ["structured false", { structuredContent: false, content: [] }, false],
  ])("%s", (_title, answer, value) => {
    expect(stored(answer)).toEqual({ type: "ok", value });
  });
  test("an embedded file is named", () => {
    expect(stored({ content: [{ type: "resource", resource: { uri: "a:1", blob: "AAAA", mimeType: "image/gif" } }] })).toMatchObject({
      value: [{ type: "resource", uri: "a:1", mime_type: "image/gif", bytes: 3 }],
    });
  });
  test("a piece of an unknown kind is named, and so is no piece at all", () => {
    expect(stored({ content: [{ type: "hologram" }, null] })).toMatchObject({
      value: [
        { type: "hologram", bytes: 0 },
        { type: "unknown", bytes: 0 },
      ],
    });
  });
  test("a structured result that is too large is refused, and says that the call was made", () => {
    expect(() => stored({ structuredContent: { text: "x".repeat(most) } })).toThrow(
      expect.objectContaining({ code: "tool.output_invalid", hint: expect.stringContaining("was made") as string }),
    );
  });
  test("a cut never halves a character", () => {
    expect(from({ content: [text(`${"x".repeat(most - 1)}😀!`)] })).toBe(`${"x".repeat(most - 1)}… (cut: 22 characters in all)`);
  });
  test("an error without words has some", () => {
    expect(() => from({ isError: true, content: [] })).toThrow('"t" says that it failed, and not why.');
  });
  test("fields take members of objects, also of those in a text", () => {
    const take = takeFrom("t");
    expect([take({ a: 1 }, "a"), take('{"a":2}', "a"), take({ a: 1 }, "b"), take([3], undefined)]).toEqual([1, 2, undefined, [3]]);
    expect(take({}, "constructor")).toBeUndefined();
    for (const value of ["plain", "[1]", "null", 7]) expect(() => take(value, "a")).toThrow(refused("tool.output_invalid", /no member "a"/));
  });
});
