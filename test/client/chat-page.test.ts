/** The example page: what is in it, how it is given out, and that it does what it shows. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { root } from "../../scripts/root.ts";
import { startServer } from "../setup/server.ts";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { elementsOf, parsePage, runPage, type FakeElement } from "./fake-page.ts";

const html = readFileSync(`${root}/packages/server/chat-page/index.html`, "utf8");
const css = readFileSync(`${root}/packages/server/chat-page/chat.css`, "utf8");
const scripts = ["chat.js", "view.js"].map((name) => readFileSync(`${root}/packages/server/chat-page/${name}`, "utf8"));

const settled = { interval: 10 };

describe("the page", () => {
  const elements = elementsOf(parsePage(html));
  const ids = elements.flatMap((element) => element.attributes.get("id") ?? []);
  const named = (element: FakeElement, name: string): readonly string[] => (element.attributes.get(name) ?? "").split(" ").filter(Boolean);

  test("labels every field, and refers only to what is there", () => {
    const labelled = new Set(elements.flatMap((element) => named(element, "for")));
    const fields = elements.filter(({ tag }) => ["input", "textarea", "select"].includes(tag));
    expect(fields.length).toBeGreaterThan(8);
    expect(fields.filter((field) => !labelled.has(field.attributes.get("id") ?? ""))).toEqual([]);
    const references = elements.flatMap((element) => ["for", "aria-labelledby", "aria-describedby"].flatMap((name) => named(element, name)));
    expect(references.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(elements.filter(({ tag }) => tag === "button").filter((button) => button.textContent === "" || !button.attributes.has("type"))).toEqual(
      [],
    );
  });
  test("says what happens to whoever cannot see it", () => {
    const roles = elements.flatMap((element) => element.attributes.get("role") ?? []);
    expect(roles).toEqual(expect.arrayContaining(["status", "alert", "log"]));
    expect(elements.find((element) => element.attributes.get("role") === "log")?.attributes.get("aria-live")).toBe("polite");
    expect(elements.find(({ tag }) => tag === "html")?.attributes.get("lang")).toBe("en");
    expect(css).toContain("prefers-reduced-motion");
    expect(css).toContain(":focus-visible");
  });
  test("holds no script and no style of its own, and asks no other host for anything", () => {
    const inline = elements.filter(
      ({ tag, attributes, textContent }) => (tag === "script" && textContent !== "") || tag === "style" || attributes.has("style"),
    );
    expect(inline).toEqual([]);
    expect(elements.flatMap(({ attributes }) => [...attributes.keys()].filter((name) => name.startsWith("on")))).toEqual([]);
    expect([html, css, ...scripts].join("")).not.toMatch(/https?:\/\/|\/\/[a-z]+\.[a-z]|innerHTML|insertAdjacent|document\.write|\beval\b/);
  });
  test("has enough contrast in both themes", () => {
    for (const theme of [0, 1]) {
      const colour = (name: string): string => new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css)![theme + 1]!;
      const pairs = [
        ["text", "surface"],
        ["quiet", "surface"],
        ["text", "page"],
        ["on-accent", "accent"],
        ["wrong", "surface"],
        ["accent", "surface"],
      ] as const;
      for (const [front, back] of pairs) expect(contrast(colour(front), colour(back)), `${front} on ${back}`).toBeGreaterThan(4.5);
    }
  });
});

describe("it is given out", () => {
  test("with its client and nothing else, under a policy that runs no other script", async () => {
    const { request } = await startServer({ demo: true });
    expect((await request("GET", "/demo/")).text).toBe(html);
    const policy = (await request("GET", "/demo/")).headers.get("content-security-policy");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*/);
    // Every module that is asked for, from the first on.
    const seen = new Set<string>();
    for (const queue = ["/demo/chat.js"]; queue.length > 0;) {
      const path = queue.pop()!;
      if (seen.has(path)) continue;
      seen.add(path);
      const { status, text, headers } = await request("GET", path);
      expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/javascript; charset=utf-8"]);
      expect(text).not.toMatch(/^\s*(?:interface|type) |import type/m);
      for (const [, to = ""] of text.matchAll(/^(?:import|export) [^;]*?from "([^"]+)"/gm)) queue.push(new URL(to, `http://x${path}`).pathname);
    }
    // The page needs every module of the client but those of its React hook and one of types alone, and no other.
    const unused = new Set(["agent-types.ts", "react.ts", "shown-conversation.ts"]);
    const client = readdirSync(`${root}/packages/client/src`)
      .filter((name) => !unused.has(name))
      .map((name) => `/demo/client/src/${name === "client.ts" ? "client.js" : name}`);
    expect([...seen].toSorted()).toEqual(["/demo/chat.js", "/demo/view.js", ...client].toSorted());
    const outside = [
      "tsconfig.json",
      "README.md",
      "..%2f..%2fpackage.json",
      "client/src/..%2fpackage.json",
      "client/src/%2e%2e/package.json",
      "client/",
      "client/src/",
      "client/package.json",
      "constructor",
      "server.ts",
      "client/src/client.mjs",
    ];
    for (const name of outside) expect([name, (await request("GET", `/demo/${name}`)).status]).toEqual([name, 404]);
    expect((await request("POST", "/demo/")).status).toBe(404);
  });
  test("only where it is asked for", async () => {
    const { request } = await startServer();
    expect((await request("GET", "/demo/")).status).toBe(404);
  });
});

