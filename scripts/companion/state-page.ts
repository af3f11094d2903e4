/** The table of the companion's state, from the code: fields, lifecycles, reducers, views, writers. */
import type { Agent } from "../../packages/throughline/src/index.ts";
import { jsonSchemaOf } from "../../packages/throughline/src/kernel/schema.ts";
import { memoryOf } from "../../packages/throughline/src/memory.ts";
import { fieldGroups, fieldNotes, type FieldNote } from "../../packages/companion/src/companion-state.ts";
import {
  agentInputSchema,
  agentOutputSchema,
  crisisAssessmentSchema,
  messageSchema,
  responseStyles,
  workingMemoryEntrySchema,
} from "../../packages/companion/src/contract.ts";

const lifecycles = [
  ["input", "given by the caller when a turn begins"],
  ["loaded", "fetched anew in every turn"],
  ["reduced", "survives from turn to turn; writes are joined by the reducer"],
  ["turn", "fresh in every turn"],
] as const;

const isText = (value: unknown): value is string => typeof value === "string";
const cell = (text: string): string => text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");

/** The stages and hooks that declare a field among their writes, and who else writes it. */
function writersOf({ stages, reply }: Agent, name: string, { by }: FieldNote): string {
  const hooks =
    "settings" in reply ? (reply.settings as { readonly hooks: readonly { readonly name: string; readonly writes: readonly string[] }[] }).hooks : [];
  const own = [...stages, ...hooks].filter(({ writes }) => writes.includes(name)).map((writer) => `\`${writer.name}\``);
  return [...(isText(by) ? [by] : []), ...new Set(own)].join(", ");
}

function initialOf(initial: unknown): string {
  if (initial === undefined) return "";
  const text = JSON.stringify(typeof initial === "function" ? (initial as () => unknown)() : initial);
  return text.length > 60 ? "(all empty)" : `\`${text}\``;
}

const names = (of: readonly string[]): string => of.map((name) => `\`${name}\``).join(", ");

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

const wordOf = (value: unknown): string => (isText(value) ? value : JSON.stringify(value));

/** The closed lists of a schema, by path. Null is named where it is a value. */
function listsIn(schema: unknown, path: string): readonly (readonly [path: string, values: readonly string[]])[] {
  if (!isSchema(schema)) return [];
  const { enum: values, const: only, anyOf, properties, items } = schema;
  const options = Array.isArray(anyOf) ? anyOf.filter(isSchema) : [];
  const told = (Array.isArray(values) ? values : only === undefined ? [] : [only]).map(wordOf);
  const nothing = options.some(({ type }) => type === "null") ? ["null"] : [];
  const consts = options.flatMap(({ const: one }) => (one === undefined ? [] : [wordOf(one)]));
  if (consts.length > 0) return [[path, [...consts, ...nothing]]];
  return [
    ...(told.length < 2 ? [] : [[path, told] as const]),
    ...options.flatMap((option) => listsIn(option, path).map(([at, list]) => [at, at === path ? [...list, ...nothing] : list] as const)),
    ...(isSchema(properties) ? Object.entries(properties).flatMap(([name, member]) => listsIn(member, `${path}.${name}`)) : []),
    ...listsIn(items, `${path}[]`),
  ];
}

/** What a caller gives and gets, by the names of its types. */
const contract = {
  AgentInput: agentInputSchema,
  AgentOutput: agentOutputSchema,
  CrisisAssessment: crisisAssessmentSchema,
  CompanionMessage: messageSchema,
  CompanionMemoryEntry: workingMemoryEntrySchema,
} as const;

/** The type of a member: its values if they are a closed list, else its kind. */
function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return "any";
  const { type, items, anyOf } = schema;
  const [list] = listsIn(schema, "");
  if (list?.[0] === "") return names(list[1]);
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeOf))].join(" or ");
  return type === "array" ? `list of ${typeOf(items)}` : isText(type) ? type : "any";
}

