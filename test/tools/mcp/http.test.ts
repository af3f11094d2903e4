/** Tools of an MCP server that is reached by streamable HTTP. */
import { describe, expect, onTestFinished, test } from "vitest";
import { ThroughlineError } from "../../../packages/throughline/src/index.ts";
import { connectMcp, type McpOptions, type McpServer } from "../../../packages/throughline/src/mcp.ts";
import { callOf, newLog, toolOf } from "./calling.ts";
import { serve, stateless, withSessions, type Answering, type Served } from "./http.ts";

/** Something in the way of calls; other requests pass. Undefined lets a call pass too. */
type Trouble = (request: Request) => Response | undefined | "break";

async function opened(answer: Answering, options?: McpOptions): Promise<{ readonly server: McpServer; readonly served: Served }> {
  const served = await serve(answer);
  const server = await connectMcp({ url: `${served.url}?key=secret`, headers: { authorization: "Bearer t0p" } }, options);
  onTestFinished(() => server.close());
  return { server, served };
}

const troubled = (answer: Answering, trouble: () => Trouble): Answering => {
  return async (request) => {
    const calls = (await request.clone().text()).includes('"tools/call"');
    const instead = calls ? trouble()(request) : undefined;
    return instead === "break" ? undefined : (instead ?? answer(request));
  };
};

const stream = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(": a comment\n\n"));
        start(controller);
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );

describe.each([
  ["without sessions, of the newer revision", stateless],
  ["with sessions, of the revision of 2025", (log: string): Answering => withSessions(log).answer],
] as const)("a server %s", (_title, answering) => {
  test("has the same tools, with the same maps", async () => {
    const { server, served } = await opened(answering("/dev/null"), { tools: { search: { inputsFromState: { user_name: "author" } } } });
    const search = toolOf(server, "search");
    expect(search.model.parameters).toMatchObject({ required: ["query"] });
    expect(await callOf(search, { query: "bees" }, { state: { user_name: "Ada" } })).toEqual({ value: { results: ["Ada on bees"], count: 1 } });
    expect(served.requests.every(({ headers }) => headers.get("authorization") === "Bearer t0p")).toBe(true);
  });
  test("is tried again by the next call after a connection that broke", async () => {
    let trouble: Trouble = () => "break";
    const log = newLog();
    const { server } = await opened(troubled(answering(log.path), () => trouble));
    const save = toolOf(server, "save");
    expect((await callOf(save, { note: "a" })).error).toMatchObject({ code: "tool.lost", kind: "unavailable" });
    trouble = () => undefined;
    expect(await callOf(save, { note: "b" })).toEqual({ value: 'Saved "b".' });
    expect(log.read()).toEqual(["save b"]);
  });
  test("may end a stream without an answer, which is not waited for", async () => {
    let trouble: Trouble = () => stream((controller) => controller.close());
    const { server } = await opened(troubled(answering("/dev/null"), () => trouble));
    expect((await callOf(toolOf(server, "legacy"))).error).toMatchObject({ code: "tool.lost" });
    trouble = () => stream((controller) => setTimeout(() => controller.error(new Error("cut")), 10));
    expect((await callOf(toolOf(server, "legacy"))).error).toMatchObject({ code: "tool.lost" });
  });
  test("is told when a call is given up", async () => {
    const { server } = await opened(answering("/dev/null"), { tools: { hang: { timeoutMs: 60 } } });
    expect((await callOf(toolOf(server, "hang"))).error).toMatchObject({ code: "timeout" });
    expect(await callOf(toolOf(server, "legacy"))).toMatchObject({ value: '{"count":7}' });
  });
});

test("a session that the server has forgotten is opened anew, and the call is made once", async () => {
  const log = newLog();
  const sessions = withSessions(log.path);
  const { server } = await opened(sessions.answer);
  expect(await callOf(toolOf(server, "save"), { note: "a" })).toMatchObject({ value: 'Saved "a".' });
  sessions.forget();
  expect(await callOf(toolOf(server, "save"), { note: "b" })).toMatchObject({ value: 'Saved "b".' });
  expect(log.read()).toEqual(["save a", "save b"]);
});

test("calls that find the session forgotten at the same time share one new session", async () => {
  const log = newLog();
  const sessions = withSessions(log.path);
  const { server, served } = await opened(sessions.answer);
  sessions.forget();
  const before = served.requests.length;
  const calls = await Promise.all(["a", "b", "c", "d"].map((note) => callOf(toolOf(server, "save"), { note })));
  expect(calls.map(({ value }) => value)).toEqual(["a", "b", "c", "d"].map((note) => `Saved "${note}".`));
  expect(log.read().toSorted()).toEqual(["save a", "save b", "save c", "save d"]);
  const unnamed = served.requests.slice(before).filter(({ method, headers }) => method === "POST" && headers.get("mcp-session-id") === null);
  // Whether it speaks the newer revision, and the opening of the session.
  expect(unnamed).toHaveLength(2);
});

test("closing ends the session at the server", async () => {
  const { server, served } = await opened(withSessions("/dev/null").answer);
  await server.close();
  expect(served.requests.at(-1)?.method).toBe("DELETE");
});

describe("an answer that is not the protocol", () => {
  const answers: readonly (readonly [string, () => Response, string])[] = [
    ["a page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), "tool.output_invalid"],
    ["half a message", () => new Response('{"jsonrpc":', { headers: { "content-type": "application/json" } }), "tool.output_invalid"],
    ["another message", () => Response.json({ hello: "world" }), "tool.output_invalid"],
    ["500", () => new Response("the key is t0p", { status: 500 }), "tool.lost"],
    ["503", () => new Response("busy", { status: 503 }), "tool.unavailable"],
    ["401", () => new Response("who?", { status: 401 }), "tool.unavailable"],
    ["400", () => new Response("what?", { status: 400 }), "tool.failed"],
    ["a redirection elsewhere", () => new Response("", { status: 302, headers: { location: "http://example.org/" } }), "tool.failed"],
  ];
  test.each(answers)("%s", async (_title, answer, code) => {
    const { server } = await opened(troubled(stateless("/dev/null"), () => answer));
    const { error } = await callOf(toolOf(server, "legacy"));
    expect(error).toMatchObject({ code });
    // Neither the key in the address nor what the server wrote is told to the model.
    expect(JSON.stringify(error)).not.toMatch(/secret|t0p|html/);
  });
});

test("a server that is not there is unavailable, when it is connected and when it is called", async () => {
  const { server, served } = await opened(stateless("/dev/null"));
  await served.stop();
  // The client may still hold a connection that it learns of only now.
  await callOf(toolOf(server, "legacy"));
  expect((await callOf(toolOf(server, "legacy"))).error).toMatchObject({ code: "tool.unavailable" });
  await expect(connectMcp({ url: served.url })).rejects.toSatisfy((error) => ThroughlineError.is(error, "tool.unavailable"));
});
