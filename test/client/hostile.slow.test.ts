/** A client on a bad network: nothing is lost, nothing is doubled, and everything comes in order. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient, eventText, type WireDraft, type WireEvent } from "../../packages/client/src/client.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { databases, newLocation, startServer } from "../setup/server.ts";
import { hostileProxy } from "./hostile-proxy.ts";

const messages = 3;

describe.each(databases)("over a hostile network, on %s", (database) => {
  test("every message is answered once, and every reader sees every event once and in order", async () => {
    const seed = Number(process.env["SEED"] ?? 7);
    const limits = { heartbeatMs: 60, requestsPerMinute: 0, eventReadsPerMinute: 0, waiters: 10_000 };
    const { url, store } = await startServer({ location: await newLocation(database), limits });
    const proxy = await hostileProxy(url, createChooser(seed));
    onTestFinished(() => proxy.close());
    const client = createClient({ baseUrl: proxy.url, retries: 40, backoffMs: 4, timeoutMs: 500, stallMs: 300 });
    const sessions = await Promise.all(["s1", "s2"].map((key) => client.sessions.open({ agent: "a1", customer_id: "ada", key })));
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const { signal } = leaving;

    const read: { readonly events: WireEvent[]; readonly items: (WireEvent | WireDraft)[] } = { events: [], items: [] };
    const several: WireEvent[] = [];
    const [first, second] = sessions;
    const reading = [
      (async () => {
        for await (const event of first!.events({ signal })) read.events.push(event);
      })(),
      (async () => {
        for await (const item of first!.live({ signal })) read.items.push(item);
      })(),
      (async () => {
        for await (const item of client.live([first!.id, second!.id], { signal })) if ("kind" in item) several.push(item);
      })(),
    ];
    const replies = await Promise.all(
      sessions.map(async (session, which) => {
        const said: (string | undefined)[] = [];
        for (let index = 0; index < messages; index++) said.push((await session.send(`${which}.${index}`)).text);
        return said;
      }),
    );
    expect(replies).toEqual(sessions.map((_, which) => Array.from({ length: messages }, (_, index) => `re:${which}.${index}`)));

    // What is in the log, from the store itself.
    const logs = await Promise.all(
      sessions.map(
        async ({ id }) =>
          (await store.read({ session_id: id as never, limit: 1000, kinds: ["message", "status", "session", "tool", "custom", "state"] }))!,
      ),
    );
    const asked = logs.map(({ events }) => events.filter(({ source, kind }) => kind === "message" && source === "customer").length);
    expect(asked).toEqual([messages, messages]);
    const offsets = logs.map(({ events }) => events.map(({ offset }) => offset));
    const last = offsets.map((all) => all.at(-1)!);
    await expect
      .poll(
        () => [
          read.events.at(-1)?.offset,
          read.items.findLast((item) => "kind" in item)?.offset,
          ...sessions.map(({ id }) => several.findLast((event) => event.session_id === id)?.offset),
        ],
        {
          timeout: 40_000,
          interval: 20,
        },
      )
      .toEqual([last[0], last[0], last[0], last[1]]);
    leaving.abort();
    await Promise.all(reading);
    expect(read.events.map(({ offset }) => offset)).toEqual(offsets[0]);
    expect(read.items.flatMap((item) => ("kind" in item ? [item.offset] : []))).toEqual(offsets[0]);
    for (const [which, { id }] of sessions.entries())
      expect(several.filter(({ session_id }) => session_id === id).map(({ offset }) => offset)).toEqual(offsets[which]);
    expect(read.events.filter(({ source, kind }) => kind === "message" && source === "ai_agent").map(eventText)).toEqual(replies[0]);
    expect(draftsLeftOpen(read.items)).toEqual([]);
    // The network did what it was there for.
    expect(
      Object.entries(proxy.harm).filter(([, times]) => times === 0),
      JSON.stringify(proxy.harm),
    ).toEqual([]);
    // Slow only where many tests share the machine.
  }, 60_000);
});

/** Drafts that were shown and not taken back when the message of their turn came, or at the end. */
function draftsLeftOpen(items: readonly (WireEvent | WireDraft)[]): readonly string[] {
  const open = new Set<string>();
  const left: string[] = [];
  for (const item of items) {
    if (!("type" in item)) {
      if (item.source === "ai_agent" && item.kind === "message" && item.turn_id !== undefined && open.has(item.turn_id)) left.push(item.turn_id);
      continue;
    }
    if (item.type === "draft.delta") open.add(item.turn_id);
    else if (item.turn_id === undefined) open.clear();
    else open.delete(item.turn_id);
  }
  return left;
}
