/** Commands about routines: checking files, and drawing a routine. */
import { existsSync } from "node:fs";
import type { Agent } from "throughline";
import { seen, ThroughlineError } from "throughline/kernel";
import { routineSchema, toMermaid, type Routine } from "throughline/routines";
import { readRoutine, readRoutineText } from "../../config/routine-file.ts";
import type { PlainContext } from "../command-context.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { routinesOf } from "../../server/agent-routines.ts";
import { loadAgent, loadAgents } from "../load-agent.ts";

/** `routines check`: reports all faults of files with their places. */
export function checkRoutines({ output }: PlainContext, files: readonly string[]): void {
  const found = files.map((file) => ({ file, ...readRoutine(readRoutineText(file)) }));
  const faults = found.flatMap(({ file, faults: some }) => some.map((fault) => ({ file, ...fault })));
  if (faults.length > 0) {
    const lines = faults.map(({ file, line, column, path, message }) => `${file}:${line}:${column} ${path === "" ? "" : `${path}: `}${message}`);
    throw new ThroughlineError("routine.invalid", lines.join("\n"), { details: { faults } });
  }
  output.result(
    { routines: found.map(({ file, routine }) => ({ file, id: routine?.id ?? null, version: routine?.version ?? null })), faults: [] },
    () => found.map(({ file, routine }) => `${file}: routine "${routine?.id ?? ""}" version ${routine?.version ?? 0} is valid.`).join("\n"),
  );
}

/** `routines show`: prints a routine as a Mermaid flowchart. The name is that of a file, or of a routine of an agent: of the configured ones by default. */
export async function showRoutine({ output, places }: PlainContext, name: string, { agent }: { readonly agent?: string }): Promise<void> {
  const agentsOf = async () => (agent === undefined ? loadAgents(loadSettings(places).settings.agents) : [await loadAgent(agent)]);
  const routine = existsSync(name) ? fromFile(name) : routineOf(await agentsOf(), name);
  output.result({ id: routine.id, version: routine.version, title: routine.title, mermaid: toMermaid(routine) }, () => toMermaid(routine).trimEnd());
}

function fromFile(file: string): Routine {
  const { routine, faults } = readRoutine(readRoutineText(file));
  if (routine !== undefined) return routine;
  throw new ThroughlineError("routine.invalid", `${file} has ${faults.length} faults.`, {
    hint: `\`throughline routines check ${file}\` lists them.`,
  });
}

function routineOf(agents: readonly Agent[], name: string): Routine {
  const all = agents.flatMap(routinesOf);
  const found = all.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const whose = agents.map((agent) => `"${agent.name}"`).join(", ");
  throw new ThroughlineError(
    "routine.not_found",
    `There is no routine ${seen(name)} of ${agents.length === 1 ? "agent" : "the agents"} ${whose}, and no such file.`,
    {
      hint: all.length === 0 ? "There are none." : `There are ${all.map(({ id }) => id).join(", ")}.`,
    },
  );
}

/** `routines schema`: prints the JSON Schema of a routine's file. */
export const printRoutineSchema = ({ output }: PlainContext): void => output.document(routineSchema());
