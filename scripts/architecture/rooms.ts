/** The house as data: which room a file belongs to, and what a room may import. Arrows point down only. */

/** How an import reaches a room: at load, as types that vanish, or by `import()` when it is needed. */
export type Reach = "load" | "types" | "lazy";

export interface Room {
  readonly name: string;
  readonly level: number;
  /** Files and folders, from the root of the repository; a folder ends with a slash. */
  readonly paths: readonly string[];
  /** Rooms it may import besides itself. `memory (types)` means types only, `store/sqlite (lazy)` only by `import()`. */
  readonly may: readonly string[];
  /** Modules of Node that it may import; true for all. The pure rooms have none. */
  readonly node?: true | readonly string[];
  /** Packages that it may import; a room of another package than the library names the library here. */
  readonly packages?: readonly string[];
  /** The package that it belongs to, if that is not the library. Packages import each other by name, never by a path. */
  readonly package?: "@throughline/server" | "@throughline/client" | "@throughline/adapters" | "@throughline/inspector";
  /** Files of the room do not import each other: each port stands alone. */
  readonly apart?: true;
}

/** Those who use the package. */
export interface Outsiders {
  readonly paths: readonly string[];
  /** Packages that all of them may import. */
  readonly packages: readonly string[];
  /** Packages that the files in one folder may import besides. */
  readonly alsoPackages: Readonly<Record<string, readonly string[]>>;
}

/** Hashing is pure; the random half of the same module is caught by the rule against hidden randomness. */
const hashes = ["node:crypto"];
const pure = ["kernel", "ports", "state", "session", "execution"];
const working = ["context", "tools", "memory", "memory extension", "safety", "extension"];
const adapters = ["store/sqlite", "store/postgres"];
const themes = ["state", "agent", "context", "tools", "model", "execution", "session", "kernel", "extension", "store"];
const server = "@throughline/server";
const client = "@throughline/client";
const peers = "@throughline/adapters";
const inspector = "@throughline/inspector";
const ofPage = ["preact", "@preact/signals", client];
const lazyAdapters = adapters.map((name) => `${name} (lazy)`);

