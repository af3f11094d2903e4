/** Text that was derived from words is not committed once those words were withdrawn, forgotten or erased. */
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  defineTool,
  exportSession,
  importBundle,
  input,
  loop,
  recentMessages,
  scripted,
  ThroughlineError,
  type Agent,
  type ModelRequest,
  type Runtime,
  type Session,
  type Store,
} from "../../../packages/throughline/src/index.ts";
import type { OwnerMemory } from "../../../packages/throughline/src/memory/control/owner-memory.ts";
import type { ArcDraft, ExtractionInput, Extractor } from "../../../packages/throughline/src/memory/write/check-candidate.ts";
import { echoAgent, emptyStore, gate, started } from "../harness.ts";
import { remembering, rowsOf } from "./harness.ts";

const customer = { agent: "friend", customer: "ada" };
const question = "What was I diagnosed with last week?";
const harmless = "My sister Ana plays the cello in the evenings.";
const secret = "I was diagnosed with canarypox last week.";

const arcOf = (summary: string): ArcDraft => ({ summary, themes: ["health"], open_loops: [], resolved: [] });

/** An extractor that waits, at its first call, until it may go on, and then tells what it was shown in words of its own. */
function slowExtractor() {
  const [began, goOn] = [gate(), gate()];
  const shown: ExtractionInput[] = [];
  const extractor: Extractor = {
    name: "slow",
    extract: async (input) => {
      shown.push(input);
      if (shown.length === 1) {
        began.open();
        await goOn.opened;
      }
      const isSecret = JSON.stringify(input).includes("canarypox");
      return { candidates: [], arc: arcOf(isSecret ? "They spoke about canarypox, an illness." : "They spoke about music."), reason: "said" };
    },
  };
  return { extractor, shown, began, goOn };
}

/** What an owner's memory says, all versions of it. */
const memoryOf = async (runtime: Runtime & { readonly store: Store }): Promise<string> => JSON.stringify(await rowsOf(runtime, "ada"));

const offsetOf = async (session: Session, said: string): Promise<number> =>
  (await session.messages()).find(({ text }) => text === said)?.offset ?? -1;

/** An episode that ends while its words are taken back, in whichever way. */
async function drafted(takeBack: (runtime: Runtime & { readonly store: Store }, session: Session) => Promise<unknown>) {
  const { extractor, shown, began, goOn } = slowExtractor();
  const { agent, requests } = remembering({ extractor });
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.open(customer);
  await session.send(harmless);
  await session.send(secret);
  await session.endEpisode();
  await session.send("Good morning.");
  const closing = session.closeEpisode();
  await began.opened;
  expect(JSON.stringify(shown)).toContain("canarypox");
  await takeBack(runtime, session);
  goOn.open();
  await closing;
  const asked = requests.length;
  const later = await runtime.sessions.create(customer);
  await later.send("How did we talk about my health last time?");
  return { memory: await memoryOf(runtime), later: JSON.stringify(requests.slice(asked)), shown };
}

describe("a summary that was drafted before its words were taken back", () => {
  it("is drafted again without words that were withdrawn meanwhile", async () => {
    const { memory, later, shown } = await drafted(async (_, session) => session.withdraw({ from: await offsetOf(session, secret) }));
    expect(memory).not.toContain("canarypox");
    expect(later).not.toContain("canarypox");
    expect(memory).toContain("They spoke about music.");
    expect(shown).toHaveLength(2);
  });

  it("is drafted again without words that were forgotten meanwhile", async () => {
    const { memory, later } = await drafted(async (runtime) => {
      const rows = await rowsOf(runtime, "ada");
      const ids = rows.flatMap(({ entry_id, data }) => (JSON.stringify(data).includes("canarypox") ? [entry_id] : []));
      return runtime.customers.memory("ada").forget(ids);
    });
    expect(memory).not.toContain("canarypox");
    expect(later).not.toContain("canarypox");
    expect(memory).toContain("They spoke about music.");
  });

  it("is not drafted again when other things are remembered meanwhile", async () => {
    const { memory, shown } = await drafted((runtime) => runtime.customers.memory("ada").savePreference("Keep it short."));
    expect(memory).toContain("an illness");
    expect(shown.filter((input) => JSON.stringify(input).includes("cello"))).toHaveLength(1);
  });

  it("leaves nothing when the session is deleted meanwhile", async () => {
    const { memory } = await drafted(async (runtime, session) => {
      await runtime.customers.memory("ada").clear();
      await runtime.store.erase({ session_id: session.id });
    });
    expect(memory).not.toContain("canarypox");
    expect(memory).not.toContain("They spoke");
  });
});

