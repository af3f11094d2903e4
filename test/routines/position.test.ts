/** The position of a session in its routine, against a model that knows only the graph: random graphs, and random messages, withdrawals, forks and migrations. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  scripted,
  type Runtime,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { migrated, nowhere, enter, moveTo, leave, type Position } from "../../packages/throughline/src/routines/position.ts";
import { routineFields, routineFrom, routines, type Routine, type RoutineMigration } from "../../packages/throughline/src/routines.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });

/** A graph: for each node the nodes that a message leads to, and whether it is a branch, which goes on at once. The last node leads to the end. */
interface Graph {
  readonly edges: readonly (readonly number[])[];
  readonly branches: readonly boolean[];
}

const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 2, max: 6 }).chain((size) =>
  fc
    .record({
      edges: fc.tuple(
        ...Array.from({ length: size }, (_one: unknown, from) =>
          fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }).map((to) => to.filter((one) => one !== from)),
        ),
      ),
      branches: fc.tuple(...Array.from({ length: size }, (_, node) => (node === 0 ? fc.constant(false) : fc.boolean()))),
    })
    .map(({ edges, branches }) => ({
      // A chat leads back to chats only: branches decide by the same message, and could come back to the chat without an end.
      edges: edges.map((targets, from) => (branches[from] === true ? targets : targets.filter((to) => branches[to] !== true || to > from))),
      branches,
    })),
);

/** The name of a node in a version: renamed by every migration. */
const nameOf = (node: number, version: number): string => `v${version}n${node}`;

/** Message that follows an edge. */
const along = (from: number, to: number | "end"): string => `${from}>${to}`;

function routineOf({ edges, branches }: Graph, version: number): Routine {
  const name = (node: number): string => nameOf(node, version);
  const nodes = edges.map((targets, node) => {
    // A chain leads through all nodes to the end, so that each is reachable and has an exit.
    const next = node + 1 < edges.length ? name(node + 1) : "end";
    if (branches[node] === true) {
      const chats = targets.filter((to) => branches[to] !== true);
      return [
        name(node),
        { branch: {}, next: [...chats.map((to) => ({ to: name(to), when: { value: "state.message", equals: `to ${to}` } })), { to: next }] },
      ] as const;
    }
    const marked = targets.map((to) => ({ to: name(to), when: { value: "state.message", equals: along(node, to) } }));
    return [
      name(node),
      {
        chat: { instructions: "Talk." },
        next: [...marked, { to: next, when: { value: "state.message", equals: along(node, "end") } }],
      },
    ] as const;
  });
  const migrations: RoutineMigration[] = Array.from({ length: version - 1 }, (_, index) => ({
    from: index + 1,
    nodes: Object.fromEntries(edges.map((_targets, node) => [nameOf(node, index + 1), nameOf(node, index + 2)])),
  }));
  return routineFrom({
    ...{ id: "graph", version, title: "A graph", entry: name(0), nodes: Object.fromEntries<object>(nodes), migrations },
    conditions: [{ value: "state.message", equals: "enter" }],
  });
}

/** What the model knows: the node, and how often each was visited. Undefined outside of the routine. */
type Known = { readonly node: number; readonly visits: Readonly<Record<number, number>> } | undefined;

function follow({ edges, branches }: Graph, known: Known, message: string): Known {
  let now = known;
  if (now === undefined) {
    if (message !== "enter") return undefined;
    now = { node: 0, visits: { 0: 1 } };
  }
  for (;;) {
    const { node, visits }: NonNullable<Known> = now;
    const size = edges.length;
    let to: number | "end" | undefined;
    if (branches[node] === true) {
      to = edges[node]!.find((one) => branches[one] !== true && message === `to ${one}`) ?? (node + 1 < size ? node + 1 : "end");
    } else {
      to = edges[node]!.find((one) => message === along(node, one));
      if (to === undefined && message === along(node, "end")) to = node + 1 < size ? node + 1 : "end";
    }
    if (to === undefined) return now;
    if (to === "end") return undefined;
    now = { node: to, visits: { ...visits, [to]: (visits[to] ?? 0) + 1 } };
  }
}

/** A session and, for each of its turns, where the model stood before it. */
interface Line {
  session: Session;
  known: Known;
  readonly turns: { readonly from: number; readonly upto: number; readonly before: Known; readonly after: Known }[];
}

type Act =
  | { readonly type: "send"; readonly line: number; readonly message: number }
  | { readonly type: "rewind"; readonly line: number; readonly turn: number }
  | { readonly type: "fork"; readonly line: number; readonly turn: number }
  | { readonly type: "migrate" };

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: fc.constant("send" as const), line: fc.nat(3), message: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("rewind" as const), line: fc.nat(3), turn: fc.nat(6) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("fork" as const), line: fc.nat(3), turn: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("migrate" as const) }) },
  ),
  { minLength: 8, maxLength: 24 },
);

const start = async (store: Store, graph: Graph, version: number): Promise<Runtime> => {
  const agent = defineAgent({
    ...{ name: "guide", state: State, extensions: [routines({ routines: [routineOf(graph, version)] })] },
    reply: loop({ model: scripted(() => "Well.") }),
  });
  return createRuntime({ store, agents: [agent], pollMs: 1_000 });
};

/** Returns the position as the model would tell it. */
async function told(session: Session): Promise<unknown> {
  const { frames } = ((await session.state()).document as unknown as { readonly routines: Position }).routines;
  const [frame, ...others] = frames;
  expect(others).toEqual([]);
  if (frame === undefined) return undefined;
  const plain = (name: string): string => name.replace(`v${frame.version}n`, "");
  return { node: Number(plain(frame.node)), visits: Object.fromEntries(Object.entries(frame.visits).map(([name, count]) => [plain(name), count])) };
}

