/** The table of the companion's state, from the code: fields, lifecycles, reducers, views, writers. */
import type { Agent } from "../../packages/throughline/src/index.ts";
import { memoryOf } from "../../packages/throughline/src/memory.ts";
import { fieldNotes, type FieldNote } from "../../packages/companion/src/companion-state.ts";

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
    ...sections,
  ].join("\n");
}
