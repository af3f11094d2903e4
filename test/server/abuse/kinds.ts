/** Kinds of abuse: each makes a request of an operation that must be answered with an error, whoever sends it. */
import type { Operation } from "../../../packages/server/src/protocol/operation.ts";
import type { Json } from "../../../packages/throughline/src/kernel/json.ts";
import type { Chooser } from "../../../packages/throughline/src/testing/test-clock.ts";
import type { Sample } from "../../setup/sample-requests.ts";
import { bytesOf, chunked, utf8, type Bytes, type Parts } from "./http.ts";
import { wrongBodies, wrongQueries } from "./wrong-values.ts";

/** An operation, and a good request of it. */
export interface Target {
  readonly operation: Operation;
  readonly sample: Sample;
  /** The header that lets whoever sends it in. */
  readonly authorization: string;
  /** Credentials that let nobody in. */
  readonly forged: readonly string[];
  /** Ids that are somebody's, of every kind. */
  readonly foreign: readonly string[];
}

type Header = readonly [string, string];
type Kind = (target: Target, dice: Chooser) => Bytes | undefined;

/** The bytes of a body that the service takes. */
const bodyBytes = 1024 * 1024;
const json: Header = ["Content-Type", "application/json"];

/** What is changed of a good request; `body: null` leaves it out. */
type Change = Partial<Omit<Parts, "body" | "headers">> & { readonly body?: string | null };

function request({ operation, sample, authorization }: Target, { body: changed, ...change }: Change = {}, headers: readonly Header[] = []): Bytes {
  const given = sample.body === undefined ? null : utf8(JSON.stringify(sample.body));
  const body = changed === undefined ? given : changed;
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const own: readonly Header[] = [["Authorization", authorization], ...(body === null ? [] : [json])];
  return bytesOf({
    method: operation.method,
    target: sample.path,
    ...change,
    headers: [...own.filter(([name]) => !names.has(name.toLowerCase())), ...headers],
    ...(body === null ? {} : { body }),
  });
}

const changes = ({ operation: { method } }: Target): boolean => method !== "GET";
const place = ({ sample: { path } }: Target): string => path.split("?")[0] ?? path;
const queryOf = ({ sample: { path } }: Target): Readonly<Record<string, string>> => Object.fromEntries(new URLSearchParams(path.split("?")[1] ?? ""));
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const deepIn = (body: unknown, deep: string): string => {
  const text = JSON.stringify(typeof body === "object" && body !== null ? { ...body, deep: "DEEP" } : { deep: "DEEP" });
  return text.replace(`"DEEP"`, deep);
};

