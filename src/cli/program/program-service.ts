/** Commands of the service: those that run until they are told to end, and those that prepare it. */
import type { Command } from "commander";
import { whole } from "../arguments.ts";
import { databaseFlag, flag } from "../flags.ts";
import type { Run } from "./program.ts";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const longest = 86_400;
const agentOption = [
  "--agent <module>",
  "module that exports `agent`; may be given several times (default: as configured, else the companion)",
  collect,
] as const;

/** Adds them to the program. */
export function addService(program: Command, run: Run): void {
  addServe(program, run);
  addWorker(program, run);
  addConfig(program, run);
  addKeys(program, run);
  addOpenApi(program, run);
}

interface ServeFlags {
  readonly agent?: readonly string[];
  readonly host?: string;
  readonly port?: number;
  readonly work: boolean;
  readonly demo?: true;
}

function addServe(program: Command, run: Run): void {
  program
    .command("serve")
    .description("serve the HTTP API, and run turns, until SIGTERM or SIGINT")
    .option(...agentOption)
    .option("--host <address>", "address to listen on (default: as configured, else 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 takes a free one (default: as configured, else 8420)", whole(0, 65_535))
    .option("--no-work", "run no turns; a worker runs them")
    .option("--demo", "also serve the example chat page")
    .addHelpText(
      "after",
      "\nIt needs no configuration: without one it serves the companion on 127.0.0.1, from a database in this folder." +
        "\nA public address needs an API key first: throughline keys create. To see the settings: throughline config print --redacted.",
    )
    .action(async ({ agent, host, port, work, demo }: ServeFlags) => {
      const { serve } = await import("../commands/serve.ts");
      const flags = [
        ...flag("--agent", "agents", agent),
        ...flag("--host", "server.host", host),
        ...flag("--port", "server.port", port),
        ...flag("--no-work", "worker.enabled", work ? undefined : false),
        ...flag("--demo", "server.demo", demo),
      ];
      await serve(await run.service(flags));
    });
}

interface WorkerFlags {
  readonly agent?: readonly string[];
  readonly store?: string;
  readonly concurrency?: number;
  readonly lease?: number;
  readonly drain?: number;
}

function addWorker(program: Command, run: Run): void {
  program
    .command("worker")
    .description("run the turns of a database until SIGTERM or SIGINT")
    .option(...agentOption)
    .option("--store <location>", "the database; the same as --db before the command")
    .option("--concurrency <turns>", "turns at the same time, in different sessions (default: as configured, else 16)", whole(1, 10_000))
    .option("--lease <seconds>", "seconds until another worker takes over a dead process's turn (default: as configured, else 30)", whole(1, longest))
    .option("--drain <seconds>", "seconds to wait for running turns before they are released (default: as configured, else 20)", whole(0, longest))
    .addHelpText(
      "after",
      "\nAfter the first signal the worker takes no more turns, waits for running ones, and releases the rest. The second signal releases them at once." +
        "\nA worker takes only turns of its agents, in sessions that no newer definition has written. Exit code 0 after a requested end.",
    )
    .action(async ({ agent, store, concurrency, lease, drain }: WorkerFlags) => {
      const { worker } = await import("../commands/worker.ts");
      const flags = [
        ...flag("--agent", "agents", agent),
        ...databaseFlag("--store", store),
        ...flag("--concurrency", "worker.concurrency", concurrency),
        ...flag("--lease", "worker.lease_seconds", lease),
        ...flag("--drain", "worker.drain_seconds", drain),
      ];
      await worker(await run.service(flags));
    });
}

function addConfig(program: Command, run: Run): void {
  const config = program.command("config").description("look at the configuration: throughline.yaml, and what the environment sets");
  config
    .command("check")
    .description("list every violation with its line")
    .argument("[file]", "the file; the same as --config")
    .action(async (file: string | undefined) => (await import("../commands/config.ts")).checkConfig(run.plain(), file));
  config
    .command("print")
    .description("print all settings with their defaults, in the form of a file")
    .option("--redacted", "without secrets")
    .action(async (options: { redacted?: true }) =>
      (await import("../commands/config.ts")).printConfig(run.plain(), { redacted: options.redacted ?? false }),
    );
  config
    .command("schema")
    .description("the JSON Schema of the file, for editors")
    .action(async () => (await import("../commands/config.ts")).printSchema(run.plain()));
}

function addKeys(program: Command, run: Run): void {
  const keys = program
    .command("keys")
    .description("API keys for callers of the service, tokens of customers, and operator keys that encrypt a database");
  keys
    .command("create")
    .description("API keys: make one for callers of the service; it is shown once")
    .requiredOption("--name <name>", "its purpose")
    .requiredOption("--scope <scope>", "a permission, such as sessions:read; may be given several times, or with commas", collect)
    .option("--expires-days <days>", "it expires after this many days (default: never)", whole(1, 3650))
    .action(async (options: { name: string; scope: readonly string[]; expiresDays?: number }) =>
      (await import("../commands/api-keys.ts")).createApiKey(await run.context(), options),
    );
  keys
    .command("list")
    .description("API keys: scopes and last use")
    .action(async () => (await import("../commands/api-keys.ts")).listApiKeys(await run.context()));
  keys
    .command("revoke")
    .description("API keys: revoke one; every process refuses it within seconds")
    .argument("<id>", "id of the key, as `keys list` shows it")
    .action(async (id: string) => (await import("../commands/api-keys.ts")).revokeApiKey(await run.context(), id));
  keys
    .command("revoke-tokens")
    .description("customer tokens: end all those of one customer; every process refuses them within two seconds")
    .argument("<customer>", "id of the customer")
    .action(async (id: string) => (await import("../commands/api-keys.ts")).revokeCustomerTokens(await run.context(), id));
  keys
    .command("generate")
    .description("operator keys: print a new one, as a line of a key file")
    .addHelpText("after", "\nFor example: (umask 077; throughline keys generate > throughline.keys)")
    .action(async () => (await import("../commands/keys.ts")).generateKey(run.plain()));
  keys
    .command("rotate")
    .description("operator keys: wrap the keys of the database with the first key of the key file; the former key is below it")
    .action(async () => (await import("../commands/keys.ts")).rotate(await run.context()));
}

function addOpenApi(program: Command, run: Run): void {
  program
    .command("openapi")
    .description("print the OpenAPI document of the service")
    .action(async () => (await import("../commands/openapi.ts")).printOpenApi(run.plain()));
}
