/** Commands for what is remembered of people. */
import { Argument, type Command, Option } from "commander";
import { whole } from "../arguments.ts";
import type { Context } from "../context.ts";
import type { WhoseMemory } from "../memory-place.ts";

const kinds = ["fact", "turn", "arc", "rule"] as const;
type Kind = (typeof kinds)[number];

const ofKind = (meaning: string): Option => new Option("--kind <kind>", meaning).choices([...kinds]);
const messages = ["--messages", "also remove the text of the messages that said it from the log"] as const;
const yes = ["--yes", "do not ask for confirmation: for scripts"] as const;

/** The commands, each loaded when it is run. */
const load = () => import("../commands/memory.ts");

/** Adds them to the program. */
export function addMemory(program: Command, context: Context): void {
  const memory = program
    .command("memory")
    .description("show and change a person's memory")
    .addHelpText("after", "\n--customer names a person, --session the owner of a session; the default is the most recent session.");
  const add = (name: string, description: string): Command =>
    memory
      .command(name)
      .description(description)
      .option("--customer <id>", "the customer's id as the integration gave it")
      .option("--session <id>", "id of a session; the most recent one by default");
  addReading(add, context);
  addChanging(add, context);
  addForgetting(add, context);
  memory
    .command("why")
    .description("what a turn recalled, the placement of each entry, and the parts of its score")
    .argument("[session]", "id of a session; the most recent one by default")
    .option("--turn <id>", "id of a turn; the last one with a recall by default")
    .action(async (session: string | undefined, options: { turn?: string }) =>
      (await load()).showWhy(await context(), { ...options, ...(session === undefined ? {} : { session }) }),
    );
  memory
    .command("close")
    .description("end the episode of a session, and show what is remembered of it")
    .argument("[session]", "id of a session; the most recent one by default")
    .option("--agent <module>", "module that exports the session's `agent`; the companion by default")
    .action(async (session: string | undefined, options: { agent?: string }) =>
      (await load()).closeEpisode(await context(), { ...options, ...(session === undefined ? {} : { session }) }),
    );
}

type Add = (name: string, description: string) => Command;

/** Whose memory, of all that a command was given. */
const whoseOf = ({ customer, session }: WhoseMemory): WhoseMemory => ({
  ...(customer === undefined ? {} : { customer }),
  ...(session === undefined ? {} : { session }),
});

function addReading(add: Add, context: Context): void {
  add("status", "the size of the memory").action(async (options: WhoseMemory) => (await load()).showStatus(await context(), options));
  add("list", "entries, in the order of writing")
    .addOption(ofKind("only entries of this kind"))
    .option("--all", "include withdrawn and replaced entries")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 100)
    .option("--cursor <cursor>", "continue after a page")
    .action(async ({ customer, session, ...page }: WhoseMemory & { kind?: Kind; all?: true; limit: number; cursor?: string }) => {
      const whose = { ...(customer === undefined ? {} : { customer }), ...(session === undefined ? {} : { session }) };
      return (await load()).listMemory(await context(), whose, page);
    });
  add("search", "what a turn would recall for this message, and why")
    .argument("<words...>", "what is said")
    .option("--agent <module>", "module that exports an `agent`, for its languages and limits")
    .action(async (words: readonly string[], options: WhoseMemory & { agent?: string }) => {
      const { agent } = options;
      return (await load()).searchMemory(await context(), whoseOf(options), { text: words.join(" "), ...(agent === undefined ? {} : { agent }) });
    });
  add("export", "write the whole memory, with quotes and dates, to standard output")
    .addOption(new Option("--format <format>", "markdown for reading, json with all provenance").choices(["json", "markdown"]).default("markdown"))
    .action(async (options: WhoseMemory & { format: "json" | "markdown" }) =>
      (await load()).exportMemory(await context(), whoseOf(options), options.format),
    );
}

function addChanging(add: Add, context: Context): void {
  add("correct", "correct a fact; the correction outranks extractions")
    .argument("<entry>", "id of the fact")
    .argument("<value>", "the corrected text")
    .option("--quote <words>", "the person's own words for it")
    .action(async (entry: string, object: string, options: WhoseMemory & { quote?: string }) => {
      const { quote } = options;
      return (await load()).correctMemory(await context(), whoseOf(options), { entry, object, ...(quote === undefined ? {} : { quote }) });
    });
  for (const [name, mark, description] of [
    ["pin", "pinned", "protect an entry from eviction"],
    ["never-recall", "never_recall", "keep an entry, but hide it from every model"],
  ] as const)
    add(name, description)
      .argument("<entry>", "id of the entry")
      .option("--undo", "undo this")
      .action(async (entry: string, options: WhoseMemory & { undo?: true }) =>
        (await load()).markMemory(await context(), whoseOf(options), { entry, [mark]: options.undo !== true }),
      );
  add("recall", "whether the agent may bring up memories by itself")
    .addArgument(new Argument("<switch>", "on or off").choices(["on", "off"]))
    .action(async (to: "on" | "off", options: WhoseMemory) => (await load()).setRecall(await context(), options, to === "on"));
}

function addForgetting(add: Add, context: Context): void {
  add("forget", "forget entries and everything that rests on them; asks for the word `forget`")
    .argument("[entries...]", "ids of entries")
    .option("--query <words>", "entries that contain all of these words")
    .option(...messages)
    .option(...yes)
    .action(async (entries: readonly string[], options: WhoseMemory & { query?: string; messages?: true; yes?: true }) => {
      const { query, messages: also = false, yes: sure = false } = options;
      const given = { entries, messages: also, yes: sure, ...(query === undefined ? {} : { query }) };
      return (await load()).forgetMemory(await context(), whoseOf(options), given);
    });
  add("clear", "forget everything, or every entry of a kind; asks for the word `clear`")
    .addOption(ofKind("only entries of this kind"))
    .option(...messages)
    .option(...yes)
    .action(async (options: WhoseMemory & { kind?: Kind; messages?: true; yes?: true }) => {
      const { kind, messages: also = false, yes: sure = false } = options;
      return (await load()).clearMemory(await context(), whoseOf(options), { messages: also, yes: sure, ...(kind === undefined ? {} : { kind }) });
    });
}