describe("a forgetting", () => {
  /** A store in which somebody else is faster than the first commit that bars words. */
  const overtaken = (store: Store, by: () => Promise<unknown>): Store => {
    let isOver = false;
    return {
      ...store,
      commit: async (change) => {
        if (!isOver && change.owner?.entries?.some(({ kind }) => kind === "bar") === true) {
          isOver = true;
          await by();
        }
        return store.commit(change);
      },
    };
  };

  it.each([false, true])("reaches a message that was written after the logs were read (its text removed: %s)", async (messages) => {
    const { agent, requests } = remembering();
    const inner = await emptyStore("memory");
    let say = async (): Promise<unknown> => undefined;
    const runtime = await started({ agents: [agent], store: overtaken(inner, () => say()) });
    const session = await runtime.sessions.open(customer);
    await session.send(secret);
    const said = `You said: ${secret}`;
    say = () => session.postOperator(said);
    const ids = (await runtime.customers.memory("ada").list({ kind: "turn" })).items.map(({ entry_id }) => entry_id);
    const before = await session.messages();
    const report = await runtime.customers.memory("ada").forget(ids, { messages });
    expect(before.map(({ text }) => text)).not.toContain(said);
    const late = (await session.messages()).findLast(({ role }) => role === "assistant")?.offset ?? -1;
    expect(late).toBeGreaterThan(before.at(-1)?.offset ?? 0);
    expect(report.masked.flatMap(({ offsets }) => offsets)).toContain(late);
    expect((await session.messages()).some(({ text }) => text === said)).toBe(!messages);
    const count = requests.length;
    await session.send("How are you?");
    expect(requests.length).toBe(count + 1);
    expect(JSON.stringify(requests.at(-1))).not.toContain("canarypox");
  });
});

describe("a withdrawal", () => {
  it("reaches the memory from a process that does not have the agent", async () => {
    const store = await emptyStore("memory");
    const { agent } = remembering();
    const first = await started({ agents: [agent], store });
    const session = await first.sessions.open(customer);
    await session.send(harmless);
    await session.send(secret);
    const other = await started({ agents: [echoAgent()], store });
    await (await other.sessions.get(session.id)).withdraw({ from: await offsetOf(session, secret) });
    const memory = await memoryOf(first);
    expect(memory).toContain("cello");
    expect(memory).not.toContain("canarypox");
  });
});

describe("a turn at work while words that it was shown are taken back", () => {
  /** An agent that tells whether it was shown the words, and waits the first time before it answers. */
  const waiting = () => {
    const requests: ModelRequest[] = [];
    const [began, goOn] = [gate(), gate()];
    const wait = async (request: ModelRequest): Promise<void> => {
      if (request.messages.at(-1)?.text !== question || requests.filter(({ messages }) => messages.at(-1)?.text === question).length > 1) return;
      began.open();
      await goOn.opened;
    };
    const model = scripted((request) => {
      requests.push(request);
      if (request.messages.at(-1)?.text !== question) return "ok";
      return { text: `I know of ${JSON.stringify(request).includes("canarypox") ? "canarypox" : "nothing"}.`, wait: () => wait(request) };
    });
    return { agent: remembering({}, { reply: loop({ model }), keepRequests: true }).agent, requests, began, goOn };
  };

  it("drops the answer that rests on them, and answers anew without them", async () => {
    const { agent, requests, began, goOn } = waiting();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open(customer);
    await session.send(secret);
    const sent = session.send(question);
    await began.opened;
    await runtime.customers.memory("ada").clear();
    goOn.open();
    expect((await sent).reply).toBe("I know of nothing.");
    expect((await sent).status).toBe("completed");
    expect(requests).toHaveLength(3);
    expect((await session.prompt())?.body).not.toContain("canarypox");
  });

  it("does so where the words were withdrawn in another session", async () => {
    const { agent, requests, began, goOn } = waiting();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open(customer);
    await session.send(secret);
    await session.memory.setRecall(true);
    const other = await runtime.sessions.create(customer);
    const sent = other.send(question);
    await began.opened;
    expect(JSON.stringify(requests.at(-1))).toContain("canarypox");
    await session.withdraw({ from: await offsetOf(session, secret) });
    goOn.open();
    expect((await sent).reply).toBe("I know of nothing.");
  });

  it("goes on where nothing was taken back, whatever else is remembered meanwhile", async () => {
    const { agent, requests, began, goOn } = waiting();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open(customer);
    await session.send(secret);
    const sent = session.send(question);
    await began.opened;
    await runtime.customers.memory("ada").savePreference("Keep it short.");
    await runtime.customers.memory("ada").remember({ quote: "I live in Bonn.", predicate: "LIVES_IN", object: "Bonn" });
    goOn.open();
    expect((await sent).reply).toBe("I know of canarypox.");
    expect(requests).toHaveLength(2);
  });

  it("shows no later turn its reply where its own message was forgotten", async () => {
    const { agent, requests, began, goOn } = waiting();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open(customer);
    await session.send(secret);
    const sent = session.send(question);
    await began.opened;
    const asked = await offsetOf(session, question);
    await runtime.customers.memory("ada").forget([`session:${session.id}`]);
    goOn.open();
    expect((await sent).status).toBe("completed");
    const count = requests.length;
    await session.send("And now?");
    const shown = JSON.stringify(requests.slice(count));
    expect(shown).not.toContain("canarypox");
    expect(shown).not.toContain(question);
    expect(shown).not.toContain("I know of");
    expect(asked).toBeGreaterThan(0);
  });
});

