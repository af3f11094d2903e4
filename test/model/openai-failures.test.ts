import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { openaiCompatible } from "../../packages/throughline/src/index.ts";
import { fixedRandom } from "../../packages/throughline/src/testing.ts";
import { everythingOf, fastClock, outcomeOf, request } from "./asking.ts";
import { answers, choice, closedPort, startProvider, usageEvent, type Script } from "./provider-server.ts";

const model = "m-1";
const apiKey = "sk-proj-Zx81hunter2";
const said = "my name is Ada and I am sad";

const refuses =
  (status: number, headers: Readonly<Record<string, string>> = {}): Script =>
  (reply) =>
    reply.refuse(status, { error: { message: `no: ${said} ${apiKey}`, type: "server_error", code: null } }, headers);

describe("a failure before any text", () => {
  it.each([
    ["429 with Retry-After in seconds", refuses(429, { "retry-after": "2" }), 2_000],
    ["429 with Retry-After in milliseconds", refuses(429, { "retry-after-ms": "150", "retry-after": "20" }), 150],
    ["500", refuses(500), undefined],
    ["503", refuses(503), undefined],
    ["529", refuses(529), undefined],
    ["a destroyed connection", (reply) => reply.cut(), undefined],
    [
      "a stream that is cut after its first event",
      (reply) => {
        reply.send(choice({ role: "assistant" }));
        reply.end();
      },
      undefined,
    ],
    [
      "an overload told in the stream",
      (reply) => {
        reply.send({ error: { code: 503, message: said } });
        reply.end();
      },
      undefined,
    ],
  ] satisfies readonly (readonly [string, Script, number | undefined])[])("is tried again: %s", async (_name, script, pause) => {
    const clock = fastClock(40);
    const provider = await startProvider(script, answers("All well."));
    const { text, error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, clock }));
    expect({ text, error, calls: provider.asked.length }).toEqual({ text: "All well.", error: undefined, calls: 2 });
    if (pause !== undefined) expect(clock.slept).toContain(pause);
  });
  it("as a date in Retry-After is waited for", async () => {
    const clock = fastClock(40);
    const date = new Date(Date.now() + 4_000).toUTCString();
    const provider = await startProvider(refuses(429, { "retry-after": date }), answers("ok"));
    expect(await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, clock }))).toMatchObject({ text: "ok" });
    expect(Math.max(...clock.slept)).toBeGreaterThan(1_500);
    expect(Math.max(...clock.slept)).toBeLessThanOrEqual(4_000);
  });
  it("that asks for a long pause is told at once, with the pause", async () => {
    const provider = await startProvider(refuses(429, { "retry-after": "3600" }));
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model }));
    expect(error).toMatchObject({ code: "model.failed", retryable: true, details: { status: 429, retry_after_ms: 3_600_000, attempts: 1 } });
  });
  it("that stays is told after the last try, with pauses that grow", async () => {
    const clock = fastClock(60);
    const provider = await startProvider(refuses(500));
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, clock, retries: 3, random: fixedRandom(3) }));
    expect(error).toMatchObject({
      code: "model.failed",
      kind: "unavailable",
      message: `${provider.host} answered 500 (server_error).`,
      details: { status: 500, attempts: 4 },
    });
    const [first = 0, second = 0, third = 0] = clock.slept;
    expect([first >= 250 && first <= 500, second >= 500 && second <= 1_000, third >= 1_000 && third <= 2_000]).toEqual([true, true, true]);
  });
  it.each([
    [400, 1],
    [401, 1],
    [404, 1],
    [422, 1],
    [408, 3],
    [425, 3],
    [429, 3],
    [502, 3],
  ])("%i is asked %i times", async (status, calls) => {
    const provider = await startProvider(refuses(status));
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, clock: fastClock(60) }));
    expect({ calls: provider.asked.length, details: error?.details }).toEqual({ calls, details: { status, attempts: calls } });
  });
  it("of an account without money is not tried again", async () => {
    const provider = await startProvider((reply) => reply.refuse(429, { error: { code: "insufficient_quota", message: said } }));
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model }));
    expect(error).toMatchObject({ message: `${provider.host} answered 429 (insufficient_quota).`, details: { attempts: 1 } });
  });
  it("to connect names its reason", async () => {
    const host = await closedPort();
    const { error } = await outcomeOf(openaiCompatible({ baseURL: `http://${host}/v1`, model, clock: fastClock(60), retries: 1 }));
    expect(error).toMatchObject({ code: "model.failed", message: `The connection to ${host} failed (ECONNREFUSED).`, details: { attempts: 2 } });
  });
  it("by a redirect is told, and nothing is sent there", async () => {
    const elsewhere = await startProvider(answers("caught"));
    const provider = await startProvider((reply) => reply.refuse(307, {}, { location: `${elsewhere.baseURL}/chat/completions` }));
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, apiKey }));
    expect(error).toMatchObject({
      code: "model.failed",
      message: expect.stringContaining("redirects") as unknown,
      details: { status: 307, attempts: 1 },
    });
    expect(elsewhere.asked).toEqual([]);
  });
});

