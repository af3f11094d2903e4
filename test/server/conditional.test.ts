/** Reads of what the caller knows already. */
import { expect, it } from "vitest";
import { startServer } from "../setup/server.ts";

it("a read with If-None-Match is 304 until what is shown changes, and its ETag counts for If-Match", async () => {
  const { request } = await startServer();
  await request("POST", "/v1/customers", { id: "ada", name: "Ada" });
  const { id } = (await request("POST", "/v1/sessions", { agent: "a1", customer_id: "ada" })).body;
  for (const path of ["/v1/customers/ada", `/v1/sessions/${id}`, "/v1/customers/ada/variables"]) {
    const first = await request("GET", path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(new RegExp(`^"${first.body.version}-`));
    const known = await request("GET", path, undefined, { "if-none-match": etag });
    expect([known.status, known.text, known.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await request("GET", path, undefined, { "if-none-match": `"x", W/${etag}` })).status).toBe(304);
    expect((await request("HEAD", path, undefined, { "if-none-match": etag })).status).toBe(304);
    expect((await request("GET", path, undefined, { "if-none-match": `"${first.body.version}"` })).status).toBe(200);
  }
  const session = `/v1/sessions/${id}`;
  const before = (await request("GET", session)).headers.get("etag") ?? "";
  // A message raises the session's head and not its version.
  await request("POST", `${session}/events`, { kind: "custom", data: 1 });
  expect((await request("GET", session, undefined, { "if-none-match": before })).status).toBe(200);
  expect((await request("PATCH", session, { title: "Nights" }, { "if-match": before })).status).toBe(200);
  expect((await request("PATCH", session, { title: "Days" }, { "if-match": before })).status).toBe(412);
  expect((await request("PATCH", session, { title: "Days" }, { "if-match": '"1-x"' })).body.code).toBe("request.precondition_invalid");
});

it("lists hand-overs of one customer", async () => {
  const { request } = await startServer();
  const waiting: string[] = [];
  for (const customer_id of ["ada", "bob"]) {
    const { id } = (await request("POST", "/v1/sessions/open", { agent: "a1", customer_id })).body;
    await request("POST", `/v1/sessions/${id}/handover`, {});
    waiting.push(id);
  }
  const list = async (query: string): Promise<readonly string[]> =>
    (await request("GET", `/v1/handovers?queue=waiting${query}`)).body.items.map(({ session_id }: { session_id: string }) => session_id);
  expect((await list("")).toSorted()).toEqual(waiting.toSorted());
  expect(await list("&customer_id=bob")).toEqual([waiting[1]]);
  expect(await list("&customer_id=nobody")).toEqual([]);
});