const broken: readonly string[] = [
  ...[
    "{",
    "}",
    "[1,",
    "nul",
    "{'a':1}",
    '{"a":1,}',
    "NaN",
    "Infinity",
    "-",
    '{"a":01}',
    "{}{}",
    '{"a":\u0000}',
    '"\n"',
    "/* */{}",
    "<a/>",
    "a=1&b=2",
  ],
  ...['{"a":"\\x"}', "\x80", '{"a":"\xff\xfe"}', '{"a":"\xc0\xaf"}', '{"a":"\xed\xa0\x80"}', "[".repeat(100_000)],
];
const mediaTypes: readonly string[] = [
  ...["text/plain", "application/xml", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/json; charset=utf-16"],
  ...["application/jsonx", "application", "*/*", "text/json", "application/json, text/plain", "", ";"],
];
const badSegments: readonly string[] = [
  ...[
    "%2e%2e",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%252e%252e%252f",
    "%00",
    "a%00b",
    "%ff%fe",
    "%c0%ae%c0%ae",
    "%zz",
    "%",
    "%u002e",
    "%0d%0aSet-Cookie:%20a=b",
  ],
  ...[
    "%27%3B%20DROP%20TABLE%20sessions%3B--",
    "%F0%9F%92%A3",
    "x".repeat(5_000),
    "ses_00000000000000000000000000",
    "ses_zzzz",
    "0",
    "-1",
    "1e9",
    "null",
    "undefined",
  ],
  ...["%5B%5D", "*", "%7B%22%24ne%22%3Anull%7D", "__proto__", "constructor", "toString", "1%20OR%201=1", ";", "a;b=c", "%EF%BC%8E%EF%BC%8E", "SES_"],
];
const notMethods: readonly string[] = ["TRACE", "OPTIONS", "PROPFIND", "LINK", "SEARCH", "PUT", "PATCH", "DELETE", "POST", "LOCK", "MKCOL"];

/** Parameters whose values are names that a caller may choose: any of them is a good one, where it is written. */
const chosen: ReadonlySet<string> = new Set(["name"]);

/** Every kind, by what it is. */
export const kinds: Readonly<Record<string, Kind>> = {
  "what is no JSON": (target, dice) => (changes(target) ? request(target, { body: dice.one(broken) }) : undefined),
  "a body without end": (target, dice) =>
    changes(target) ? request(target, { body: deepIn(target.sample.body, nested(dice.one([600, 10_000, 100_000]))) }) : undefined,
  "numbers past all numbers": (target, dice) =>
    changes(target) ? request(target, { body: deepIn(target.sample.body, dice.one(["1e999", "-1e999", '[1,{"a":1e400}]'])) }) : undefined,
  "an object's own kind": (target, dice) =>
    changes(target)
      ? request(target, { body: deepIn(target.sample.body, dice.one(['{"__proto__":{"admin":true}}', '{"\\u005f_proto__":1}'])) })
      : undefined,
  "a length past the limit": (target, dice) =>
    changes(target)
      ? request(target, { body: "{" }, [["Content-Length", String(dice.one([bodyBytes + 1, 10 ** 12, Number.MAX_SAFE_INTEGER]))]])
      : undefined,
  "chunks past the limit": (target, dice) =>
    changes(target) && dice.chance(0.2)
      ? request(target, { body: chunked(Array.from({ length: 17 }, () => " ".repeat(65_536))) }, [["Transfer-Encoding", "chunked"]])
      : undefined,
  "another media type": (target, dice) => (changes(target) ? request(target, { body: "{}" }, [["Content-Type", dice.one(mediaTypes)]]) : undefined),
  "a body of another shape": (target, dice) => {
    const { operation, sample } = target;
    if (!changes(target)) return undefined;
    const wrong: readonly Json[] = operation.body === undefined ? [{ a: 1 }, [1], 1, "x", true] : wrongBodies(operation.body, sample.body ?? {});
    return wrong.length === 0 ? undefined : request(target, { body: utf8(JSON.stringify(dice.one(wrong))) });
  },
  "the last of two members": (target) =>
    changes(target) && target.operation.body !== undefined && typeof target.sample.body === "object" && !target.operation.path.endsWith("/variables")
      ? request(target, {
          body: `{${Object.keys(target.sample.body ?? {})
            .map((name) => `"${name}":"good","${name}":[[null]]`)
            .join(",")},"no_such_field":1}`.replace("{,", "{"),
        })
      : undefined,
  "a parameter of another shape": (target, dice) => {
    const { operation } = target;
    const wrong =
      operation.query === undefined ? [[["no_such", "1"]] as const, [["__proto__", "1"]] as const] : wrongQueries(operation.query, queryOf(target));
    const query = new URLSearchParams(dice.one(wrong).map(([name, value]): [string, string] => [name, value])).toString();
    return request(target, { target: `${place(target)}?${query}` });
  },
  "parameters without end": (target, dice) =>
    request(target, { target: `${place(target)}?${Array.from({ length: dice.one([500, 2_000, 10_000]) }, (_, index) => `p${index}=1`).join("&")}` }),
  "an id that is none": (target, dice) => {
    const names = [...target.operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).filter((name) => !chosen.has(name));
    if (names.length === 0) return undefined;
    const at = target.operation.path.split("/").indexOf(`{${dice.one(names)}}`);
    const [path = "", query] = target.sample.path.split("?");
    const segment = target.foreign.length > 0 && dice.chance(0.5) ? dice.one(target.foreign) : dice.one(badSegments);
    if (path.split("/")[at] === segment || (segment === "0" && target.operation.path.endsWith("{event}"))) return undefined;
    return request(target, { target: `${path.split("/").with(at, segment).join("/")}${query === undefined ? "" : `?${query}`}` });
  },
  "a method that is not taken": (target, dice) => {
    const { path } = target.operation;
    // What another operation takes at the same address is asked for by itself.
    const method = dice.one(path.startsWith("/v1") ? notMethods.slice(0, 5) : notMethods);
    return request(target, { method, body: null });
  },
  "credentials that are forged": (target, dice) =>
    target.operation.scope === "open" ? undefined : request(target, {}, [["Authorization", dice.one(target.forged)]]),
  "no credentials, and tokens in the wrong place": (target, dice) => {
    if (target.operation.scope === "open") return undefined;
    const { sample, operation } = target;
    const token = target.forged[0]?.slice("Bearer ".length) ?? "";
    const name = dice.one(["stream_token", "access_token", "token", "api_key"]);
    const joined = `${sample.path}${sample.path.includes("?") ? "&" : "?"}${name}=${token}`;
    return bytesOf({
      method: operation.method,
      target: dice.chance(0.5) ? sample.path : joined,
      headers: [
        ["Cookie", `token=${token}`],
        ["X-Api-Key", token],
      ],
    });
  },
  "a version that is none": (target, dice) =>
    target.operation.versioned === true
      ? request(target, {}, [["If-Match", dice.one(['W/"1"', "1", '"x"', '"1","2"', '"99999999999999999999"', '"-1"', "", '"1', "\x80"])]])
      : undefined,
  "a key that is none": (target, dice) =>
    changes(target) ? request(target, {}, [["Idempotency-Key", dice.one(["", "a b", "k".repeat(201), "\xe9", "a\tb", "\x80"])]]) : undefined,
  "another host": (target, dice) =>
    target.operation.probe === true
      ? undefined
      : request(target, {}, [
          [
            "Host",
            dice.one([
              "evil.example",
              "127.0.0.1.evil.example",
              "localhost:99999",
              "a b",
              "localhost@evil.example",
              "[::1",
              "evil.example#localhost",
              "169.254.169.254",
            ]),
          ],
        ]),
  "two hosts": (target) =>
    request(target, {}, [
      ["Host", "localhost"],
      ["Host", "evil.example"],
    ]),
  "a header that is none": (target, dice) =>
    request(target, {}, [
      dice.one([
        ["X-A", "a\rb"],
        ["X-A\r\n ", "b"],
        ["X A", "b"],
        ["X-A", "a\0b"],
        ["", "b"],
        ["X-A ", "b"],
        ["X-Long", "x".repeat(20_000)],
      ] as const),
    ]),
  "two requests in one": (target, dice) => {
    const smuggled = "GET /v1/customers HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const headers: readonly Header[] = dice.one([
      [
        ["Content-Length", "4"],
        ["Transfer-Encoding", "chunked"],
      ],
      [["Transfer-Encoding", "chunked, identity"]],
      [["Transfer-Encoding", "xchunked"]],
      [
        ["Transfer-Encoding", "chunked"],
        ["Transfer-Encoding", "x"],
      ],
      [
        ["Content-Length", "4"],
        ["Content-Length", "5"],
      ],
      [["Content-Length", "-4"]],
      [["Content-Length", "+4"]],
      [["Content-Length", "0x4"]],
      [["Content-Length", "4 4"]],
    ] as const);
    return request(target, { method: "POST", body: `0\r\n\r\n${smuggled}` }, headers);
  },
  "a chunk that is none": (target, dice) =>
    changes(target)
      ? request(
          target,
          {
            body: dice.one([
              "zz\r\n{}\r\n0\r\n\r\n",
              "-1\r\n{}\r\n",
              "ffffffffffffffffff\r\n{}\r\n",
              "2\r\n{}X\r\n0\r\n\r\n",
              "2;\x00\r\n{}\r\n0\r\n\r\n",
            ]),
          },
          [["Transfer-Encoding", "chunked"]],
        )
      : undefined,
  "a place outside": (target, dice) => {
    const path = dice.one([
      "/../../etc/passwd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "//evil.example/v1",
      "/v1/../admin",
      "/v1//sessions",
      "/v1/sessions/..%2f..%2fkeys",
      "/.env",
      "/.git/config",
      "/demo/%2e%2e/package.json",
      "/v1/%00",
      "\\..\\x",
      "/v1/sessions/%",
      `/${"a/".repeat(3_000)}`,
      `/${"a".repeat(20_000)}`,
      "/openapi.json/",
      "/v1",
      "/",
      "*",
      "http://evil.example/v1/agents",
      "/errors/..%2f..%2fpackage.json",
      "/errors/__proto__",
      "/errors/constructor",
    ]);
    return request(target, { method: dice.one(["GET", "POST"]), target: path, body: null });
  },
};