describe("a failure after some text", () => {
  it.each<[string, Script, string]>([
    ["a stream that ends", (reply) => reply.end(), "model.invalid_response"],
    [
      "a connection that is destroyed",
      async (reply) => {
        await reply.pause(30);
        reply.cut();
      },
      "model.invalid_response",
    ],
    [
      "[DONE] without a reason",
      (reply) => {
        reply.raw("data: [DONE]\n\n");
        reply.end();
      },
      "model.invalid_response",
    ],
    [
      "an event that is cut in two",
      (reply) => {
        reply.raw(`data: {"choices":[{"del`);
        reply.end();
      },
      "model.invalid_response",
    ],
    ["an event that is not JSON", (reply) => reply.raw("data: <html>oops</html>\n\n"), "model.invalid_response"],
    ["an event that is no object", (reply) => reply.raw("data: [1,2]\n\n"), "model.invalid_response"],
    ["an error in the stream", (reply) => reply.send({ error: { type: "server_error", message: said } }), "model.failed"],
    ["silence", () => {}, "model.failed"],
  ])("is not tried again: %s", async (_name, script, code) => {
    const provider = await startProvider(async (reply, call) => {
      reply.text("half a ");
      await script(reply, call);
    });
    const { text, error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, stallMs: 150 }));
    expect({ text, code: error?.code, calls: provider.asked.length }).toEqual({ text: "half a ", code, calls: 1 });
    expect(JSON.stringify(error)).not.toContain("Ada");
  });
});

describe("what is no stream", () => {
  it.each<[string, Script]>([
    ["a JSON answer", (reply) => reply.refuse(200, choice({ content: "x" }, "stop"))],
    [
      "a web page",
      (reply) => {
        reply.open({ "content-type": "text/html" });
        reply.raw("<html>\n\n<p>data</p></html>");
        reply.end();
      },
    ],
    [
      "nothing",
      (reply) => {
        reply.open();
        reply.end();
      },
    ],
  ])("is unreadable: %s", async (_name, script) => {
    const provider = await startProvider(script);
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model }));
    expect(error).toMatchObject({ code: "model.invalid_response", message: `${provider.host} answered without a stream of events.` });
  });
});

describe("time", () => {
  it("to the first piece is limited; comments and headers are none", async () => {
    const provider = await startProvider(async (reply) => {
      reply.open();
      for (let count = 0; count < 20; count += 1) {
        reply.raw(": still here\n\n");
        await reply.pause(30);
      }
    });
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, firstByteMs: 120, retries: 0 }));
    expect(error).toMatchObject({ code: "model.failed", message: `${provider.host} did not begin to answer within 120 ms.` });
    await provider.asked[0]?.left;
  });
  it("between pieces is limited; a slow stream that moves, or says that it lives, is not cut", async () => {
    const provider = await startProvider(async (reply) => {
      for (const text of ["a", "b", "c"]) {
        reply.text(text);
        await reply.pause(70);
        reply.raw(": ping\n\n");
        await reply.pause(70);
      }
      reply.finish();
    });
    expect(await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, stallMs: 110 }))).toMatchObject({ text: "abc", error: undefined });
  });
  it("of the whole answer is limited, every try included", async () => {
    const endless: Script = async (reply) => {
      for (;;) {
        reply.text("la ");
        await reply.pause(20);
      }
    };
    const provider = await startProvider(endless);
    const { text, error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, timeoutMs: 200 }));
    expect(text).toMatch(/^la la /);
    expect(error).toMatchObject({ code: "model.failed", message: `${provider.host} did not finish its answer within 200 ms.` });
  });
  it("is not spent on a pause that is longer than what is left of it", async () => {
    const busy = await startProvider(refuses(503, { "retry-after": "25" }));
    const { error } = await outcomeOf(openaiCompatible({ baseURL: busy.baseURL, model, timeoutMs: 5_000 }));
    expect(error?.details).toEqual({ status: 503, retry_after_ms: 25_000, attempts: 1 });
  });
  it("also ends a fetch that does not listen", async () => {
    const deaf: typeof globalThis.fetch = () => new Promise<Response>(() => {});
    const slow = openaiCompatible({ baseURL: "http://127.0.0.1/v1", model, fetch: deaf, firstByteMs: 40, retries: 0 });
    expect((await outcomeOf(slow)).error?.code).toBe("model.failed");
    const reason = new Error("enough");
    await expect(outcomeOf(openaiCompatible({ baseURL: "http://127.0.0.1/v1", model, fetch: deaf }), {}, abortedSoon(reason))).rejects.toBe(reason);
  });
});