test("a conversation on the page: it is answered, a person takes over and hands back, and a variable is set", async () => {
  const { url } = await startServer({ demo: true, limits: { heartbeatMs: 50 } });
  const page = parsePage(html);
  const part = (id: string): FakeElement => elementsOf(page).find((element) => element.attributes.get("id") === id)!;
  const log = (): readonly string[] =>
    part("log")
      .all("li")
      .map(({ textContent }) => textContent.replace(/#\d+/, " "));
  const say = (field: string, text: string): void => {
    part(field).value = text;
    part(field).happen("keydown", { key: "Enter", shiftKey: false, isComposing: false });
  };
  await runPage(page, url);
  await expect.poll(() => part("agent").value, settled).toBe("a1");
  expect(() => part("say").happen("submit")).toThrow("disabled");
  part("open").happen("submit");
  await expect.poll(() => part("connection").textContent, settled).toBe("connected");

  await expect.poll(() => part("say").querySelector("button")!.disabled, settled).toBe(false);
  say("message", "hello <b>you</b>");
  await expect.poll(log, settled).toEqual(["Customer ·  hello <b>you</b>", "a1 ·  re:hello <b>you</b>"]);
  expect(part("draft").hidden).toBe(true);
  await expect.poll(() => part("offset").textContent, settled).toBe("8");

  part("take-over").happen("click");
  await expect.poll(() => part("standing").textContent, settled).toBe("Grace has taken over.");
  say("message", "anybody?");
  say("answer-text", "I am here");
  await expect.poll(() => log().slice(2).toSorted(), settled).toEqual(["Customer ·  anybody?", "Grace ·  I am here"]);
  part("back").happen("submit");
  await expect.poll(() => part("standing").textContent, settled).toBe("The agent answers.");

  part("variable-name").value = "tier";
  part("variable-value").value = "gold";
  part("variable").happen("submit");
  await expect.poll(() => part("variables").textContent, settled).toBe('tier = "gold"Take away');
  const client = createClient({ baseUrl: url });
  expect((await client.customers.get("ada")).variables).toEqual({ tier: "gold" });
  part("variables").querySelector("button")!.happen("click");
  await expect.poll(() => part("variables").textContent, settled).toBe("");
  expect(part("problem").hidden).toBe(true);

  await client.sessions.deleteAll({ customer_id: "ada" });
  await expect.poll(() => part("problem").textContent, settled).toContain("erased");
  expect(part("connection").textContent).toBe("not connected");
});

test("the page tells whoever talks with an agent that has a gate that it is an AI, before the first reply", async () => {
  const { url } = await startServer({ demo: true, agents: [createCompanion()] });
  const page = parsePage(html);
  const part = (id: string): FakeElement => elementsOf(page).find((element) => element.attributes.get("id") === id)!;
  const log = (): readonly (string | undefined)[] =>
    part("log")
      .all("li")
      .map(({ textContent }) => textContent.split(" · ")[0]);
  await runPage(page, url);
  await expect.poll(() => part("agent").value, settled).toBe("companion");
  part("open").happen("submit");
  await expect.poll(() => part("say").querySelector("button")!.disabled, settled).toBe(false);
  part("message").value = "hello";
  part("message").happen("keydown", { key: "Enter", shiftKey: false, isComposing: false });
  await expect.poll(log, settled).toEqual(["Customer", "Please note", "companion"]);
  expect(part("log").textContent).toContain("I am an AI companion, not a person");
});

/** The contrast of two colours, by the formula of WCAG 2. */
function contrast(front: string, back: string): number {
  const [light, dark] = [front, back]
    .map((colour) => {
      const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
        const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .toSorted((left, right) => right - left) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
