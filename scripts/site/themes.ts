/** The generated pages of the reference: one for each theme of the API, and one for the commands. */
import type { PageLink } from "./navigation.ts";

/** A theme: a page, and the entry points whose names it has. */
export interface Theme {
  readonly page: string;
  readonly title: string;
  readonly about: string;
  /** Entry points, without `throughline` itself, whose names stand with the theme that they belong to. */
  readonly entries: readonly string[];
  /** Folders of the library's source. Names of `throughline` that are declared there belong to the theme. */
  readonly sources: readonly string[];
}

/** All themes. A name of `throughline` belongs to the first theme whose sources have its declaration. */
export const themes: readonly Theme[] = [
  {
    page: "agents",
    title: "Agents",
    about: "Declaring an agent: its stages, its reply, its hooks and its variables.",
    entries: ["throughline/agent"],
    sources: ["runtime/agent/", "runtime/loop/", "runtime/hooks/", "runtime/variables/", "runtime/subagent/", "extension/stage", "session/control"],
  },
  { page: "state", title: "State", about: "Declaring and changing typed state.", entries: ["throughline/state"], sources: ["state/"] },
  {
    page: "tools",
    title: "Tools",
    about: "Declaring tools, and taking them from MCP servers.",
    entries: ["throughline/tools", "throughline/mcp"],
    sources: ["tools/"],
  },
  { page: "context", title: "Prompts", about: "The sections of a prompt.", entries: ["throughline/context"], sources: ["context/"] },
  {
    page: "models",
    title: "Models",
    about: "Language models, embedding models, and models without a network.",
    entries: ["throughline/model", "throughline/ai"],
    sources: ["model/", "embedding/"],
  },
  {
    page: "execution",
    title: "Execution",
    about: "An execution as one value, its steps and its budgets.",
    entries: ["throughline/execution"],
    sources: ["execution/"],
  },
  {
    page: "stores",
    title: "Stores",
    about: "Opening databases, and the port that a store implements.",
    entries: ["throughline/store", "throughline/sqlite", "throughline/postgres"],
    sources: ["store/", "open-store"],
  },
  { page: "memory", title: "Memory", about: "Long-term memory.", entries: ["throughline/memory"], sources: ["memory/"] },
  { page: "safety", title: "Safety", about: "The gate and its records.", entries: ["throughline/safety"], sources: ["safety/"] },
  {
    page: "extension",
    title: "Extensions",
    about: "Features that take part in turns.",
    entries: ["throughline/extension", "throughline/preamble"],
    sources: ["extension/"],
  },
  {
    page: "routines",
    title: "Routines",
    about: "Graphs that an agent follows, in a conversation or alone.",
    entries: ["throughline/routines"],
    sources: ["routines/"],
  },
  {
    page: "telemetry",
    title: "Telemetry",
    about: "Turns as traces.",
    entries: ["throughline/telemetry"],
    sources: ["telemetry/"],
  },
  {
    page: "kernel",
    title: "Errors, JSON, ids and time",
    about: "What everything else is built on.",
    entries: ["throughline/kernel"],
    sources: ["kernel/"],
  },
  {
    page: "sessions",
    title: "Runtime and sessions",
    about: "Running agents, and everything that a session can do.",
    entries: ["throughline/session"],
    sources: [""],
  },
  {
    page: "testing",
    title: "Testing",
    about: "Helpers for tests of agents, and kits for stores and extensions.",
    entries: ["throughline/testing"],
    sources: [],
  },
  {
    page: "server",
    title: "Server",
    about: "The HTTP service as a value.",
    entries: ["@throughline/server"],
    sources: [],
  },
  {
    page: "client",
    title: "Client",
    about: "The client of the service, for browsers and Node.",
    entries: ["@throughline/client", "@throughline/client/react"],
    sources: [],
  },
  {
    page: "adapters",
    title: "Adapters",
    about: "Other libraries: LangGraph, the OpenAI Agents SDK and the AI SDK.",
    entries: ["@throughline/adapters/ai-sdk", "@throughline/adapters/langgraph", "@throughline/adapters/openai-agents"],
    sources: [],
  },
  {
    page: "companion",
    title: "Companion",
    about: "The reference agent.",
    entries: ["@throughline/companion", "@throughline/companion/agent", "@throughline/companion/safety", "@throughline/companion/voice"],
    sources: [],
  },
];

/** The generated pages in the navigation. */
export const apiPages: PageLink[] = [
  ...themes.map(({ page, title }) => ({ text: title, link: `/reference/api/${page}` })),
  { text: "Commands", link: "/reference/api/commands" },
];
