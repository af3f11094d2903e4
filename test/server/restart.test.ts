import { describe, expect, it } from "vitest";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";
import { databases, openServer, startServer } from "../setup/server.ts";

/** Where a database without rows is. */
const emptied = (database: "SQLite" | "PostgreSQL") => (database === "SQLite" ? newSqliteFile() : emptyPostgresDatabase());

describe.each(databases)("services on one %s", (database) => {
  it("a restart loses nothing of customers, sessions and variables", async () => {
    const location = await emptied(database);
    const first = await openServer({ location });
    await first.request("POST", "/v1/customers", { id: "ada", name: "Ada", metadata: { a: 1 }, variables: { tier: "gold" } });
    const { body: session } = await first.request("POST", "/v1/sessions/open", { agent: "a1", customer_id: "ada", title: "Kept", labels: ["x"] });
    await first.request("PUT", `/v1/sessions/${session.id}/variables/own`, { value: 1 });
    await first.request("PUT", "/v1/agents/a1/variables/all", { value: 2 });
    const paths = [
      ...["/v1/customers/ada", "/v1/customers", `/v1/sessions/${session.id}`, "/v1/sessions?labels=x", `/v1/sessions/${session.id}/events`],
      ...["/v1/customers/ada/variables", `/v1/sessions/${session.id}/variables`, "/v1/agents/a1/variables"],
    ];
    const read = (server: { readonly request: typeof first.request }) =>
      Promise.all(paths.map(async (path) => (await server.request("GET", path)).body));
    const before = await read(first);
    await first.close();
    const second = await startServer({ location });
    expect(await read(second)).toEqual(before);
    expect(await second.request("POST", "/v1/sessions/open", { agent: "a1", customer_id: "ada" })).toMatchObject({
      status: 200,
      body: { id: session.id },
    });
  });

  it("L10: two processes open one session, and lose no change of each other's", async () => {
    const location = await emptied(database);
    const [one, two] = [await startServer({ location }), await startServer({ location })];
    const open = (server: typeof one) => server.request("POST", "/v1/sessions/open", { agent: "a1", customer_id: "ada" });
    const opened = await Promise.all([one, two, one, two].map(open));
    expect(new Set(opened.map(({ body }) => body.id)).size).toBe(1);
    expect(opened.filter(({ status }) => status === 201)).toHaveLength(1);
    const path = `/v1/sessions/${opened[0]?.body.id}`;
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const patch = (name: string, index: number) =>
      [one, two][index % 2]!.request("PATCH", path, { metadata: { [name]: index }, labels: { add: [name] }, consumers: { [name]: index } });
    const answers = await Promise.all(names.map(patch));
    expect(answers.map((answer) => answer.status)).toEqual(names.map(() => 200));
    const expected = Object.fromEntries(names.map((name, index) => [name, index]));
    const { body } = await two.request("GET", path);
    expect([body.metadata, body.consumers, body.labels.toSorted()]).toEqual([expected, expected, names]);
    const versions = await Promise.all(
      names.map((name, index) => [one, two][index % 2]!.request("PATCH", path, { title: name }, { "if-match": `"${body.version}"` })),
    );
    expect(versions.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(versions.filter((answer) => answer.status === 412)).toHaveLength(9);
  });
});

it("L1: what is in memory alone is gone with its process", async () => {
  const first = await openServer();
  await first.request("POST", "/v1/customers", { id: "ada" });
  await first.close();
  const second = await startServer();
  expect((await second.request("GET", "/v1/customers")).body.total).toBe(0);
});