/** The members of a type of the contract. Of a union they are those of its objects. */
function memberRows(name: string, schema: unknown): readonly string[] {
  if (!isSchema(schema)) return [];
  const { anyOf, properties, required } = schema;
  if (Array.isArray(anyOf)) return anyOf.filter(isSchema).flatMap((option) => memberRows(`${name} (${kindOf(option)})`, option));
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isSchema(properties) ? properties : {}).map(([member, of]) => {
    const initial = isSchema(of) ? of["default"] : undefined;
    const otherwise = initial !== undefined ? `\`${JSON.stringify(initial)}\`` : needed.includes(member) ? "" : "optional";
    return `| ${name} | \`${member}\` | ${typeOf(of)} | ${otherwise} |`;
  });
}

/** What an option of a union is called: the value of its member `type`. */
const kindOf = ({ properties }: Schema): string => {
  const type = isSchema(properties) ? properties["type"] : undefined;
  return isSchema(type) ? wordOf(type["const"]) : "text";
};

/** The values that fields may have. The style is a text in the state, because other agents may have more. */
function valueRows({ state }: Agent): readonly string[] {
  const lists = Object.entries(state.fields).flatMap(([name, { schema }]) => {
    return schema === undefined ? [] : listsIn(jsonSchemaOf(schema, "output"), name);
  });
  return [...lists, ["response_style", ["pending", ...responseStyles]] as const].map(
    ([path, values]) => `| \`${path}\` | ${values.map((value) => (value === "" ? "blank" : `\`${value}\``)).join(", ")} |`,
  );
}

/** The page. */
export function statePage(agent: Agent): string {
  const fields = Object.entries(agent.state.fields);
  const notes: Readonly<Record<string, FieldNote>> = fieldNotes;
  const shown = (...kinds: readonly string[]): readonly string[] => fields.flatMap(([name, { show }]) => (kinds.includes(show) ? [name] : []));
  const sections = lifecycles.flatMap(([lifecycle, about]) => {
    const rows = fields.filter(([, field]) => field.lifecycle === lifecycle);
    return [
      `## \`${lifecycle}\`: ${about}`,
      "",
      "| field | about | reducer | at first | seen by | written by |",
      "|---|---|---|---|---|---|",
      ...rows.map(([name, field]) => {
        const note = notes[name] ?? { about: "" };
        const cells = [`\`${name}\``, note.about, field.reducer.name, initialOf(field.initial), field.show, writersOf(agent, name, note)];
        return `| ${cells.map(cell).join(" | ")} |`;
      }),
      "",
    ];
  });
  return [
    "# The companion's state",
    "",
    "Made from `packages/companion/src/companion-state.ts` by `npm run docs:companion`; a test holds it to the code. How fields live and who sees them is said in [typed state](state.md).",
    "",
    `There are ${fields.length} fields and three views of them. **Input**, what a caller gives: ${names(fields.flatMap(([name, { lifecycle }]) => (lifecycle === "input" ? [name] : [])))}. ` +
      "**Internal**: all of it, for stages and tools. " +
      `**Output**, what the caller of a turn gets: ${names(shown("output", "public"))}. Clients are shown none of it.`,
    "",
    `Stages, in order: ${agent.stages.map(({ name, runs }) => `\`${name}\`${runs === "always" ? " (also in danger)" : ""}`).join(", ")}. The gate comes before all of them; recall before \`${memoryOf(agent)?.before ?? "the reply"}\`.`,
    "",
    "## Groups",
    "",
    "| Group | Fields |",
    "|---|---|",
    ...Object.entries(fieldGroups).map(([group, members]) => `| ${group} | ${names(members)} |`),
    "",
    ...sections,
    "## The contract",
    "",
    "The types of `@throughline/companion`. A caller gives an `AgentInput` and gets an `AgentOutput`; the state is internal. A stream has `status`, `chunk`, `response_ready` and `done`, the last two with the output.",
    "",
    "| Type | Member | Values | Default |",
    "|---|---|---|---|",
    ...Object.entries(contract).flatMap(([name, schema]) => memberRows(name, jsonSchemaOf(schema, "input"))),
    "",
    "## Closed lists of values",
    "",
    "| Member | Values |",
    "|---|---|",
    ...valueRows(agent),
    "",
  ].join("\n");
}
