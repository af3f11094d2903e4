import { describe, expect, test } from "vitest";
import { localModel } from "../../packages/server/src/cli/chat/chat-model.ts";
import { answers, closedPort, startProvider, type Provider, type Script } from "../model/provider-server.ts";
import { diary, newFolder, run, runBeside, type Ran } from "./run-cli.ts";

const apiKey = "sk-proj-Zx81hunter2";

/** Says something while the test's own server can answer: to the diary, or as it is started by itself to the companion. */
const tell = (words: readonly string[], env: Readonly<Record<string, string>> = {}, agent: readonly string[] = diary): Promise<Ran> =>
  runBeside(["chat", ...agent, ...words], { cwd: newFolder(), input: "I'm Ada\n", env });

describe("a chat with a model", () => {
  test("is answered by the model that is named, with the diary's sections and state, and the key of the environment", async () => {
    const provider = await startProvider(answers("Welcome, Ada."));
    const { code, out, err } = await tell(["--model", "m-1", "--base-url", provider.baseURL], { THROUGHLINE_API_KEY: apiKey });
    expect({ code, out }).toEqual({ code: 0, out: "Welcome, Ada.\n" });
    expect(err.split("\n")[0]).toBe(`The agent "diary" answers with "m-1 at ${provider.host}".`);
    const { headers, body } = provider.asked[0] ?? {};
    expect(headers?.authorization).toBe(`Bearer ${apiKey}`);
    expect(body).toMatchObject({ model: "m-1", messages: [{ role: "system" }, { role: "user", content: "I'm Ada" }] });
    expect(body?.messages[0]?.["content"]).toMatch(/^# persona\nYou keep a sleep diary[\s\S]*Ada/);
  });
  test("that the environment names answers for the companion, which asks it for everything; its gate stays in front", async () => {
    const provider = await startProvider(answers("Hi."));
    const env = { THROUGHLINE_MODEL: "m-2", THROUGHLINE_BASE_URL: provider.baseURL };
    const { code, out, err } = await tell([], env, []);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^Hi\./) as string });
    expect(err.split("\n").slice(0, 2)).toEqual([expect.stringMatching(/^The companion is an AI/), expect.stringMatching(/^m-2 at \S+ answers\.$/)]);
    expect(new Set(provider.asked.map(({ body }) => body["model"]))).toEqual(new Set(["m-2"]));
    expect(provider.asked.length).toBeGreaterThan(1);
    const { out: urgent } = await runBeside(["chat"], { cwd: newFolder(), input: "I am going to kill myself tonight\n", env });
    expect(urgent).toMatch(/emergency/);
    expect((await tell([], env)).err).toMatch(/^The agent "diary" answers with "diary rules/);
  });
  test("that fails is answered with the apology, and the key is nowhere", async () => {
    const provider = await startProvider((reply) => reply.refuse(401, { error: { message: `Incorrect API key provided: ${apiKey}` } }));
    const { code, out, err } = await tell(["--model", "m-1", "--base-url", provider.baseURL], {
      THROUGHLINE_API_KEY: apiKey,
      THROUGHLINE_DEBUG: "1",
    });
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^Sorry/) as string });
    expect(err).toContain(`${provider.host} answered 401`);
    expect(out + err).not.toContain(apiKey);
  });
  test.each([
    [["--base-url", "http://127.0.0.1:1/v1"], "--base-url needs a model."],
    [["--model", " "], "--model is empty."],
    [["--model", "m", "--base-url", "nowhere"], "openaiCompatible: baseURL is no http or https address."],
  ])("refuses %j", (words, message) => {
    const { code, err } = run(["chat", ...words], { cwd: newFolder(), input: "hi\n" });
    expect({ code, err: err.split("\n")[0] }).toEqual({ code: 2, err: expect.stringContaining(message) as string });
  });
});

describe("an Ollama on this machine", () => {
  const tags: Script = (reply) =>
    reply.refuse(200, { models: [{ name: "nomic-embed-text:latest" }, { name: "$(rm -rf)" }, { name: "llama3.2:3b" }] });
  /** The line that says what answers. */
  const answering = async (env: Readonly<Record<string, string>>): Promise<string | undefined> => (await tell([], env, [])).err.split("\n")[1];
  const at = ({ host }: Provider): { readonly OLLAMA_HOST: string } => ({ OLLAMA_HOST: host });

  test("is offered in the first line with the exact command, and not used unasked", async () => {
    const provider = await startProvider(tags);
    const offer = `Ollama runs on this machine and could: throughline chat --model llama3.2:3b --base-url ${provider.baseURL}`;
    expect(await answering(at(provider))).toBe(`companion rules (offline, no language model) answers. ${offer}`);
    expect(provider.asked.map(({ path }) => path)).toEqual(["/api/tags"]);
    expect(await answering({ ...at(provider), npm_lifecycle_event: "start" })).toMatch(/: npm start -- --model llama3\.2:3b --base-url /);
  });
  test("is not looked for when a model or an agent is named, nor elsewhere than here", async () => {
    const provider = await startProvider(tags, answers("x"));
    await tell(["--model", "m-1", "--base-url", provider.baseURL], at(provider));
    expect(provider.asked.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
    expect((await tell([], at(provider))).err).toMatch(/^The agent "diary" answers with "diary rules .*To use a language model/);
    expect(await localModel({ OLLAMA_HOST: "http://192.0.2.1:80" })).toBeUndefined();
  });
  test.each<[string, Script]>([
    ["is slow", () => {}],
    ["is something else", (reply) => reply.refuse(404)],
    ["has no model that talks", (reply) => reply.refuse(200, { models: [{ name: "nomic-embed-text" }] })],
    ["says nonsense", (reply) => reply.refuse(200, [1])],
  ])("is not offered when it %s", async (_name, script) => {
    expect(await localModel(at(await startProvider(script)))).toBeUndefined();
  });
  test("is not offered when nobody listens", async () => expect(await localModel({ OLLAMA_HOST: await closedPort() })).toBeUndefined());
});