/** Every room, lowest first. The first room with a matching path wins, so files come before the folders that hold them. */
export const rooms: readonly Room[] = [
  {
    name: "kernel",
    level: 1,
    paths: ["packages/throughline/src/kernel/"],
    may: [],
    node: ["node:crypto", "node:fs", "node:os", "node:path", "node:timers/promises"],
    packages: ["@standard-schema/spec"],
  },
  {
    name: "ports",
    level: 2,
    paths: [
      "packages/throughline/src/store/port.ts",
      "packages/throughline/src/model/model-port.ts",
      "packages/throughline/src/memory/embed.ts",
      "packages/throughline/src/safety/assessment.ts",
    ],
    may: ["kernel"],
    apart: true,
  },
  { name: "state", level: 2, paths: ["packages/throughline/src/state/"], may: ["kernel"], packages: ["@standard-schema/spec"] },
  { name: "session", level: 3, paths: ["packages/throughline/src/session/"], may: ["kernel", "ports", "state"], node: hashes },
  { name: "execution", level: 3, paths: ["packages/throughline/src/execution/"], may: ["kernel", "ports", "state", "session (types)"] },
  { name: "context", level: 4, paths: ["packages/throughline/src/context/"], may: [...pure, "memory (types)"] },
  {
    name: "tools/mcp",
    level: 6,
    paths: ["packages/throughline/src/tools/mcp/"],
    may: ["kernel", "state", "session", "tools"],
    node: true,
    packages: ["@modelcontextprotocol/client"],
  },
  {
    name: "tools",
    level: 4,
    paths: ["packages/throughline/src/tools/"],
    may: [...pure, "memory (types)"],
    packages: ["@standard-schema/spec", "@cfworker/json-schema"],
  },
  // The port between a turn and the features that take part in it, and how both read and write a store.
  {
    name: "extension",
    level: 4,
    paths: ["packages/throughline/src/extension/"],
    may: [...pure, "context (types)", "memory (types)", "tools (types)"],
    node: hashes,
  },
  // What memory decides: pure. `turn/` and `keep/` carry it out.
  {
    name: "memory",
    level: 4,
    paths: [
      ...[
        "packages/throughline/src/memory/control/",
        "packages/throughline/src/memory/recall/",
        "packages/throughline/src/memory/text/",
        "packages/throughline/src/memory/write/",
      ],
      ...["packages/throughline/src/memory/entry.ts", "packages/throughline/src/memory/recalled.ts", "packages/throughline/src/memory/view.ts"],
    ],
    may: pure,
    node: hashes,
  },
  {
    name: "memory extension",
    level: 5,
    paths: ["packages/throughline/src/memory/"],
    may: [...pure, "context", "tools", "memory", "extension"],
    node: hashes,
  },
  { name: "safety/spool", level: 6, paths: ["packages/throughline/src/safety/spool/"], may: ["kernel", "ports", "safety (types)"], node: true },
  { name: "safety", level: 5, paths: ["packages/throughline/src/safety/"], may: [...pure, "extension"], node: hashes },
  {
    name: "routines",
    level: 5,
    paths: ["packages/throughline/src/routines/"],
    may: [...pure, "tools", "extension"],
  },
  // It knows the port, and of what extensions keep and find only the types that stages and tools are given.
  {
    name: "runtime",
    level: 6,
    paths: ["packages/throughline/src/runtime/"],
    may: [...pure, "context", "tools", "extension"],
    node: hashes,
    packages: ["croner"],
  },
  // Telemetry: an extension that observes.
  {
    name: "telemetry",
    level: 6,
    paths: ["packages/throughline/src/telemetry/"],
    may: ["kernel", "ports", "execution", "extension"],
    packages: ["@opentelemetry/api"],
  },

  // Adapters: the rim where third-party engines are met. What they share lies in `store` and `model`.
  { name: "store/sqlite", level: 6, paths: ["packages/throughline/src/store/sqlite/"], may: ["kernel", "ports", "store"], node: true },
  {
    name: "store/postgres",
    level: 6,
    paths: ["packages/throughline/src/store/postgres/"],
    may: ["kernel", "ports", "store"],
    node: true,
    packages: ["pg"],
  },
  { name: "store", level: 5, paths: ["packages/throughline/src/store/"], may: ["kernel", "ports"], node: hashes },
  { name: "model", level: 5, paths: ["packages/throughline/src/model/"], may: ["kernel", "ports"] },
  {
    name: "embedding",
    level: 6,
    paths: ["packages/throughline/src/embedding/"],
    may: ["kernel", "ports", "memory", "model"],
    node: [...hashes, "node:worker_threads"],
  },

  // The service: it uses the library like any program does, by name.
  { name: "protocol", level: 7, package: server, paths: ["packages/server/src/protocol/"], may: [], packages: ["throughline", "zod"] },
  {
    name: "config",
    level: 7,
    package: server,
    paths: ["packages/server/src/config/"],
    may: [],
    node: true,
    packages: ["throughline", "zod", "yaml"],
  },
  {
    name: "server",
    level: 8,
    package: server,
    paths: ["packages/server/src/server/"],
    may: ["protocol", "config (types)"],
    node: true,
    packages: ["throughline", "hono", "@hono/node-server", "hono-openapi", "jose", "zod"],
  },
  {
    name: "cli",
    level: 9,
    package: server,
    paths: ["packages/server/src/cli/"],
    may: ["protocol", "config", "server"],
    node: true,
    packages: [
      ...["throughline", "commander"],
      ...["@opentelemetry/sdk-trace-node", "@opentelemetry/exporter-trace-otlp-http", "@opentelemetry/resources"],
    ],
  },
  { name: "server entry", level: 9, package: server, paths: ["packages/server/src/server.ts"], may: ["server", "config", "protocol"] },

  // The client knows the service by the types that are generated for it.
  // A hook over the client, for who has React.
  { name: "client react", level: 9, package: client, paths: ["packages/client/src/react.ts"], may: ["client"], packages: ["react"] },
  { name: "client", level: 8, package: client, paths: ["packages/client/src/"], may: [] },
  { name: "client entry", level: 9, package: client, paths: ["packages/client/src/client.ts"], may: ["client"] },

  // The page of the inspector: what all screens use, the screens, and the frame that lists them.
  {
    name: "inspector base",
    level: 1,
    package: inspector,
    paths: ["packages/inspector/src/base/", "packages/inspector/src/parts/"],
    may: [],
    packages: ofPage,
  },
  { name: "inspector screens", level: 2, package: inspector, paths: ["packages/inspector/src/screens/"], may: ["inspector base"], packages: ofPage },
  {
    name: "inspector chat",
    level: 4,
    package: inspector,
    paths: ["packages/inspector/src/chat/"],
    may: ["inspector base", "inspector frame"],
    packages: ofPage,
  },
  {
    name: "inspector frame",
    level: 3,
    package: inspector,
    paths: ["packages/inspector/src/"],
    may: ["inspector base", "inspector screens"],
    packages: ofPage,
  },

  // Adapters for other libraries: each knows the library by name, and its peer.
  {
    name: "langgraph",
    level: 8,
    package: peers,
    paths: ["packages/adapters/src/langgraph/"],
    may: [],
    node: ["node:buffer", "node:util"],
    packages: ["throughline", "@langchain/langgraph-checkpoint"],
  },
  {
    name: "openai-agents",
    level: 8,
    package: peers,
    paths: ["packages/adapters/src/openai-agents/"],
    may: [],
    node: hashes,
    packages: ["throughline", "@openai/agents"],
  },
  {
    name: "ai-sdk",
    level: 8,
    package: peers,
    paths: ["packages/adapters/src/ai-sdk/"],
    may: [],
    node: ["node:buffer", "node:http"],
    packages: ["throughline", "ai"],
  },
  { name: "ai-sdk entry", level: 9, package: peers, paths: ["packages/adapters/src/ai-sdk.ts"], may: ["ai-sdk"] },
  { name: "langgraph entry", level: 9, package: peers, paths: ["packages/adapters/src/langgraph.ts"], may: ["langgraph"] },
  { name: "openai-agents entry", level: 9, package: peers, paths: ["packages/adapters/src/openai-agents.ts"], may: ["openai-agents"] },

  // Entry points. `index` loads no database: the adapters come by import() when a store is opened. It names the entries by theme for the compiler only.
  { name: "open-store", level: 7, paths: ["packages/throughline/src/open-store.ts"], may: ["kernel", "ports", "store", ...lazyAdapters] },
  // The runtime with what the extensions of this package add for callers, under names of their own.
  {
    name: "create-runtime",
    level: 8,
    paths: ["packages/throughline/src/create-runtime.ts", "packages/throughline/src/bundles.ts"],
    may: [...pure, "extension", "memory (types)", "memory extension", "routines", "safety", "runtime", "open-store"],
  },
  {
    name: "index",
    level: 9,
    paths: ["packages/throughline/src/index.ts"],
    may: [...pure, ...working, "runtime", "create-runtime", "store", "model", "open-store", ...themes.map((name) => `${name} entry (types)`)],
  },
  { name: "state entry", level: 9, paths: ["packages/throughline/src/state.ts"], may: ["kernel", "state"] },
  { name: "agent entry", level: 9, paths: ["packages/throughline/src/agent.ts"], may: ["session", "extension", "runtime"] },
  { name: "context entry", level: 9, paths: ["packages/throughline/src/context.ts"], may: ["state", "session", "context", "extension", "runtime"] },
  { name: "tools entry", level: 9, paths: ["packages/throughline/src/tools.ts"], may: ["tools"] },
  { name: "model entry", level: 9, paths: ["packages/throughline/src/model.ts"], may: ["ports", "model"] },
  { name: "execution entry", level: 9, paths: ["packages/throughline/src/execution.ts"], may: ["kernel", "state", "execution"] },
  {
    name: "session entry",
    level: 9,
    paths: ["packages/throughline/src/session.ts"],
    may: ["kernel", "session", "extension", "runtime", "create-runtime"],
  },
  // For the service and the command line. Each command loads the ones that it needs, so the first knows neither a running turn nor an extension's work.
  {
    name: "internal entry",
    level: 9,
    paths: ["packages/throughline/src/internal.ts"],
    may: [...pure, "extension", "memory", "runtime", "open-store"],
  },
  {
    name: "internal runtime entry",
    level: 9,
    paths: ["packages/throughline/src/internal-runtime.ts"],
    may: [...pure, "context", "runtime", "routines", "store"],
  },
  {
    name: "internal memory entry",
    level: 9,
    paths: ["packages/throughline/src/internal-memory.ts"],
    may: [...pure, "memory", "memory extension"],
  },
  { name: "internal safety entry", level: 9, paths: ["packages/throughline/src/internal-safety.ts"], may: [...pure, "safety"] },
  { name: "kernel entry", level: 9, paths: ["packages/throughline/src/kernel.ts"], may: ["kernel"] },
  { name: "sqlite entry", level: 9, paths: ["packages/throughline/src/sqlite.ts"], may: ["kernel", "ports", "store", "store/sqlite"] },
  { name: "postgres entry", level: 9, paths: ["packages/throughline/src/postgres.ts"], may: ["kernel", "ports", "store", "store/postgres"] },
  { name: "store entry", level: 9, paths: ["packages/throughline/src/store.ts"], may: ["kernel", "ports", "store", "open-store"] },
  { name: "ai entry", level: 9, paths: ["packages/throughline/src/ai.ts"], may: ["kernel", "ports", "model", "tools"] },
  {
    name: "memory entry",
    level: 9,
    paths: ["packages/throughline/src/memory.ts"],
    may: [...pure, "memory", "memory extension", "context", "embedding", "model"],
  },
  { name: "safety entry", level: 9, paths: ["packages/throughline/src/safety.ts"], may: [...pure, "extension", "safety", "safety/spool", "runtime"] },
  // An extension in one file.
  { name: "preamble", level: 5, paths: ["packages/throughline/src/preamble.ts"], may: ["kernel", "extension"] },
  { name: "routines entry", level: 9, paths: ["packages/throughline/src/routines.ts"], may: [...pure, "tools", "extension", "routines", "runtime"] },
  { name: "extension entry", level: 9, paths: ["packages/throughline/src/extension.ts"], may: ["extension"] },
  { name: "telemetry entry", level: 9, paths: ["packages/throughline/src/telemetry.ts"], may: ["telemetry"] },
  { name: "mcp entry", level: 9, paths: ["packages/throughline/src/mcp.ts"], may: ["tools", "tools/mcp"] },
  {
    name: "testing entry",
    level: 10,
    paths: ["packages/throughline/src/testing.ts"],
    may: ["kernel", "ports", "session", "model", "store", "testing"],
  },
  {
    name: "testing",
    level: 9,
    paths: ["packages/throughline/src/testing/"],
    may: [...pure, ...working, "runtime", "create-runtime", "store", "model", "open-store", ...adapters],
    node: true,
  },
];

