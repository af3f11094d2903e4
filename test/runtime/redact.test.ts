/** What was said goes from the log, for all who share it; that it was said stays. */
import { describe, expect, test } from "vitest";
import { exportSession } from "../../packages/throughline/src/bundles.ts";
import { redactMessages } from "../../packages/throughline/src/extension/redact.ts";
import type { Runtime, Session, Store } from "../../packages/throughline/src/index.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { collect, echo, echoAgent, started } from "./harness.ts";
import { hangMs } from "../setup/limits.ts";

const redact = (store: Store, session: Session, offsets: readonly number[]): Promise<readonly number[]> =>
  redactMessages({ store, clock: systemClock, ids: createIds(), logger: silentLogger }, session.id, offsets);

/** Offsets of messages by what was said. */
async function placesOf(session: Session, text: string): Promise<readonly number[]> {
  return (await session.messages()).flatMap((message) => (message.text === text ? [message.offset] : []));
}

/** What the session's readers are told went. */
const told = async (session: Session): Promise<readonly (readonly number[])[]> =>
  (await collect(session, { withdrawn: true })).flatMap(({ kind, data }) => (kind === "session" && data.type === "redacted" ? [data.offsets] : []));

async function conversation(runtime: Runtime): Promise<{ readonly session: Session; readonly secret: readonly number[] }> {
  const session = await runtime.sessions.create({ agent: "a1" });
  await session.send("my secret", { metadata: { note: "my secret" } });
  await session.send("hello");
  return { session, secret: [...(await placesOf(session, "my secret")), ...(await placesOf(session, "re:my secret"))] };
}

describe("a redacted message", () => {
  test("has its place and its speaker, and no text for readers, searches, exports and models", async () => {
    const asked: string[] = [];
    const model = echo();
    const agents = [
      echoAgent({ model: { ...model, stream: (request, options) => (asked.push(JSON.stringify(request)), model.stream(request, options)) } }),
    ];
    const runtime = await started({ agents });
    const { session, secret } = await conversation(runtime);
    expect(asked.at(-1)).toContain("my secret");
    expect(await redact(runtime.store, session, [...secret, 0, 2, 999])).toEqual(secret);
    const events = await collect(session);
    expect(JSON.stringify(events)).not.toContain("my secret");
    for (const offset of secret) expect(events[offset]).toMatchObject({ offset, kind: "message", data: { parts: [], redacted: true } });
    expect((await session.messages()).filter(({ redacted }) => redacted === true).map(({ offset, text }) => [offset, text])).toEqual(
      secret.map((offset) => [offset, ""]),
    );
    await session.send("again");
    expect(asked.at(-1)).toContain("hello");
    expect(asked.at(-1)).not.toContain("my secret");
    expect((await runtime.sessions.list({ q: "secret" })).items).toEqual([]);
    expect((await Array.fromAsync(exportSession(runtime.store, session.id))).join("\n")).not.toContain("my secret");
  });

  test("is told of once, to whoever follows the log, however often it is asked for", async () => {
    const runtime = await started();
    const { session, secret } = await conversation(runtime);
    const heard = session.events({ minOffset: (await session.info()).head + 1, signal: AbortSignal.timeout(hangMs) })[Symbol.asyncIterator]();
    await redact(runtime.store, session, secret);
    expect((await heard.next()).value).toMatchObject({ kind: "session", data: { type: "redacted", offsets: secret } });
    await heard.return?.();
    expect(await redact(runtime.store, session, secret)).toEqual(secret);
    expect(await told(session)).toEqual([secret]);
  });

  test("is redacted for the forks that share it and for what they were forked from, and each of them is told", async () => {
    const runtime = await started();
    const { session, secret } = await conversation(runtime);
    const [first = 0, last = 0] = secret;
    const whole = await session.fork();
    const part = await session.fork({ at: last - 1 });
    const further = await whole.fork();
    expect(await redact(runtime.store, whole, secret)).toEqual(secret);
    for (const one of [session, whole, further]) expect(await told(one)).toEqual([secret]);
    expect(await told(part)).toEqual([[first]]);
    for (const one of [session, whole, part, further]) expect(JSON.stringify(await collect(one))).not.toContain("my secret");
  });

  test("is told of to the end when the redaction was cut short", async () => {
    const runtime = await started();
    const { session, secret } = await conversation(runtime);
    const fork = await session.fork();
    for (const upto of [1, 2]) {
      let left = upto;
      const dying: Store = {
        ...forwarding(runtime.store),
        async commit(commit) {
          if (left-- === 0) throw new Error("the process dies");
          return runtime.store.commit(commit);
        },
      };
      if (upto === 1) await expect(redact(dying, session, secret)).rejects.toThrow("the process dies");
      else expect(await redact(dying, session, secret)).toEqual(secret);
    }
    for (const one of [session, fork]) expect(await told(one)).toEqual([secret]);
  });

  test("of a session that has gone is none, and its forks are redacted by their own names", async () => {
    const runtime = await started();
    const { session, secret } = await conversation(runtime);
    const fork = await session.fork();
    await runtime.store.erase({ session_id: session.id });
    expect(await redact(runtime.store, session, secret)).toEqual([]);
    expect(await redact(runtime.store, fork, secret)).toEqual(secret);
    expect(JSON.stringify(await collect(fork))).not.toContain("my secret");
  });
});
