/** The listed cases of memory in whole turns: what a person says, what they are answered, what a model is shown, what is left in the store. */
import type { Entry } from "../../../packages/throughline/src/memory/entry.ts";
import { describe, expect, it } from "vitest";
import type { Session } from "../../../packages/throughline/src/index.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import type { EmbeddingProvider, Extraction, Extractor, FactCandidate, RuleCandidate } from "../../../packages/throughline/src/memory.ts";
import { memoryControl } from "../../../packages/throughline/src/memory/turn/memory-control.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { arc, fact, source } from "../../memory/write/entries.ts";
import { collect, started } from "../harness.ts";
import { remembering, rowsOf, State } from "./harness.ts";

const day = 86_400_000;
const still = { pollMs: 3_600_000, leaseMs: 600_000, heartbeatMs: 1_000 };

/** An agent that a person can tell what to do with their memory, and the customer ada. */
async function friend(options: Parameters<typeof remembering>[0] = {}, more: Parameters<typeof remembering>[1] = {}) {
  const { agent, requests } = remembering(options, { stages: [memoryControl({ state: State })], ...more });
  const clock = fixedClock(Date.UTC(2026, 10, 1));
  const runtime = await started({ agents: [agent], clock, ...still });
  const open = (key = "1", incognito = false): Promise<Session> => runtime.sessions.open({ agent: "friend", customer: "ada", key, incognito });
  const session = await open();
  const mine = runtime.customers.memory("ada");
  const plant = async (entries: Readonly<Record<string, Entry>>): Promise<void> => {
    const { owner_id } = await runtime.customers.get("ada");
    const rows = Object.entries(entries).map(([entry_id, entry]) => encodeEntry(entry_id, entry));
    await runtime.store.commit({ commit_id: `plant:${Object.keys(entries).join()}`, at: clock.now(), owner: { owner_id, entries: rows } });
  };
  const say = async (text: string, to = session): Promise<string | undefined> => (await to.send(text)).reply ?? undefined;
  const shown = (): string => JSON.stringify(requests.at(-1) ?? null);
  return { runtime, clock, session, open, mine, plant, say, shown, requests };
}
type Friend = Awaited<ReturnType<typeof friend>>;

const ana = { quote: "my sister Ana plays the cello", predicate: "KNOWS", object: { type: "Person", id: "Ana" } } as const;
const tom = { quote: "my brother Tom fixes old clocks", predicate: "KNOWS", object: { type: "Person", id: "Tom" } } as const;
const both = async ({ mine, clock }: Friend): Promise<void> => {
  await mine.remember(ana);
  clock.advance(1_000);
  await mine.remember(tom);
};
/** The numbers of the recall for a message. */
async function diagnosticsOf(session: Session, text: string): Promise<Readonly<Record<string, unknown>>> {
  await session.send(text);
  const recalls = (await collect(session, { kinds: ["turn"] })).flatMap((event) =>
    event.kind === "turn" && event.data.type === "stage" && event.data.recall !== undefined ? [event.data.recall] : [],
  );
  return recalls.at(-1)?.["diagnostics"] as Readonly<Record<string, unknown>>;
}