describe("the position in a routine", () => {
  it("is the model's after any messages, withdrawals, forks and migrations", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, acts, (graph, list) => agrees(graph, list)),
      { numRuns: 25 },
    );
  }, 60_000);
});

async function agrees(graph: Graph, list: readonly Act[]): Promise<void> {
  const store = await openStore(":memory:");
  let version = 1;
  let runtime = await start(store, graph, version);
  const lines: Line[] = [{ session: await runtime.sessions.create({ agent: "guide" }), known: undefined, turns: [] }];
  const migrate = async (): Promise<void> => {
    await runtime.close();
    version += 1;
    runtime = await start(store, graph, version);
    for (const line of lines) line.session = await runtime.sessions.get(line.session.id);
  };
  const run = async (act: Exclude<Act, { readonly type: "migrate" }>, line: Line): Promise<void> => {
    if (act.type === "send") return sendAlong(graph, line, act.message);
    const at = line.turns[act.turn % Math.max(1, line.turns.length)];
    if (at === undefined) return;
    if (act.type === "rewind") return rewind(line, at);
    lines.push({ session: await line.session.fork({ at: at.upto }), known: at.after, turns: [] });
  };
  try {
    for (const act of list)
      if (act.type === "migrate") await migrate();
      else {
        const line = lines[act.line % lines.length]!;
        await run(act, line);
        expect(await told(line.session)).toEqual(line.known);
      }
  } finally {
    await runtime.close();
    await store.close();
  }
}

/** Sends a message that may follow an edge, to the session and to the model. */
async function sendAlong(graph: Graph, line: Line, chosen: number): Promise<void> {
  const before = line.known;
  const node = before?.node ?? 0;
  const ways = ["enter", "stay", ...graph.edges[node]!.map((to) => along(node, to)), along(node, "end"), ...graph.edges.map((_, to) => `to ${to}`)];
  const message = before === undefined && chosen % 3 > 0 ? "enter" : ways[chosen % ways.length]!;
  const from = (await line.session.info()).head + 1;
  await line.session.send(message);
  line.known = follow(graph, before, message);
  line.turns.push({ from, upto: (await line.session.info()).head, before, after: line.known });
}

async function rewind(line: Line, at: Line["turns"][number]): Promise<void> {
  await line.session.withdraw({ from: at.from });
  line.turns.splice(line.turns.indexOf(at));
  line.known = at.before;
}

describe("a position without a session", () => {
  const make = (id: string, nodes: readonly string[], more: object = {}): Routine =>
    routineFrom({
      id,
      title: id,
      nodes: Object.fromEntries(nodes.map((name) => [name, { chat: { instructions: "Talk." }, next: [{ to: "end" }] }])),
      ...more,
      ...(nodes.length > 1 ? { nodes: chain(nodes) } : {}),
    });
  const chain = (nodes: readonly string[]): object =>
    Object.fromEntries(nodes.map((name, index) => [name, { chat: { instructions: "Talk." }, next: nodes[index + 1] ?? "end" }]));
  const at = (routine: Routine, node: string, from: Position = nowhere): Position => moveTo(enter(from, routine, { since: 1 }), node, routine);

  it("leaves a routine whose node is gone, and says so, and what it ran with it", () => {
    const before = make("one", ["a", "b"]);
    const child = make("two", ["c"]);
    const standing = enter(at(before, "b"), child, { since: 4, runs: true });
    const after = make("one", ["a"], { version: 2 });
    const now = migrated(
      standing,
      new Map([
        ["one", after],
        ["two", child],
      ]),
    );
    expect(now.frames).toEqual([]);
    expect(now.last).toMatchObject({ routine: "two", outcome: "left", reason: "unknown_node" });
    expect(migrated(at(before, "b"), new Map())).toMatchObject({ frames: [], last: { routine: "one", reason: "unknown_routine" } });
  });

  it("keeps one that interrupted the routine that is gone", () => {
    const before = make("one", ["a", "b"]);
    const other = make("two", ["c"]);
    const now = migrated(enter(at(before, "b"), other, { since: 4 }), new Map([["two", other]]));
    expect(now.frames.map(({ routine }) => routine)).toEqual(["two"]);
  });

  it("follows two migrations in a row, and names of which a later node has the earlier one's", () => {
    const first = make("one", ["a", "b"]);
    const third = make("one", ["b", "x"], {
      version: 3,
      migrations: [
        { from: 2, nodes: { b: "x", y: "b" } },
        { from: 1, nodes: { a: "b", b: "y" } },
      ],
    });
    const now = (node: string): unknown => migrated(at(first, node), new Map([["one", third]])).frames[0];
    // a became b, which became x. b became y, which became b.
    expect(now("a")).toMatchObject({ version: 3, node: "x", visits: { x: 2 } });
    expect(now("b")).toMatchObject({ version: 3, node: "b", visits: { x: 1, b: 1 } });
  });

  it("stays as it is with the same version, and with an older one", () => {
    const two = make("one", ["a", "b"], { version: 2 });
    const standing = at(two, "b");
    expect(migrated(standing, new Map([["one", two]]))).toBe(standing);
    expect(migrated(standing, new Map([["one", make("one", ["a", "b"])]]))).toBe(standing);
  });

  it("resumes an interrupted routine where it stood", () => {
    const one = make("one", ["a", "b"]);
    const two = make("two", ["c"]);
    const standing = at(one, "b");
    const back = leave(enter(standing, two, { since: 9 }), { outcome: "completed" });
    expect(back.frames).toEqual(standing.frames);
    expect(back.last).toEqual({ routine: "two", version: 1, outcome: "completed" });
  });
});