describe("a tool of a turn", () => {
  const asked = "Please note what I told you.";

  /** An agent whose tool waits the first time, and then keeps in memory what the model was shown. */
  const noting = (keep: (memory: OwnerMemory, text: string) => Promise<unknown>) => {
    const [began, goOn] = [gate(), gate()];
    const outcomes: unknown[] = [];
    const note = defineTool({
      name: "note",
      description: "Notes something.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
      effects: "idempotent",
      execute: async (given, { memory }) => {
        if (memory === undefined) throw new Error("The agent has no memory.");
        if (outcomes.length === 0) {
          began.open();
          await goOn.opened;
        }
        const outcome = await keep(memory, given["text"]).then(
          () => "kept",
          (error: unknown) => ThroughlineError.from(error).code,
        );
        outcomes.push(outcome);
        return outcome;
      },
    });
    const model = scripted((request) => {
      const last = request.messages.at(-1);
      if (last?.text !== asked) return "ok";
      const text = JSON.stringify(request).includes("canarypox") ? "I have canarypox." : "I have nothing.";
      return { calls: [{ call_id: "1", name: "note", arguments: { text } }] };
    });
    return { agent: remembering({}, { reply: loop({ model, tools: [note] }) }).agent, began, goOn, outcomes };
  };

  it.each([
    ["remembers", (memory: OwnerMemory, text: string) => memory.remember({ quote: text })],
    ["saves", (memory: OwnerMemory, text: string) => memory.savePreference(text)],
  ] as const)("%s nothing that rests on words which were taken back meanwhile", async (_, keep) => {
    const { agent, began, goOn, outcomes } = noting(keep);
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open(customer);
    await session.send(secret);
    const sent = session.send(asked);
    await began.opened;
    await runtime.customers.memory("ada").clear();
    goOn.open();
    expect((await sent).status).toBe("completed");
    expect(outcomes[0]).toBe("turn.fenced");
    expect(await memoryOf(runtime)).not.toContain("canarypox");
  });

  it("writes nothing once its turn was cancelled", async () => {
    const { agent, began, goOn, outcomes } = noting((memory, text) => memory.remember({ quote: text }));
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open(customer);
    const sent = session.send(asked);
    await began.opened;
    await session.stop();
    await sent;
    goOn.open();
    await vi.waitFor(() => expect(outcomes).toEqual(["turn.fenced"]));
    expect(await memoryOf(runtime)).not.toContain("I have nothing.");
  });

  it("can forget something and remember it in other words", async () => {
    const { agent, goOn, outcomes } = noting(async (memory) => {
      const { items } = await memory.list({ kind: "turn" });
      const ids = items.flatMap(({ entry_id, entry }) => (JSON.stringify(entry).includes("canarypox") ? [entry_id] : []));
      if (ids.length > 0) await memory.forget(ids);
      await memory.remember({ quote: "I was ill." });
    });
    goOn.open();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open(customer);
    await session.send(secret);
    expect((await session.send(asked)).status).toBe("completed");
    expect(outcomes).toContain("kept");
    expect(outcomes).not.toContain("turn.fenced");
    expect(await memoryOf(runtime)).toContain("I was ill.");
  });
});

