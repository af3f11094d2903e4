/** The servers of the browser chat: each one mounts the same routes in at most 25 lines. */
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

process.env["DATABASE"] = ":memory:";
process.env["PORT"] = "0";
const { chat, close } = await import("../../examples/browser-chat/chat.ts");
afterAll(close);

const folder = `${root}/examples/browser-chat`;
type Send = (path: string, init?: RequestInit) => Promise<Response>;

async function served(server: Server): Promise<Send> {
  if (!server.listening) await once(server, "listening");
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (path, init) => fetch(url + path, init);
}

const servers: Readonly<Record<string, () => Promise<Send>>> = {
  node: async () => served((await import("../../examples/browser-chat/node-server.ts")).server),
  express: async () => served((await import("../../examples/browser-chat/express-server.ts")).server),
  hono: async () => served((await import("../../examples/browser-chat/hono-server.ts")).server as Server),
  next: async () => {
    const route = await import("../../examples/browser-chat/next-route.ts");
    return (path, init) => route[init?.method === "POST" ? "POST" : "GET"](new Request(`http://next.test${path}`, init));
  },
};

describe.each(Object.entries(servers))("%s", (name, start) => {
  test("sends, streams, resumes, stops and has the history", async () => {
    const send = await start();
    const headers = { "content-type": "application/json", "x-user": "ada" };
    const body = JSON.stringify({ id: name, messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "hello" }] }] });
    const sent = await send("/api/chat", { method: "POST", headers, body });
    expect(sent.headers.get("content-type")).toBe("text/event-stream");
    const chunks = (await sent.text())
      .split("\n\n")
      .flatMap((frame) => (frame.startsWith("data: {") ? [JSON.parse(frame.slice(6)) as { type: string; delta?: string }] : []));
    expect(chunks.map(({ delta = "" }) => delta).join("")).toBe("You said: hello");
    expect(chunks.at(-1)?.type).toBe("finish");
    const history = await send(`/api/chat/${name}/messages`, { headers });
    expect(await history.json()).toMatchObject({ messages: [{ id: "m1" }, { parts: [{}, { text: "You said: hello" }] }] });
    expect((await send(`/api/chat/${name}/stream?after=`, { headers })).status).toBe(200);
    expect((await send(`/api/chat/${name}/stop`, { method: "POST", headers })).status).toBe(204);
    // Another user has no such session.
    const other = await send(`/api/chat/${name}/messages`, { headers: { "x-user": "eve" } });
    expect(await other.json()).toMatchObject({ messages: [] });
    expect((await send(`/api/chat/${name}/messages`)).status).toBe(404);
  });
});

test("each server has at most 25 lines", () => {
  const long = readdirSync(folder).filter(
    (file) => /-(server|route)\.ts$/.test(file) && readFileSync(`${folder}/${file}`, "utf8").split("\n").length > 26,
  );
  expect(long).toEqual([]);
});

test("a reader who leaves does not stop the turn", async () => {
  const left = new AbortController();
  const headers = { "content-type": "application/json", "x-user": "bob" };
  const body = JSON.stringify({ id: "b", messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] }] });
  await chat(new Request("http://chat.test/api/chat", { method: "POST", headers, body, signal: left.signal }));
  left.abort();
  await expect
    .poll(async () => JSON.stringify(await (await chat(new Request("http://chat.test/api/chat/b/messages", { headers }))).json()))
    .toContain("You said: hi");
});