describe("commands in a conversation", () => {
  it("case 33: an ordinary message is recalled for, and answered with one request; nothing waits", async () => {
    const { session, mine, requests, shown } = await friend();
    await mine.remember(ana);
    expect(await diagnosticsOf(session, "How is my sister Ana?")).toMatchObject({ semantic_hits: 1, retrieval_path: "token_recall" });
    expect(requests).toHaveLength(1);
    expect(shown()).toContain("plays the cello");
    expect(await session.memory.pending()).toBeNull();
  });

  it("who asks what is remembered is told so without a model, with numbers", async () => {
    const given = await friend();
    await both(given);
    const reply = await given.say("What do you remember about me?");
    expect(reply).toContain(`1. “${ana.quote}”`);
    expect(reply).toContain(`2. “${tom.quote}”`);
    expect(given.requests).toEqual([]);
  });

  it("a no to the question keeps everything, and nothing waits any more", async () => {
    const given = await friend();
    await both(given);
    await given.say("forget fact 1");
    expect(await given.session.memory.pending()).toMatchObject({ type: "delete" });
    expect(await given.say("No, keep it.")).not.toBe("ok");
    expect(await given.session.memory.pending()).toBeNull();
    expect(await given.say("yes")).toBe("ok");
    expect(await given.mine.status()).toMatchObject({ facts: 2 });
  });

  it.each(["forget that", "please forget this", "can you forget that?"])(
    "case 38: %j is asked about, since nobody can tell what it means",
    async (text) => {
      const given = await friend();
      await both(given);
      expect(await given.say(text)).not.toBe("ok");
      expect(await given.session.memory.pending()).toBeNull();
      expect(await given.mine.status()).toMatchObject({ facts: 2 });
    },
  );

  it("of several that match a number chooses one, and that still has to be confirmed", async () => {
    const given = await friend();
    await both(given);
    given.clock.advance(1_000);
    await given.mine.remember({ quote: "my aunt plays chess", object: "chess", predicate: "KNOWS" });
    expect(await given.say("forget what I said about plays")).toMatch(/1\. .*\n.*2\. /s);
    expect(await given.session.memory.pending()).toMatchObject({ type: "delete_options", targets: [{}, {}] });
    expect(await given.say("7")).not.toBe("ok");
    expect(await given.session.memory.pending()).toMatchObject({ type: "delete_options" });
    await given.say("2");
    expect(await given.session.memory.pending()).toMatchObject({ type: "delete", target: { preview: expect.stringContaining("chess") as unknown } });
    expect(await given.mine.status()).toMatchObject({ facts: 3 });
    await given.say("yes");
    expect((await given.mine.list({ kind: "fact" })).items.map(({ text }) => text).join()).not.toContain("chess");
    expect(await given.mine.status()).toMatchObject({ facts: 2 });
  });

  it("case 40: a question about what was said before is no command: it is recalled for", async () => {
    const given = await friend();
    await both(given);
    expect(await given.say("Do you remember which instrument my sister Ana plays?")).toBe("ok");
    expect(given.shown()).toContain("plays the cello");
  });

  it("an incognito conversation explains itself, and neither reads nor changes anything", async () => {
    const given = await friend();
    await both(given);
    const hidden = await given.open("secret", true);
    const before = await rowsOf(given.runtime, "ada");
    for (const text of ["What do you remember about me?", "forget fact 1", "yes"]) {
      const reply = await given.say(text, hidden);
      expect(reply).not.toContain("Ana");
      expect(reply === "ok").toBe(text === "yes");
    }
    expect(await rowsOf(given.runtime, "ada")).toEqual(before);
  });

  it("case 43: recall is switched off, and on, in the profile that the next turn is given", async () => {
    const given = await friend();
    for (const [text, enabled] of [
      ["turn recall on", true],
      ["turn recall off", false],
    ] as const) {
      expect(await given.say(text)).not.toBe("ok");
      expect((await given.mine.status()).recall_enabled).toBe(enabled);
      expect(await diagnosticsOf(given.session, "Hello there")).toMatchObject({ proactive_recall: enabled });
    }
  });

  it("a preference is kept as a rule that every later turn is given, whatever it is about", async () => {
    const given = await friend();
    expect(await given.say("remember that I prefer short answers")).not.toBe("ok");
    expect(await diagnosticsOf(await given.open("2"), "Which day is it?")).toMatchObject({ procedural_count: 1, semantic_hits: 0 });
    expect(given.shown()).toContain("prefer short answers");
  });

  it.each([
    ["a number that nothing has", "forget fact 9"],
    ["words that nothing says", "forget what I said about submarines"],
    ["case 46: a no without a question", "no"],
  ])("%s changes nothing, and nothing waits", async (_name, text) => {
    const given = await friend();
    await both(given);
    const before = await rowsOf(given.runtime, "ada");
    expect((await given.say(text)) === "ok").toBe(text === "no");
    expect(await given.session.memory.pending()).toBeNull();
    expect((await rowsOf(given.runtime, "ada")).filter(({ kind }) => kind === "fact")).toEqual(before.filter(({ kind }) => kind === "fact"));
  });

  it("what waits for a yes waits in its own conversation, through a restart, and for half an hour", async () => {
    const given = await friend();
    await both(given);
    await given.say("forget fact 1");
    const other = await given.open("2");
    expect(await given.say("yes", other)).toBe("ok");
    const { agent } = remembering({}, { stages: [memoryControl({ state: State })] });
    const again = await started({ agents: [agent], store: given.runtime.store, clock: given.clock, ...still });
    const session = await again.sessions.open({ agent: "friend", customer: "ada", key: "1" });
    given.clock.advance(31 * 60_000);
    expect(await given.say("yes", session)).toBe("ok");
    expect(await given.mine.status()).toMatchObject({ facts: 2 });
    await given.say("forget fact 1", session);
    await given.say("yes", session);
    expect(await given.mine.status()).toMatchObject({ facts: 1 });
  });

  it("an agent without a memory leaves what is said about one to its model", async () => {
    const { memory: _, ...bare } = { memory: undefined };
    const { agent, requests } = remembering({}, { stages: [memoryControl({ state: State })], memory: undefined, sections: [], ...bare } as never);
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    expect((await session.send("What do you remember about me?")).reply).toBe("ok");
    expect(requests).toHaveLength(1);
    await expect(session.memory.status()).rejects.toMatchObject({ code: "memory.off" });
  });
});