describe("a session that is imported", () => {
  /** What a model is shown in a session after it was imported. */
  const shownAfter = async (lines: readonly string[], { store, agent, requests }: Place): Promise<string> => {
    const runtime = await started({ agents: [agent], store });
    const { sessions } = await importBundle(store, lines);
    const session = await runtime.sessions.get(Object.values(sessions)[0] ?? "");
    expect(await session.messages()).not.toEqual([]);
    const count = requests.length;
    await session.send("How are you?");
    return JSON.stringify(requests.slice(count));
  };
  type Place = ReturnType<typeof remembering> & { readonly store: Store };
  const place = async (): Promise<Place> => ({ ...remembering(), store: await emptyStore("memory") });

  /** A customer who has said something, in a store of their own. */
  const said = async (place: Place) => {
    const runtime = await started({ agents: [place.agent], store: place.store });
    const session = await runtime.sessions.open(customer);
    await session.send(harmless);
    await session.send(secret);
    const forget = async (): Promise<void> => {
      const { items } = await runtime.customers.memory("ada").list({ kind: "turn" });
      await runtime.customers.memory("ada").forget(items.flatMap((item) => (JSON.stringify(item).includes("canarypox") ? [item.entry_id] : [])));
    };
    return { session, forget };
  };

  it("hides from models what was forgotten where it comes from, also for a customer who is there already", async () => {
    const [from, to] = [await place(), await place()];
    const { session, forget } = await said(from);
    await forget();
    const lines = await Array.fromAsync(exportSession(from.store, session.id));
    const there = await started({ agents: [to.agent], store: to.store });
    await (await there.sessions.open(customer)).send("Good morning.");
    const shown = await shownAfter(lines, to);
    expect(shown).toContain("cello");
    expect(shown).not.toContain("canarypox");
  });

  it("hides from models what its customer has forgotten where it goes to", async () => {
    const from = await place();
    const { session, forget } = await said(from);
    const lines = await Array.fromAsync(exportSession(from.store, session.id));
    await forget();
    const shown = await shownAfter(lines, from);
    expect(shown).toContain("cello");
    expect(shown).not.toContain("canarypox");
  });

  it("hides from models what was forgotten before, or after, it was forked", async () => {
    for (const isBefore of [true, false]) {
      const [from, to] = [await place(), await place()];
      const { session, forget } = await said(from);
      if (isBefore) await forget();
      const fork = await session.fork();
      if (!isBefore) await forget();
      const shown = await shownAfter(await Array.fromAsync(exportSession(from.store, fork.id)), to);
      expect(shown).toContain("cello");
      expect(shown).not.toContain("canarypox");
    }
  });
});

describe("an agent without a memory", () => {
  const plainly = (wait: (request: ModelRequest) => Promise<void> = async () => {}) => {
    const requests: ModelRequest[] = [];
    const model = scripted((request) => (requests.push(request), { text: "ok", wait: () => wait(request) }));
    const state = defineState({ message: input(z.string()) });
    const plain = defineAgent({ name: "plain", version: 1, state, sections: [recentMessages({ window: 10 })], reply: loop({ model }) });
    return { plain, requests };
  };
  const opened = async (plain: Agent) => {
    const runtime = await started({ agents: [remembering().agent, plain] });
    await (await runtime.sessions.open(customer)).send(secret);
    const session = await runtime.sessions.create({ agent: "plain", customer: "ada" });
    const forget = async (): Promise<unknown> => {
      const { items } = await runtime.customers.memory("ada").list();
      return runtime.customers.memory("ada").forget(items.flatMap((item) => (JSON.stringify(item).includes("canarypox") ? [item.entry_id] : [])));
    };
    return { session, forget };
  };

  it("is not shown a message that said what was forgotten", async () => {
    const { plain, requests } = plainly();
    const { session, forget } = await opened(plain);
    await session.send(harmless);
    await session.send(secret);
    await forget();
    requests.length = 0;
    await session.send("And now?");
    expect(JSON.stringify(requests)).toContain("cello");
    expect(JSON.stringify(requests)).not.toContain("canarypox");
  });

  it("answers anew where words that it was shown are forgotten while it answers", async () => {
    const [began, goOn] = [gate(), gate()];
    const { plain, requests } = plainly(async ({ messages }) => {
      if (messages.at(-1)?.text !== question) return;
      began.open();
      await goOn.opened;
    });
    const { session, forget } = await opened(plain);
    await session.send(secret);
    requests.length = 0;
    const sent = session.send(question);
    await began.opened;
    expect(JSON.stringify(requests)).toContain("canarypox");
    await forget();
    goOn.open();
    expect((await sent).status).toBe("completed");
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1])).not.toContain("canarypox");
  });
});