/** The companion, the examples and the templates stand where a user stands: they see the packages by their names, and nothing of their insides. */
export const outsiders = {
  paths: ["packages/companion/", "packages/create-throughline/templates/", "examples/"],
  packages: ["throughline", "@throughline/client", "@throughline/companion", "@throughline/adapters", "zod", "valibot"],
  /** Examples that connect Throughline with another library import that too; it is installed with test/interop, or for the tests. */
  alsoPackages: {
    "examples/langgraph-saver/": ["@langchain/core", "@langchain/langgraph"],
    "examples/openai-agents-session/": ["@openai/agents"],
    "examples/ai-sdk-tool/": ["ai"],
    "examples/langchain-tool/": ["@langchain/core"],
    "examples/browser-chat/": ["@ai-sdk/react", "@hono/node-server", "ai", "express", "hono", "react", "react-dom"],
    "examples/mcp-tool/": ["@modelcontextprotocol/server"],
  },
} as const satisfies Outsiders;

/** Files that may import what only their user knows, each with the reason. */
export const computedImports: Readonly<Record<string, string>> = {
  "packages/server/src/cli/load-agent.ts": "The agent's module is named on the command line.",
  "packages/throughline/src/embedding/local-worker.ts": "The package is optional, and lies where the program says.",
  "packages/throughline/src/testing/store/store-worker.ts": "The module of the store under test is named by its tests.",
};

