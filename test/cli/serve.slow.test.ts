/** `throughline serve` as a process: what it says, what it refuses, and how it ends. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { command } from "./in-process.ts";
import { diary, type Live, newFolder, run, runBeside, start } from "./run-cli.ts";
import { agentModule } from "./worker-place.ts";

interface Serving {
  readonly live: Live;
  readonly url: string;
  readonly port: number;
}

async function serving(cwd: string, ...words: readonly string[]): Promise<Serving> {
  const live = start(["serve", "--port", "0", ...words], { cwd });
  await live.until(/Ready: .*\n/);
  const [, url = "", port = ""] = /Ready: (http:\/\/[^ ]+:(\d+)) serves/.exec(live.text()) ?? [];
  return { live, url, port: Number(port) };
}

const postJson = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

describe("throughline serve", () => {
  test("works with nothing at all, prints where, refuses a port that is taken, and drains on SIGTERM", async () => {
    const cwd = newFolder();
    const { live, url, port } = await serving(cwd, ...diary);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(live.text()).toContain("serves diary (definition 1) from ./.throughline/throughline.db, up to 16 turns");
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const taken = await runBeside(["serve", "--port", String(port)], { cwd });
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining(`127.0.0.1:${port}: another process listens there`) as string });
    expect(
      (await command(["--db", join(cwd, "none.db"), "doctor"], { folder: cwd, environment: { THROUGHLINE__SERVER__PORT: String(port) } })).out,
    ).toContain(`something listens at 127.0.0.1:${port}`);
    live.child.kill("SIGTERM");
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.text()).toMatch(/Ended on SIGTERM: 0 turns ended here, 0 were left for another process\.\n$/);
  });

  test("answers a message, and logs no word of it", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "agent.ts"), agentModule(1));
    writeFileSync(join(cwd, "throughline.yaml"), "store: ./app.db\nagents: [./agent.ts]\nlog: {level: debug}\n");
    const { live, url } = await serving(cwd);
    const { id } = (await (await postJson(`${url}/v1/sessions`, { agent: "slow" })).json()) as { readonly id: string };
    const posted = await postJson(`${url}/v1/sessions/${id}/events`, { kind: "message", text: "1" });
    expect([200, 201, 202]).toContain(posted.status);
    const events = `${url}/v1/sessions/${id}/events`;
    await expect.poll(async () => (await fetch(events)).text()).toContain("after 1");
    live.child.kill("SIGINT");
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.text()).toContain("Ended on SIGINT: 1 turns ended here");
    expect(live.text()).not.toContain("after 1");
    const remarks = live
      .text()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    expect(remarks.map((line) => (JSON.parse(line) as { readonly message: string }).message)).toContain("request");
  });

  test("drops what is open at the second signal", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "agent.ts"), agentModule(1));
    const { live, url } = await serving(cwd, "--agent", "agent.ts", "--db", "app.db");
    const { id } = (await (await postJson(`${url}/v1/sessions`, { agent: "slow" })).json()) as { readonly id: string };
    await postJson(`${url}/v1/sessions/${id}/events`, { kind: "message", text: "60000" });
    live.child.kill("SIGTERM");
    await live.until('"message":"draining"');
    live.child.kill("SIGTERM");
    expect(await live.ended).toEqual({ code: 0, signal: null });
  });

  test("starts where others can reach it only with an API key", async () => {
    const cwd = newFolder();
    const words = ["serve", "--port", "0", "--host", "0.0.0.0", "--db", join(cwd, "app.db")];
    expect(run(words, { cwd })).toMatchObject({ code: 2, err: expect.stringContaining("(auth.unconfigured)") as string });
    const { out: key } = await command(["--db", join(cwd, "app.db"), "keys", "create", "--name", "x", "--scope", "sessions:read"], { folder: cwd });
    const { live, port } = await serving(cwd, "--host", "0.0.0.0", "--db", "app.db", "--no-work");
    expect(live.text()).toContain("no turns");
    const sessions = `http://127.0.0.1:${port}/v1/sessions`;
    expect((await fetch(sessions)).status).toBe(401);
    expect((await fetch(sessions, { headers: { authorization: `Bearer ${key.trim()}` } })).status).toBe(200);
    live.child.kill("SIGTERM");
    await live.ended;
  });

  test("prints its document, which names the service's version", async () => {
    const { out } = await command(["openapi"], { folder: newFolder() });
    expect(JSON.parse(out)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) as string, info: { title: "Throughline" } });
  });
});
