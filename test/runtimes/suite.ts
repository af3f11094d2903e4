/**
 * Runs the store kits and a smoke suite over the packed packages, on whichever runtime runs this file: `suite.mjs [words of a name]`. It uses only the
 * public entries and `node:` modules. Each check prints one line of JSON, so that a runtime that crashes in the middle leaves what it has done.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Agent,
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  openStore,
  reduced,
  type Runtime,
  rules,
  scripted,
  stage,
  type Store,
} from "throughline";
import {
  type MortalStore,
  checkStoreAgainstModel,
  checkStoreGrowth,
  checkStorePairs,
  storeChecks,
  storeConcurrencyChecks,
  storeCrashChecks,
  storeProcess,
} from "throughline/testing";
import { z } from "zod";

interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** A line of the output. */
interface Outcome {
  readonly name: string;
  /** Undefined if the check passed. */
  readonly error?: string;
}

const home = mkdtempSync(join(tmpdir(), "throughline-runtime-"));
let files = 0;
const newFile = async (): Promise<string> => join(home, `${++files}.db`);
/** What this runtime needs before the name of a program, such as Deno's permissions. */
const runtimeFlags = "deno" in process.versions ? ["run", "--allow-all"] : [];

/** The kits on one kind of store. `database` makes a new one and returns its location. */
function kitsOf(kind: string, database: () => Promise<string>): readonly Check[] {
  const options = kind === "memory" ? {} : ({ durability: "relaxed" } as const);
  /** Opens one and the same database each time. */
  const opener = (): (() => Promise<Store>) => {
    let location: Promise<string> | undefined;
    return async () => openStore(await (location ??= database()), options);
  };
  const inProcess = (): (() => Promise<MortalStore>) => {
    let location: Promise<string> | undefined;
    return async () => storeProcess({ module: import.meta.resolve("throughline"), with: [await (location ??= database())] });
  };
  const conformance = storeChecks().map(({ name, run }) => ({ name: `${kind}: ${name}`, run: () => run(opener()) }));
  if (kind === "memory") return conformance;
  return [
    ...conformance,
    ...[1, 2, 3].map((seed) => ({
      name: `${kind}: random commands like the reference model, seed ${seed}`,
      run: () => checkStoreAgainstModel(async () => openStore(await database(), options), { seed }),
    })),
    ...storeConcurrencyChecks().map(({ name, run }) => ({ name: `${kind}, several stores: ${name}`, run: () => run(opener()) })),
    {
      name: `${kind}: 100 pairs of writers in four processes lose nothing`,
      run: async () => void (await checkStorePairs(inProcess(), { stores: 4, pairs: 100 })),
    },
    ...storeCrashChecks({ kills: 2, leaseMs: 800 }).map(({ name, run }) => ({
      name: `${kind}, killed processes: ${name}`,
      run: () => run(inProcess()),
    })),
    {
      name: `${kind}: a turn costs as much at the end as at the beginning`,
      run: async () => void (await checkStoreGrowth(opener(), { turns: 300, limits: { commit: 10, load: 10, read: 10 } })),
    },
  ];
}

/** The kits on PostgreSQL, each check in a database of its own, if `DATABASE_URL` names a server. */
async function postgresKits(): Promise<readonly Check[]> {
  const server = process.env["DATABASE_URL"];
  if (server === undefined) return [];
  const { default: pg } = await import("pg");
  let count = 0;
  return kitsOf("PostgreSQL", async () => {
    const url = new URL(server);
    url.pathname = `/runtime_${process.pid}_${++count}`;
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
    await client.end();
    return url.href;
  });
}

const Desk = defineState({ message: input(z.string()), seen: reduced(z.array(z.string()), { show: "output" }) });
const see = stage("see", { state: Desk, writes: ["seen"] }, ({ state }) => ({ seen: [state.message] }));
const echo = defineAgent({
  name: "echo",
  version: 1,
  state: Desk,
  stages: [see],
  reply: loop({ model: rules([({ text }) => `You said: ${text}`]) }),
});

/** Runs `work` with a runtime that is closed afterwards. */
async function withRuntime(agents: readonly Agent[], location: string, work: (runtime: Runtime) => Promise<void>): Promise<void> {
  const runtime = await createRuntime({ store: await openStore(location), agents });
  try {
    await work(runtime);
  } finally {
    await runtime.close();
  }
}

