/** Scopes × operations × members of query and body: what the service asks for, what it says it asks for, and that nothing is missing from the table. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { MemberScope, Operation } from "../../packages/server/src/protocol/operation.ts";
import { operations } from "../../packages/server/src/protocol/operations.ts";
import { scopeMeanings, scopes, type Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startServer } from "../setup/server.ts";

const all: readonly (readonly [string, Operation])[] = Object.entries<Operation>(operations);

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
}
const namesIn = ({ properties = {}, anyOf = [], oneOf = [], allOf = [], $ref, $defs = {} }: Shape, defs = $defs): readonly string[] => [
  ...Object.keys(properties),
  ...[...anyOf, ...oneOf, ...allOf, ...($ref === undefined ? [] : [defs[$ref.split("/").at(-1) ?? ""] ?? {}])].flatMap((one) => namesIn(one, defs)),
];
/** Names of everything that a query or body can hold. */
function membersOf({ query, body }: Operation): readonly string[] {
  const names = [query, body].flatMap((schema) =>
    schema === undefined ? [] : namesIn(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape),
  );
  return [...new Set(names)];
}

/** What a member of this name must need, in whatever operation it is: the operation's own scope is enough where it is this one. */
const laws: Readonly<Record<string, Scope>> = {
  metadata: "metadata:write",
  state: "state:write",
  delta: "state:write",
  mode: "handover",
  messages: "erase",
  view: "state:read",
  kinds: "safety:read",
};

/** Members that have a name of the laws and mean something else. */
const others = new Set(["listSessions.mode"]);

const walked = all.flatMap(([id, operation]) => membersOf(operation).map((member) => [`${id}.${member}`, member, operation] as const));

describe("the table", () => {
  test("every member that changes or shows what has a scope of its own needs that scope", () => {
    const free = walked.filter(([name, member, { scope, members = [] }]) => {
      const law = Object.hasOwn(laws, member) && !others.has(name) ? laws[member] : undefined;
      return law !== undefined && scope !== law && !members.some((one) => one.member === member && one.scope === law);
    });
    expect(free.map(([name]) => name)).toEqual([]);
    expect(walked.length).toBeGreaterThan(100);
  });

  test("every row is about a member that there is", () => {
    for (const [id, operation] of all) for (const { member } of operation.members ?? []) expect(membersOf(operation), id).toContain(member);
  });

  test("every operation and member is on record with what it needs", async () => {
    const lines = all.map(([id, { scope, also, customers, ...operation }]) => {
      const members = membersOf({ scope, ...operation }).map((member) => {
        const needs = (operation.members ?? []).filter((one) => one.member === member).map((one) => one.scope);
        return needs.length === 0 ? member : `${member} (${needs.join(", ")})`;
      });
      return `${id}: ${[scope, ...(also === undefined ? [] : [also]), ...(customers === true ? ["or a customer's token"] : [])].join(", ")}${members.length === 0 ? "" : ` · ${members.join(", ")}`}`;
    });
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../../etc/throughline.scopes.txt");
  });
});

describe("the service", () => {
  const session = `ses_${"0".repeat(26)}`;
  /** What a request holds besides the member that is looked at. */
  const rest: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    createSession: { agent: "a1" },
    openSession: { agent: "a1" },
    postEvent: { kind: "custom", data: 1 },
    forgetCustomerMemory: { entry_ids: ["x"] },
    forgetSessionMemory: { entry_ids: ["x"] },
    streamEvents: { sessions: session },
    streamMessage: { text: "hi" },
  };
  const values: Readonly<Record<string, unknown>> = {
    metadata: { a: 1 },
    state: { heard: ["x"] },
    mode: "manual",
    messages: true,
    view: "internal",
    kinds: "assessment",
  };

  function requestOf([id, { method, path, query }]: readonly [string, Operation], { member }: MemberScope): readonly [string, string, unknown] {
    const at = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => (name === "session_id" ? session : "x"));
    const sent = { ...rest[id], [member]: values[member] };
    if (query !== undefined && Object.hasOwn(query.shape, member))
      return [method, `${at}?${new URLSearchParams(sent as Record<string, string>).toString()}`, undefined];
    return [method, at, sent];
  }

  test("each member is refused to a key without its scope, before anything is looked up, and taken from one that has it", async () => {
    const { store, request } = await startServer();
    const as = async (granted: readonly Scope[]) => {
      const { key } = await createKey(store, { name: "k", scopes: granted });
      return (method: string, path: string, body?: unknown) => request(method, path, body, { authorization: `Bearer ${key}` });
    };
    let seen = 0;
    for (const [id, operation] of all)
      for (const one of operation.members ?? []) {
        const { scope, also } = operation;
        if (scope === "open") throw new Error(`${id} asks nobody who they are`);
        const needed = also === undefined ? [scope] : [scope, also];
        const given = requestOf([id, operation], one);
        const [without, having] = [await as(needed), await as([...needed, one.scope])];
        expect(await without(...given), `${id}.${one.member}`).toMatchObject({
          status: 403,
          body: { code: "auth.forbidden", details: { scope: one.scope, member: one.member } },
        });
        expect((await having(...given)).status, `${id}.${one.member}`).not.toBe(403);
        seen += 1;
      }
    expect(seen).toBeGreaterThan(10);
  });

  test("a key for hand-over hands back, and changes no state with it", async () => {
    const { store, request, runtime } = await startServer();
    const { key } = await createKey(store, { name: "desk", scopes: ["handover"] });
    const desk = (path: string, body: unknown) => request("POST", `/v1/sessions/${id}/handover${path}`, body, { authorization: `Bearer ${key}` });
    const { id } = await runtime.sessions.create({ agent: "a1" });
    await desk("", {});
    expect(await desk("/back", { state: { heard: ["x"] } })).toMatchObject({ status: 403, body: { details: { scope: "state:write" } } });
    const [changed] = await Array.fromAsync((await runtime.sessions.get(id)).events({ kinds: ["state"], follow: false }));
    expect(changed).toBeUndefined();
    expect((await desk("/back", { summary: "Done.", resume: false })).status).toBe(200);
  });
});

describe("what is said of scopes", () => {
  test("the page has each of them, in the words of the table", async () => {
    const page = await readFile(new URL("../../docs/how-to/service.md", import.meta.url), "utf8");
    for (const scope of scopes) expect(page).toContain(`| \`${scope}\` | ${scopeMeanings[scope]} |`);
  });

  test("the OpenAPI document says which members need more", async () => {
    const { request } = await startServer();
    const document = (await request("GET", "/openapi.json")).body as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string; readonly description?: string }>>>>;
      readonly components: { readonly securitySchemes: { readonly bearer: { readonly description: string } } };
    };
    const described = Object.values(document.paths).flatMap((path) => Object.values(path));
    for (const [id, { members = [] }] of all)
      for (const { member, scope } of members) {
        const text = described.find(({ operationId }) => operationId === id)?.description;
        expect(text, id).toMatch(new RegExp(`\`${member}\`.* also needs \`${scope}\`\\.`, "u"));
      }
    for (const scope of scopes) expect(document.components.securitySchemes.bearer.description).toContain(`\`${scope}\`: ${scopeMeanings[scope]}`);
  });
});
