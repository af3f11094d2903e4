/** Others' clients of server-sent events, over connections that are cut: nothing is lost, nothing is doubled, and everything comes in order. */
import { EventSource } from "eventsource";
import { createEventSource } from "eventsource-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { wireKinds } from "../../packages/server/src/protocol/wire-event.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { hostileProxy } from "../client/hostile-proxy.ts";
import { startService } from "./service.ts";

interface Seen {
  readonly session_id: string;
  readonly offset: number;
}

/** Begins to read; tells of each event as it comes. */
type Reader = (url: string, tell: (data: string) => void) => void;

const reading: Readonly<Record<string, Reader>> = {
  eventsource: (url, tell) => {
    const source = new EventSource(url);
    for (const kind of wireKinds) source.addEventListener(kind, ({ data }) => tell(String(data)));
    onTestFinished(() => source.close());
  },
  "eventsource-client": (url, tell) => {
    const source = createEventSource({
      url,
      onMessage: ({ event, data }) => (event !== undefined && wireKinds.some((kind) => kind === event) ? tell(data) : undefined),
    });
    onTestFinished(() => source.close());
  },
};

describe.each(Object.entries(reading))("%s", (_name, read) => {
  test("reads one session, and several over one connection, each event once and in order", async () => {
    const { url } = await startService({ limits: { heartbeatMs: 100 } });
    const client = createClient({ baseUrl: url });
    const sessions = await Promise.all(["one", "two"].map((key) => client.sessions.open({ agent: "a1", key })));
    const [first, second] = sessions.map(({ id }) => id) as [string, string];
    // A reader by the standard gives up when it is refused, and waits for ever for one that says nothing: that is left out.
    const proxy = await hostileProxy(url, createChooser(11), { fates: ["cut", "cut", "cut", "cut", "lost", "doubled"] });
    onTestFinished(() => proxy.close());
    const single: Seen[] = [];
    const several: Seen[] = [];
    read(`${proxy.url}/v1/sessions/${first}/events?format=sse`, (data) => single.push(JSON.parse(data) as Seen));
    read(`${proxy.url}/v1/stream?sessions=${first},${second}`, (data) => several.push(JSON.parse(data) as Seen));
    for (let index = 0; index < 12; index++) {
      await Promise.all(sessions.map((session) => session.send(`${index}`)));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const [one = [], two = []] = await Promise.all(
      sessions.map(async (session) => (await session.page({ limit: 1000 })).items.map(({ offset }) => offset)),
    );
    const offsetsOf = (seen: readonly Seen[], id: string): readonly number[] =>
      seen.flatMap(({ session_id, offset }) => (session_id === id ? [offset] : []));
    await expect
      .poll(() => [offsetsOf(single, first), offsetsOf(several, first), offsetsOf(several, second)].map((offsets) => offsets.at(-1)), {
        timeout: 60_000,
      })
      .toEqual([one, one, two].map((offsets) => offsets.at(-1)));
    expect(offsetsOf(single, first)).toEqual(one);
    expect(offsetsOf(several, first)).toEqual(one);
    expect(offsetsOf(several, second)).toEqual(two);
    expect(proxy.harm.cut, JSON.stringify(proxy.harm)).toBeGreaterThan(3);
  }, 120_000);
});
