/** The description of the service: valid, and enough for a client that is made from nothing else. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { expect, test } from "vitest";
import { operations } from "../../packages/server/src/protocol/operations.ts";
import { startService } from "./service.ts";

const home = fileURLToPath(new URL("node_modules/.generated/", import.meta.url));
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));

type Document = Readonly<Record<string, unknown>> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
};

const documentOf = async (url: string): Promise<Document> => (await (await fetch(`${url}/openapi.json`)).json()) as Document;

/** What somebody writes who has the description alone. */
const program = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const { data: session, error } = await client.POST("/v1/sessions/open", { body: { agent: "a1", customer_id: "ada" }, headers: { "Idempotency-Key": "k1" } });
if (session === undefined) throw new Error(error.code);
const path = { session_id: session.id };
const { data: posted } = await client.POST("/v1/sessions/{session_id}/events", { params: { path }, body: { kind: "message", source: "customer", text: "hello" } });
if (posted === undefined) throw new Error("not posted");
let text = "";
for (let from = posted.offset + 1; text === ""; ) {
  const { data: page } = await client.GET("/v1/sessions/{session_id}/events", { params: { path, query: { min_offset: from, kinds: ["message"], wait: 5 } } });
  if (page === undefined || typeof page === "string") continue;
  for (const event of page.items) if (event.kind === "message") for (const part of event.data.parts) if (part.type === "text") text += part.text;
  from = page.next_offset;
}
const { data: changed } = await client.PATCH("/v1/customers/{customer_id}", { params: { path: { customer_id: "ada" } }, body: { variables: { tier: "gold" } } });
const { error: missing, response } = await client.GET("/v1/sessions/{session_id}", { params: { path: { session_id: "ses_01h00000000000000000000000" } } });
console.log(JSON.stringify({ text, variables: changed?.variables, missing: missing?.code, status: response.status }));
// @ts-expect-error: the description says that an agent is named
await client.POST("/v1/sessions/open", { body: { customer: "ada" } });
`;

test("is a valid document of OpenAPI 3.1, with every operation in it", async () => {
  const document = await documentOf((await startService()).url);
  const { valid, errors } = await new Validator().validate(document);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(document["openapi"]).toMatch(/^3\.1\./);
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []));
  expect(ids.toSorted()).toEqual(Object.keys(operations).toSorted());
});

test("a client that is generated from it compiles, and makes a round trip", async () => {
  const { url } = await startService();
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(`${home}api.d.ts`, astToString(await openapiTS((await documentOf(url)) as never)));
  writeFileSync(`${home}program.mts`, program);
  const options = {
    module: "NodeNext",
    target: "ES2023",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
  };
  writeFileSync(
    `${home}tsconfig.json`,
    JSON.stringify({ compilerOptions: { ...options, lib: ["ES2023", "DOM"], types: ["node"] }, files: ["program.mts"] }),
  );
  expect(await run(compiler, "-p", home)).toBe("");
  expect(JSON.parse(await run(`${home}program.mjs`, url))).toEqual({
    text: "re:hello",
    variables: { tier: "gold" },
    missing: "session.not_found",
    status: 404,
  });
}, 60_000);

/** What a program says; the service answers in this process, so nothing here may block. */
async function run(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: home });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => said.push(text));
  await new Promise((resolve) => child.on("close", resolve));
  return said.join("");
}