const abortedSoon = (reason: Error, ms = 30): AbortSignal => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(reason), ms);
  return stop.signal;
};

describe("aborting", () => {
  const reason = new Error("the turn was stopped");
  it("in the middle of the stream closes the connection at once, with the signal's reason", async () => {
    const provider = await startProvider((reply) => reply.text("one ", "two "));
    await expect(outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model }), {}, abortedSoon(reason, 60))).rejects.toBe(reason);
    await provider.asked[0]?.left;
  });
  it("before the first byte closes it too, and during a pause nothing more is sent", async () => {
    const silent = await startProvider(() => {});
    await expect(outcomeOf(openaiCompatible({ baseURL: silent.baseURL, model }), {}, abortedSoon(reason, 60))).rejects.toBe(reason);
    await silent.asked[0]?.left;
    const busy = await startProvider(refuses(503, { "retry-after": "1" }));
    await expect(outcomeOf(openaiCompatible({ baseURL: busy.baseURL, model }), {}, abortedSoon(reason, 60))).rejects.toBe(reason);
    await delay(30);
    expect(busy.asked.length).toBe(1);
  });
  it("before the call sends nothing", async () => {
    const provider = await startProvider(answers("x"));
    await expect(outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model }), {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(provider.asked).toEqual([]);
  });
  it("by a reader who leaves closes the connection", async () => {
    const provider = await startProvider((reply) => reply.text("one "));
    for await (const part of openaiCompatible({ baseURL: provider.baseURL, model }).stream(request(), { signal: new AbortController().signal })) {
      expect(part).toMatchObject({ text: "one " });
      break;
    }
    await provider.asked[0]?.left;
  });
});

describe("hedging", () => {
  const silent: Script = () => {};
  it("takes the answer that begins first, and ends the other request", async () => {
    const provider = await startProvider(silent, answers("second"));
    const { text, parts } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, hedgeMs: 40, retries: 0 }));
    expect({ text, ends: parts.filter((part) => part.type === "finish").length, calls: provider.asked.length }).toEqual({
      text: "second",
      ends: 1,
      calls: 2,
    });
    await provider.asked[0]?.left;
  });
  it("keeps the first if it is quicker after all, or if the second fails", async () => {
    const late: Script = async (reply) => {
      await reply.pause(120);
      await answers("first")(reply, 0);
    };
    for (const second of [silent, refuses(500)]) {
      const provider = await startProvider(late, second);
      const { text } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, hedgeMs: 40, retries: 0 }));
      expect({ text, calls: provider.asked.length }).toEqual({ text: "first", calls: 2 });
      if (second === silent) await provider.asked[1]?.left;
    }
  });
  it("sends nothing twice when the first answer is in time", async () => {
    const provider = await startProvider(answers("in time"));
    expect((await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, hedgeMs: 3_000 }))).text).toBe("in time");
    expect(provider.asked.length).toBe(1);
  });
  it("fails when both do, and is aborted with both", async () => {
    const failing = await startProvider(async (reply) => {
      await reply.pause(80);
      reply.refuse(500);
    });
    const { error } = await outcomeOf(openaiCompatible({ baseURL: failing.baseURL, model, hedgeMs: 30, retries: 0 }));
    expect(error).toMatchObject({ code: "model.failed", details: { status: 500, attempts: 2 } });
    const provider = await startProvider(silent);
    await expect(
      outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, hedgeMs: 20 }), {}, abortedSoon(new Error("enough"), 100)),
    ).rejects.toThrow("enough");
    await Promise.all(provider.asked.map((asked) => asked.left));
    expect(provider.asked.length).toBe(2);
  });
});

