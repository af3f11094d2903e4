/** LangGraph's savers, called as LangGraph calls them in a turn of a graph with one node, and graphs that race. */
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { type BaseCheckpointSaver, type Checkpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { ThroughlineSaver } from "@throughline/adapters/langgraph";
import type { Contestant, Conversation, Opened } from "./contestant.ts";
import { postgresQuery } from "./places.ts";
import { type BetterSqlite, betterSqlite, syncLevel } from "./sqlite-file.ts";
import type { Turn } from "./text.ts";

type Config = Parameters<BaseCheckpointSaver["getTuple"]>[0];
type Versions = Record<string, number>;

/** A thread as LangGraph keeps it in memory between two calls of its saver. */
class Thread implements Conversation {
  readonly #saver: BaseCheckpointSaver;
  readonly #id: string;
  #config: Config;
  #messages: BaseMessage[] = [];
  #versions: Versions = {};
  #step = -2;
  #turn10: { readonly config: Config; readonly messages: readonly BaseMessage[]; readonly versions: Versions } | undefined;

  constructor(saver: BaseCheckpointSaver, id: string) {
    this.#saver = saver;
    this.#id = id;
    this.#config = { configurable: { thread_id: id, checkpoint_ns: "" } };
  }

  /** Three checkpoints and two sets of writes: input, after the start, after the node. */
  async commit({ number, asked, answered }: Turn): Promise<void> {
    const said = new HumanMessage({ content: asked, id: `human-${number}` });
    const answer = new AIMessage({ content: answered, id: `ai-${number}` });
    await this.#put("input", { __start__: { messages: [said] } }, ["__start__"]);
    const started: [string, unknown][] = [
      ["messages", [said]],
      ["branch:to:answer", null],
    ];
    await this.#saver.putWrites(this.#config, started, uuid6(1));
    this.#messages = [...this.#messages, said];
    await this.#put("loop", { messages: this.#messages, "branch:to:answer": null }, ["__start__", "messages", "branch:to:answer"]);
    await this.#saver.putWrites(this.#config, [["messages", [answer]]], uuid6(2));
    this.#messages = [...this.#messages, answer];
    await this.#put("loop", { messages: this.#messages }, ["messages", "branch:to:answer"]);
    if (number === 10) this.#turn10 = { config: this.#config, messages: this.#messages, versions: this.#versions };
  }

  async #put(source: "input" | "loop", values: Record<string, unknown>, changed: readonly string[]): Promise<void> {
    const next = Object.values(this.#versions).reduce((most, version) => Math.max(most, version), 0) + 1;
    const newVersions = Object.fromEntries(changed.map((channel) => [channel, next]));
    this.#versions = { ...this.#versions, ...newVersions };
    const kept = this.#messages.length > 0 && source === "input" ? { messages: this.#messages } : {};
    this.#config = await this.#saver.put(
      this.#config,
      this.#checkpoint({ ...kept, ...values }),
      { source, step: ++this.#step, parents: {} },
      newVersions,
    );
  }

  #checkpoint(channel_values: Record<string, unknown>): Checkpoint {
    const seen = this.#versions["messages"] ?? 1;
    const versions_seen = { __input__: {}, __start__: { __start__: seen }, answer: { "branch:to:answer": seen } };
    return { v: 4, id: uuid6(this.#step), ts: new Date().toISOString(), channel_values, channel_versions: this.#versions, versions_seen };
  }

  async load(): Promise<number> {
    const tuple = await this.#saver.getTuple({ configurable: { thread_id: this.#id, checkpoint_ns: "" } });
    const messages = tuple?.checkpoint.channel_values["messages"];
    return Array.isArray(messages) ? messages.length : 0;
  }

  async loadTurn10(): Promise<unknown> {
    return this.#saver.getTuple(this.#turn10?.config ?? {});
  }

  async append(number: number): Promise<void> {
    await this.#saver.putWrites(this.#config, [["messages", [{ noted: number }]]], `task-${number}`);
  }

  async fork(): Promise<unknown> {
    const { config, messages, versions } = this.#turn10 ?? { config: {}, messages: [], versions: {} };
    const changed = { messages: (versions["messages"] ?? 0) + 1 };
    const checkpoint = {
      ...this.#checkpoint({ messages: [...messages, new HumanMessage("another way")] }),
      channel_versions: { ...versions, ...changed },
    };
    return this.#saver.put(config, checkpoint, { source: "update", step: 1, parents: {} }, changed);
  }

  async history(): Promise<number> {
    return (await Array.fromAsync(this.#saver.list({ configurable: { thread_id: this.#id, checkpoint_ns: "" } }, { limit: 20 }))).length;
  }

  async remove(): Promise<void> {
    await this.#saver.deleteThread(this.#id);
  }
}

/** Two invocations of a graph at once, on one thread, 20 times: how many of the 40 are not in the state afterwards. */
async function lostOfPairs(saver: BaseCheckpointSaver): Promise<number> {
  const spec = Annotation.Root({ ...MessagesAnnotation.spec, count: Annotation<number>({ reducer: (one, two) => one + two, default: () => 0 }) });
  const graph = new StateGraph(spec)
    .addNode("answer", async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { messages: [new AIMessage("yes")], count: 1 };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
  let lost = 0;
  for (let pair = 0; pair < 20; pair++) {
    const config = { configurable: { thread_id: `pair-${pair}` }, durability: "sync" as const };
    await Promise.all(["one", "two"].map((what) => graph.invoke({ messages: [new HumanMessage(what)] }, config)));
    lost += 2 - ((await graph.getState(config)).values as { readonly count: number }).count;
  }
  return lost;
}

const opened = (saver: BaseCheckpointSaver, durability: () => Promise<string>, close: () => Promise<void>): Opened => ({
  begin: async (id) => new Thread(saver, id),
  lostOfPairs: () => lostOfPairs(saver),
  durability,
  close,
});

const commit = "3 checkpoints, 2 sets of writes";
const versions = "langgraph 1.4.18, checkpoint 1.1.5";

export const sqliteSaver: Contestant = {
  name: "LangGraph SqliteSaver",
  versions: `${versions}, checkpoint-sqlite 1.0.4 on node:sqlite`,
  engine: "sqlite",
  commit,
  async open(location) {
    const database: BetterSqlite = betterSqlite(location);
    const saver = new SqliteSaver(database);
    const level = (): unknown => (database.pragma("synchronous") as readonly Record<string, unknown>[])[0]?.["synchronous"];
    return opened(
      saver,
      async () => syncLevel(level()),
      async () => database.close(),
    );
  },
};

export const postgresSaver: Contestant = {
  name: "LangGraph PostgresSaver",
  versions: `${versions}, checkpoint-postgres 1.0.5`,
  engine: "postgres",
  commit,
  async open(location) {
    const saver = PostgresSaver.fromConnString(location);
    await saver.setup();
    const level = async (): Promise<unknown> => (await postgresQuery(location, "SHOW synchronous_commit"))[0]?.["synchronous_commit"];
    return opened(
      saver,
      async () => `synchronous_commit=${String(await level())}`,
      () => saver.end(),
    );
  },
};

export const throughlineSaver = (engine: "sqlite" | "postgres", durability: "full" | "relaxed"): Contestant => ({
  name: `LangGraph on Throughline, ${durability}`,
  versions: `${versions}, @throughline/adapters`,
  engine,
  commit,
  async open(location) {
    const { saver, close } = await ThroughlineSaver.open(location, { durability });
    return opened(saver, async () => durabilityOf(engine, durability), close);
  },
});

/** What our durability means to the engine. */
export const durabilityOf = (engine: string, durability: "full" | "relaxed"): string =>
  engine === "sqlite" ? `synchronous=${durability === "full" ? "FULL" : "NORMAL"}` : `synchronous_commit=${durability === "full" ? "on" : "off"}`;