/** An agent that pays with a tool. The process dies in the middle of the payment if `dies`. */
const payer = (dies: boolean): Agent =>
  defineAgent({
    name: "payer",
    version: 1,
    state: defineState({ message: input(z.string()) }),
    reply: loop({
      model: scripted(({ messages }) => {
        const result = messages.at(-1);
        return result?.role === "tool" ? `The payment: ${result.text}` : { calls: [{ call_id: "1", name: "pay", arguments: { euros: 40 } }] };
      }),
      tools: [
        defineTool({
          name: "pay",
          description: "Pays.",
          parameters: z.object({ euros: z.number() }),
          effects: "once",
          execute: ({ euros }) => {
            if (dies) process.kill(process.pid, "SIGKILL");
            return `${euros} euros have been paid.`;
          },
        }),
      ],
    }),
  });

/** The words with which this file plays the process that dies. */
const victim = "--die-in-the-middle-of-a-payment";

async function pay(location: string): Promise<void> {
  await withRuntime([payer(true)], location, async ({ sessions }) => {
    const session = await sessions.open({ agent: "payer", customer: "ada" });
    await session.send("Pay.", { idempotencyKey: "payment" });
  });
}

const smoke: readonly Check[] = [
  {
    name: "a turn is stored, and the state is there after a restart",
    run: async () => {
      const location = await newFile();
      await withRuntime([echo], location, async ({ sessions }) => {
        const session = await sessions.open({ agent: "echo", customer: "ada" });
        const { reply, output } = await session.send("one");
        assert.deepEqual({ reply, output }, { reply: "You said: one", output: { seen: ["one"] } });
      });
      await withRuntime([echo], location, async ({ sessions }) => {
        const session = await sessions.open({ agent: "echo", customer: "ada" });
        assert.deepEqual((await session.send("two")).output, { seen: ["one", "two"] });
        assert.deepEqual((await session.state({ at: 6 })).document, { seen: ["one"] });
      });
    },
  },
  {
    name: "a payment whose process is killed is unknown afterwards, and not repeated",
    run: async () => {
      const location = await newFile();
      const { signal, status } = spawnSync(process.execPath, [...runtimeFlags, fileURLToPath(import.meta.url), victim, location], {
        encoding: "utf8",
      });
      assert.ok(signal === "SIGKILL" || status === 137, `The process ended with ${signal ?? status}.`);
      await withRuntime([payer(false)], location, async ({ sessions }) => {
        const session = await sessions.open({ agent: "payer", customer: "ada" });
        const { status, reply } = await session.send("Pay.", { idempotencyKey: "payment" });
        assert.equal(status, "completed");
        assert.match(reply ?? "", /unknown/);
        let paid = 0;
        for await (const { kind, data } of session.events({ follow: false })) if (kind === "tool" && data.type === "called") paid++;
        assert.equal(paid, 1);
      });
    },
  },
  {
    name: "the command talks with the companion",
    run: async () => {
      const command = join(dirname(fileURLToPath(import.meta.resolve("throughline/package.json"))), "bin/throughline.mjs");
      const { status, stdout, stderr } = spawnSync(process.execPath, [...runtimeFlags, command, "chat"], {
        cwd: home,
        encoding: "utf8",
        input: "hello\n",
      });
      assert.equal(status, 0, stderr);
      assert.equal(stdout.trim().split("\n").length, 1);
    },
  },
];

/** Prints one line; a runtime that is about to crash has written it. */
const tell = (outcome: Outcome): number => writeSync(1, `${JSON.stringify(outcome)}\n`);

/** Runs a check, for at most two minutes. */
async function outcomeOf({ name, run }: Check): Promise<Outcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error("It took more than two minutes.")), 120_000)));
  try {
    await Promise.race([run(), late]);
    return { name };
  } catch (error) {
    return { name, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

const words = process.argv.slice(2);
if (words[0] === victim) await pay(words[1] ?? "");
else {
  const wanted = words.join(" ");
  const checks = [...kitsOf("memory", async () => ":memory:"), ...kitsOf("SQLite", newFile), ...(await postgresKits()), ...smoke];
  for (const check of checks) if (check.name.includes(wanted)) tell(await outcomeOf(check));
  rmSync(home, { recursive: true, force: true });
  // What a failed check has left running must not hold the process.
  process.exit(0);
}