/** The most uses of `any` that source may have per 1,000 lines. */
export const mostAnyPerThousandLines = 0.5;

/** Files that a generator writes. Their lines do not count, because no one maintains them. */
export const generatedFiles: readonly string[] = ["packages/client/src/wire.ts"];

/** The most files that a folder of source may have, besides folders. */
export const mostFilesPerFolder = 30;

/** Where time and randomness come from; everywhere else they are ports. */
export const ambientFiles: readonly string[] = [
  "packages/throughline/src/kernel/clock.ts",
  "packages/throughline/src/kernel/random.ts",
  "packages/client/src/ambient.ts",
  "packages/inspector/src/base/browser.ts",
];

/** Names that say nothing about what is inside. */
export const vagueNames = {
  folders: ["utils", "util", "helpers", "common", "shared", "misc"],
  files: ["types.ts", "interfaces.ts", "utils.ts", "helpers.ts"],
} as const;

/**
 * Base names that several files have for a reason: package entries are named like their subpath, an agent's module like what it exports, and a port is
 * `port.ts` in the room that it belongs to, where its readers look for it.
 */
export const namedLikeAnEntry: readonly string[] = ["agent.ts", "context.ts", "port.ts", "session.ts"];

/** Base names that several files of memory, runtime, store, session and state share so far. Renaming one of them shortens the list. */
export const sharedFileNames: readonly string[] = [];

/** Folders that still have cycles of imports that count types. Breaking the last cycle of a folder shortens the list. */
export const foldersWithTypeCycles: readonly string[] = [];