describe("the key and what was said", () => {
  it.each<[string, Script]>([
    ["401", (reply) => reply.refuse(401, { error: { message: `Incorrect API key provided: ${apiKey}. ${said}`, code: apiKey, type: said } })],
    ["500", refuses(500)],
    [
      "garbage",
      (reply) => {
        reply.raw(`data: ${apiKey} ${said}\n\n`);
        reply.end();
      },
    ],
    [
      "an error in the stream",
      (reply) => {
        reply.send({ error: { message: `${apiKey} ${said}`, code: apiKey } });
        reply.end();
      },
    ],
    ["a cut", (reply) => reply.cut()],
  ])("are in no error: %s", async (_name, script) => {
    const consoles = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
    const provider = await startProvider(script);
    const own = openaiCompatible({ baseURL: provider.baseURL, model, apiKey, headers: { "x-key": apiKey }, clock: fastClock(60) });
    const { error } = await outcomeOf(own, { messages: [{ role: "user", text: said }] });
    if (error === undefined) throw new Error("It should fail.");
    const shown = `${everythingOf(error, (value) => inspect(value, { depth: 10, showHidden: true }))}${inspect(own, { depth: 10 })}${JSON.stringify(own)}`;
    expect(shown).not.toContain(apiKey);
    expect(shown).not.toContain(said);
    expect(provider.asked[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    for (const each of consoles) expect(each).not.toHaveBeenCalled();
  });
  it.each([
    [
      "throws",
      () => {
        throw new Error(apiKey);
      },
    ],
    ["gives nonsense", () => `${apiKey}\r\nx-evil: 1`],
    ["rejects", async () => Promise.reject(new Error(apiKey))],
  ])("are in no error when the function that gives the key %s", async (_name, give) => {
    const provider = await startProvider(answers("x"));
    const { error } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, apiKey: give }));
    expect(error).toMatchObject({ code: "model.failed", details: { attempts: 1 } });
    expect(error === undefined ? apiKey : everythingOf(error, (value) => inspect(value, { depth: 10 }))).not.toContain(apiKey);
    expect(provider.asked).toEqual([]);
  });
  it("a key is asked for before every try", async () => {
    const keys = ["old", "new"];
    const provider = await startProvider(refuses(500), answers("ok"));
    await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, apiKey: async () => keys.shift(), clock: fastClock(60) }));
    expect(provider.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
  });
});

it("usage of a failed try is not counted twice", async () => {
  const provider = await startProvider((reply) => {
    reply.send(usageEvent({ prompt_tokens: 9, completion_tokens: 9 }));
    reply.end();
  }, answers("ok"));
  const { parts } = await outcomeOf(openaiCompatible({ baseURL: provider.baseURL, model, clock: fastClock(60) }));
  expect(parts.at(-1)).toMatchObject({ usage: { input: 12, output: 5 } });
});

it.each<[string, readonly Script[], object]>([
  ["an answer", [answers("ok")], {}],
  ["an answer after a refusal", [refuses(503), answers("ok")], {}],
  ["a refusal", [refuses(401)], {}],
  ["a cut", [(reply) => reply.cut()], { retries: 0 }],
  ["a hedged answer", [() => {}, answers("ok")], { hedgeMs: 50 }],
  ["a reader who leaves", [(reply) => reply.text("x")], {}],
])("%s leaves no timer behind", async (_name, scripts, options) => {
  const clock = fastClock(2);
  const provider = await startProvider(...scripts);
  const parts = openaiCompatible({ baseURL: provider.baseURL, model, clock, ...options }).stream(request(), { signal: new AbortController().signal });
  const reading = (async () => {
    for await (const part of parts) if (part.type === "text_delta") return;
  })();
  await reading.catch(() => {});
  await vi.waitFor(() => expect(clock.sleeping()).toBe(0));
});