describe("recall in a conversation", () => {
  it("what has no whole triple reads as previously noted, and what has no quote as nothing", async () => {
    const given = await friend();
    await given.plant({
      part: fact({ quote: "the allotment floods in spring", predicate: " ", object: { type: "Event", id: "flood" }, sources: [source(1)] }),
      blank: fact({ quote: " ", predicate: "KNOWS", object: { type: "Event", id: "allotment" }, sources: [source(2)] }),
    });
    await given.say("How is the allotment?");
    expect(given.shown()).toContain('previously noted: \\"the allotment floods in spring\\"');
    expect(given.shown()).not.toContain("KNOWS");
  });

  it("with nothing remembered nothing is searched, and no vector is asked for", async () => {
    let asked = 0;
    const embedding: EmbeddingProvider = {
      ...{ id: "test", dimensions: 2, maxBatch: 8 },
      embed: async (texts) => ((asked += 1), texts.map(() => new Float32Array([1, 0]))),
    };
    const { session } = await friend({ embedding });
    expect(await diagnosticsOf(session, "How is my sister?")).toMatchObject({
      ...{ retrieval_path: "skipped_empty_store", semantic_hits: 0, semantic_store_size: 0, episodic_hits: 0, episodic_store_size: 0 },
      ...{ procedural_count: 0, proactive_recall: false },
    });
    expect(asked).toBe(0);
  });

  it("case 73: of 20 that were replaced and 30 in force none of the 20 is told, and at most as many as the agent takes", async () => {
    const { session, plant, shown } = await friend({ items: 5 });
    const tale = (index: number, more: object = {}) =>
      fact({
        predicate: "KNOWS",
        object: { type: "Event", id: `tale ${index}` },
        quote: `Ana told tale ${index}`,
        sources: [source(index)],
        ...more,
      });
    const old = Array.from({ length: 20 }, (_, index) => [`old${index}`, tale(index + 1, { superseded_by: "new21", retracted_at: 1 })] as const);
    const live = Array.from({ length: 30 }, (_, index) => [`new${index + 21}`, tale(index + 21)] as const);
    await plant(Object.fromEntries([...old, ...live]));
    const { semantic_hits, semantic_store_size } = await diagnosticsOf(session, "Which tale has Ana told?");
    expect([semantic_hits, semantic_store_size]).toEqual([5, 30]);
    expect(shown()).not.toMatch(/tale (?:\d|1\d|20)\\"/);
  });

  it("case 75, case 76: a message that meets nothing says of how much, and empty words are not looked for", async () => {
    const given = await friend();
    await both(given);
    const { retrieval_note } = await diagnosticsOf(given.session, "quantum chromodynamics");
    expect(retrieval_note).toBe("semantic 0 of 2, episodic 0 of 0, 0 rules, recall off, token_recall, 2 meaningful words");
    const empty = await diagnosticsOf(given.session, "and then you were there with them");
    expect(empty).toMatchObject({ semantic_hits: 0, candidates: 0, retrieval_note: expect.stringContaining("0 meaningful words") as unknown });
  });

  it("words without spaces between them are found by their parts", async () => {
    const given = await friend();
    await given.say("我的妹妹在里斯本学大提琴。");
    const other = await given.open("2");
    expect(await diagnosticsOf(other, "妹妹学什么乐器？大提琴吗？")).toMatchObject({ semantic_hits: 1 });
    expect(given.shown()).toContain("里斯本");
  });

  it.each([
    ["case 78", "throws", "token_recall_after_embed_error"],
    ["case 78", "hangs", "token_recall_after_embed_timeout"],
  ] as const)("%s: an embedding model that %s costs the turn nothing but its vectors", async (_case, how, path) => {
    const embed: EmbeddingProvider["embed"] = () => (how === "throws" ? Promise.reject(new Error("away")) : new Promise(() => {}));
    const { agent, requests } = remembering({ embedding: { id: "test", dimensions: 2, maxBatch: 8, embed }, embedDeadlineMs: 20 });
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    await runtime.customers.memory("ada").remember(ana);
    expect((await session.send("How is my sister Ana?")).diagnostics).toMatchObject({ retrieval_path: path, semantic_hits: 1 });
    expect(JSON.stringify(requests.at(-1))).toContain("cello");
  });

  it("vectors of another model are not compared, and the words are enough", async () => {
    const provider = (id: string, vector: readonly number[]): EmbeddingProvider => ({
      ...{ id, dimensions: 2, maxBatch: 8 },
      embed: async (texts) => texts.map(() => new Float32Array(vector)),
    });
    const given = await friend({ embedding: provider("new", [1, 0]) });
    const data = Buffer.from(new Float32Array([1, 0]).buffer).toString("base64");
    await given.plant({
      "fact:tom": fact({ ...tom, sources: [source(1)] }),
      "vec:fact:tom": { type: "vector", of: "fact:tom", provider: "old", dimensions: 2, data, digest: "x" },
    });
    const diagnostics = await diagnosticsOf(given.session, "Something about submarines");
    expect(diagnostics).toMatchObject({ semantic_hits: 0, semantic_store_size: 1 });
  });

  it("case 80, case 81: the first turn of an episode is told the last one however old; later what was found, no older than 30 days, and once", async () => {
    const given = await friend();
    const now = given.clock.now();
    const told = (days: number, id: string, summary: string) => ({
      [`arc:${id}:1`]: arc({
        session_id: id as never,
        episode: 1,
        summary,
        themes: ["pottery"],
        ended_at: now - days * day,
        started_at: now - days * day - 1,
      }),
    });
    await given.plant(told(90, "ses_00000000000000000000000002", "They talked about pottery."));
    const episodes = async (session: Session, text: string) => (await diagnosticsOf(session, text))["episodic_hits"];
    expect(await episodes(given.session, "pottery again")).toBe(1);
    expect(given.shown()).toContain("last session [pottery]: They talked about pottery.");
    expect(await episodes(given.session, "pottery once more")).toBe(0);
    // Another episode of the same session begins with it again; the same words in two arcs are told once.
    await given.plant(told(1, "ses_00000000000000000000000003", "They talked about pottery."));
    await given.session.endEpisode();
    expect(await episodes(given.session, "Good morning")).toBe(1);
    expect(await episodes(given.session, "And pottery?")).toBe(1);
  });
});

describe("what an episode leaves behind", () => {
  const quoted = (quote: string, more: Partial<FactCandidate> = {}): FactCandidate => ({
    ...{ type: "fact", category: "relationship", subject: { type: "User", id: "user" }, predicate: "KNOWS", object: { type: "Person", id: "Ana" } },
    ...{ quote, offset: 0, confidence: "high", reason: "said so" },
    ...more,
  });
  const wish = (quote: string, text: string, offset = 0): RuleCandidate => ({ type: "rule", text, quote, offset, reason: "wished" });
  const draft = (summary: string) => ({ summary, themes: ["family"], open_loops: [], resolved: [] });

  /** What is remembered after an episode in which this was said, and this was found. */
  async function closed(
    said: readonly string[],
    found: Partial<Extraction>,
    options: { readonly incognito?: boolean; readonly fails?: boolean; readonly before?: Readonly<Record<string, Entry>> } = {},
  ) {
    const extract: Extractor["extract"] = async ({ turns }) => {
      if (options.fails === true) throw new Error("the model is away");
      // An offset here counts the messages.
      const candidates = (found.candidates ?? []).map((one) => ({ ...one, offset: turns[one.offset]?.offset ?? 0 }));
      return { arc: null, reason: "scripted", ...found, candidates };
    };
    const given = await friend({ extractor: { name: "scripted@1", extract } });
    if (options.before !== undefined) await given.plant(options.before);
    const session = options.incognito === true ? await given.open("secret", true) : given.session;
    for (const text of said) expect((await session.send(text)).status).toBe("completed");
    given.clock.advance(21 * 60_000);
    await given.runtime.closeEpisodes();
    const rows = [...new Map((await rowsOf(given.runtime, "ada")).map((row) => [row.entry_id, row])).values()];
    const of = (kind: string) => rows.flatMap((row) => (row.kind === kind && row.data !== null ? [row.data] : []));
    return {
      given,
      facts: of("fact"),
      arcs: of("arc"),
      rules: (of("profile")[0]?.["rules"] ?? []) as readonly { readonly text: string; readonly confidence: string }[],
    };
  }
  const worthless = (quote: string): FactCandidate =>
    quoted(quote, { category: "context", predicate: "EXPERIENCED", object: { type: "Concern", id: "worthless" } });

  it.each<readonly [string, readonly string[], Partial<Extraction>, readonly object[]]>([
    [
      "case 83: said once and echoed by the arc",
      ["My sister Ana came to visit.", "It was lovely."],
      { candidates: [quoted("My sister Ana")], arc: draft("They spoke of Ana's visit.") },
      [{ quote: "My sister Ana", written: "episode_end", policy: "throughline.memory.1" }],
    ],
    ["said once and echoed by nothing", ["My sister Ana came to visit."], { candidates: [quoted("My sister Ana")] }, []],
    [
      "case 85: a belief against oneself, once",
      ["I'm worthless."],
      { candidates: [worthless("I'm worthless")], arc: draft("They feel worthless.") },
      [],
    ],
    [
      "case 85: a belief against oneself, in two turns",
      ["I'm worthless.", "Work was long.", "I feel so worthless."],
      { candidates: [worthless("I'm worthless"), { ...worthless("I feel so worthless"), offset: 2 }] },
      [{ written: "promotion" }],
    ],
    [
      "all of it, in a conversation that is to be kept out",
      ["My sister Ana came to visit.", "Ana stayed for a week.", "Please don't save anything from this conversation."],
      { candidates: [quoted("My sister Ana")], arc: draft("They spoke of Ana.") },
      [],
    ],
    [
      "case 88: all of it, though details are not remembered",
      ["My sister Ana came to visit.", "Ana stayed, but I don't remember the details."],
      { candidates: [quoted("My sister Ana")], arc: draft("They spoke of Ana's visit.") },
      [{ quote: "My sister Ana" }],
    ],
    ["what nobody said", ["My sister came to visit."], { candidates: [quoted("My sister Ana")], arc: draft("They spoke of Ana's visit.") }, []],
  ])("facts of %s", async (_name, said, found, facts) => {
    expect((await closed(said, found)).facts).toMatchObject(facts);
  });

  it("case 86: a correction takes the old one's place at the end of the episode, and only the new one is told", async () => {
    const lives = (quote: string, id: string): FactCandidate =>
      quoted(quote, { category: "context", predicate: "LIVES_IN", object: { type: "Place", id } });
    const said = ["I have moved: I live in Porto now.", "Porto is full of hills."];
    const given = await closed(
      said,
      { candidates: [lives("I live in Porto", "Porto")], arc: draft("They moved to Porto.") },
      {
        before: { old: fact({ predicate: "LIVES_IN", quote: "I live in Lisbon", object: { type: "Place", id: "Lisbon" }, sources: [source(1)] }) },
      },
    );
    const [porto, lisbon] = ["Porto", "Lisbon"].map((id) => given.facts.find(({ object }) => (object as { readonly id: string }).id === id));
    expect(porto).not.toHaveProperty("superseded_by");
    expect(lisbon).toMatchObject({ quote: "I live in Lisbon", superseded_by: expect.any(String) as unknown });
    await given.given.say("Where do I live?", await given.given.open("2"));
    expect(given.given.shown()).toContain("Porto");
    expect(given.given.shown()).not.toContain("Lisbon");
  });

  it.each([
    [2, "medium"],
    [3, "high"],
  ])("case 90: a wish in %i turns is a rule, confidence %s", async (times, confidence) => {
    // Nobody asks for it outright; that would be kept at once.
    const said = ["Long answers tire me.", "I lose the thread in long answers.", "It was one of those long answers again."].slice(0, times);
    const candidates = said.map((text, index) => wish(/long answers/i.exec(text)?.[0] ?? "", "Keep it short.", index));
    expect((await closed(said, { candidates })).rules).toMatchObject([{ text: "Keep it short.", confidence }]);
  });

  it("case 91: a wish that would weaken what keeps a person safe is none, however often", async () => {
    const said = Array.from({ length: 3 }, () => "Never mention hotlines to me.");
    const candidates = said.map((_, index) => wish("Never mention hotlines to me", "Never mention hotlines.", index));
    expect((await closed(said, { candidates })).rules).toEqual([]);
  });

  it.each([
    ["an extractor that finds no arc", {}],
    ["an extractor that fails", { fails: true }],
    ["an incognito conversation", { incognito: true }],
  ])("case 93: %s leaves none, and the conversation goes on", async (_name, options) => {
    const { given, arcs, facts } = await closed(["My sister Ana came to visit.", "Goodbye."], { candidates: [] }, options);
    expect([arcs, facts]).toEqual([[], []]);
    expect(await given.say("Good morning")).toBe("ok");
  });
});
