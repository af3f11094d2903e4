/** Random routines, and a process that dies at a random commit: what ran is a path of the graph, each `once` call ran at most once, and outputs are valid. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  scripted,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import type { Position } from "../../packages/throughline/src/routines.ts";
import { routineFields, routineFrom, routines, type Routine } from "../../packages/throughline/src/routines.ts";
import { mortalStore } from "../../packages/throughline/src/testing/mortal-store.ts";
import { openMemoryStore } from "../../packages/throughline/src/testing.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });

type Kind = "tool" | "think" | "branch" | "wait";
interface Drawn {
  readonly kinds: readonly Kind[];
  /** For each node another node that it may lead to, if the number of its visits is odd. */
  readonly jumps: readonly (number | undefined)[];
}

const drawn: fc.Arbitrary<Drawn> = fc.integer({ min: 1, max: 6 }).chain((size) =>
  fc.record({
    kinds: fc.array(fc.constantFrom<Kind>("tool", "think", "branch", "wait"), { minLength: size, maxLength: size }),
    jumps: fc.array(fc.option(fc.nat(size - 1), { nil: undefined }), { minLength: size, maxLength: size }),
  }),
);

const actions: Readonly<Record<Kind, object>> = {
  tool: { tool: { name: "work", arguments: { text: "go" } } },
  think: {
    think: {
      instructions: "Think.",
      output: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false },
    },
  },
  branch: { branch: {} },
  wait: { wait: { seconds: 0.001 } },
};

/** Nodes in a row, with jumps forward, and one jump back that is taken once. */
function routineOf({ kinds, jumps }: Drawn): Routine {
  const nodes = kinds.map((kind, index) => {
    const to = jumps[index];
    const ahead = to !== undefined && to > index ? [{ to: `n${to}`, when: { value: "input.jump", equals: true } }] : [];
    return [`n${index}`, { ...actions[kind], next: [...ahead, { to: index + 1 < kinds.length ? `n${index + 1}` : "emit" }], error: "emit" }] as const;
  });
  return routineFrom({
    ...{ id: "drawn", title: "Drawn", autonomous: true, input: { type: "object", properties: { jump: { type: "boolean" } }, required: ["jump"] } },
    output: { type: "object", properties: { jumped: { type: "boolean" } }, required: ["jumped"] },
    nodes: { ...Object.fromEntries<object>(nodes), emit: { emit_output: { output: { jumped: { from: "input.jump" } } } } },
  });
}

/** A process: answers every second think wrong at first, and counts what the tool did. */
async function start(store: Store, routine: Routine, ran: Map<string, number>) {
  let asked = 0;
  const work = defineTool({
    ...{ name: "work", description: "Works.", parameters: z.object({ text: z.string() }), effects: "once" },
    execute: (_args, { key }) => void ran.set(key, (ran.get(key) ?? 0) + 1),
  });
  const extension = routines({ routines: [routine], tools: [work] });
  const model = scripted(({ tools }) => ({
    calls: [{ call_id: "1", name: tools[0]?.name ?? "", arguments: { n: (asked += 1) % 2 === 0 ? 1 : "one" } }],
  }));
  const agent = defineAgent({ ...{ name: "worker", state: State, extensions: [extension], budget: { steps: 60 } }, reply: loop({ model }) });
  return { extension, runtime: await createRuntime({ store, agents: [agent], pollMs: 5, leaseMs: 2_000 }) };
}

/** Returns the nodes in which the log leaves the routine, one for each change of the state. */
async function nodesIn(session: Session): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { offset } of session.events({ follow: false, kinds: ["state"] })) {
    const { routines: position } = (await session.state({ at: offset })).document as unknown as { readonly routines: Position };
    const [frame] = position.frames;
    const now = frame === undefined ? "end" : `${frame.node} ${frame.visits[frame.node]}`;
    if (seen.at(-1) !== now) seen.push(now);
  }
  return seen.map((one) => one.split(" ")[0]!);
}

/** Whether a node leads to another, at most through branches, which need no step. */
function leads(routine: Routine, from: string, to: string, seen: ReadonlySet<string> = new Set()): boolean {
  const node = routine.nodes[from];
  if (node === undefined || seen.has(from)) return false;
  const targets = [...node.next.map((one) => one.to), ...(node.error === undefined ? [] : [node.error])];
  return targets.some(
    (one) => one === to || (["branch", "wait"].includes(routine.nodes[one]?.kind ?? "") && leads(routine, one, to, new Set([...seen, from]))),
  );
}

it("follows a path of the graph, with each once call at most once and valid outputs, whenever the process dies", async () => {
  await fc.assert(
    fc.asyncProperty(
      drawn,
      fc.boolean(),
      fc.constantFrom("before" as const, "after" as const),
      fc.integer({ min: 1, max: 24 }),
      async (graph, jump, at, commit) => {
        const routine = routineOf(graph);
        const store = openMemoryStore();
        const ran = new Map<string, number>();
        const opening = await start(store, routine, ran);
        const { id } = await opening.runtime.sessions.create({ agent: "worker" });
        await opening.runtime.close();
        const mortal = mortalStore(store, { at, commit });
        const first = await start(mortal.store, routine, ran);
        const entered = first.runtime.runs.start("drawn", { jump }, { session_id: id, idempotencyKey: "one" });
        const over = async (session: Session): Promise<boolean> => {
          const { routines: position } = (await session.state()).document as unknown as { readonly routines: Position };
          return position.frames.length === 0 && position.last !== undefined;
        };
        await Promise.race([
          mortal.died,
          entered.then(() => expect.poll(async () => mortal.isDead() || over(await first.runtime.sessions.get(id))).toBe(true)),
        ]);
        const second = await start(store, routine, ran);
        const session = await second.runtime.sessions.get(id);
        await second.runtime.runs.start("drawn", { jump }, { session_id: id, idempotencyKey: "one" });
        await expect.poll(() => over(session)).toBe(true);
        const { last } = await session.extension(second.extension).position();
        expect(last).toMatchObject({ outcome: "completed", output: { jumped: jump } });
        for (const count of ran.values()) expect(count).toBe(1);
        const path = (await nodesIn(session)).filter((node, index, all) => !(node === "end" && index < all.length - 1));
        expect(path.at(-1)).toBe("end");
        expect([path[0], ...path].length > 1 && (path[0] === routine.entry || leads(routine, routine.entry, path[0]!))).toBe(true);
        for (const [index, node] of path.entries())
          if (index > 0) expect({ node, before: path[index - 1], leads: leads(routine, path[index - 1]!, node) }).toMatchObject({ leads: true });
        const outputs = ((await session.info()).metadata.values["step_outputs"] ?? {}) as Readonly<Record<string, { readonly n: number }>>;
        for (const output of Object.values(outputs)) expect(output).toEqual({ n: 1 });
        await second.runtime.close({ drainMs: 0 });
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);
