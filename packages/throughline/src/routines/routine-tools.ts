/** The tools with which nodes act in the loop: a model's outputs and choices, and approvals. A call and its result are in the log like any other. */
import { defineTool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { type Routine, type RoutineNode, type ObjectSchema, toolNameOf } from "./routine.ts";

/** Name of the tool with which a model chooses the routine to enter. */
export const enterTool = "routines__enter";

/** Returns the sentences that a model judges after a node, with the nodes that they lead to. */
export const sentencesOf = ({ next }: RoutineNode): readonly { readonly sentence: string; readonly to: string }[] =>
  next.flatMap(({ when, to }) => (typeof when === "string" ? [{ sentence: when, to }] : []));

const choice = (name: string, description: string, values: readonly string[]): Tool =>
  defineTool({
    name,
    description,
    effects: "none",
    parameters: {
      type: "object",
      properties: { choice: { enum: [...values, "none"], description: "The number of the first statement that holds, or none." } },
      required: ["choice"],
      additionalProperties: false,
    },
    execute: (given) => given as { choice: string },
  });

/** Returns the tools that a node adds. */
function nodeTools(routine: Routine, node: RoutineNode): readonly Tool[] {
  const sentences = sentencesOf(node);
  const judged =
    sentences.length === 0
      ? []
      : [
          choice(
            toolNameOf(routine.id, node.id, "next"),
            "Says which statement holds now.",
            sentences.map((_, index) => String(index + 1)),
          ),
        ];
  const name = toolNameOf(routine.id, node.id, "output");
  if (node.kind === "think") return [output(name, `The result of "${node.id}".`, node.action.output), ...judged];
  if (node.kind === "emit_output" && routine.output !== undefined)
    return [output(name, `The output of "${routine.title}".`, routine.output), ...judged];
  if (node.kind === "approve") {
    const { seconds = 86_400 } = node.action;
    const approval = defineTool({
      name,
      description: node.action.question,
      effects: "none",
      parameters: { type: "object", additionalProperties: true },
      approval: { when: () => node.action.question, expiresMs: Math.ceil(seconds * 1_000) },
      execute: () => ({ approved: true }),
    });
    return [approval, ...judged];
  }
  return judged;
}

/** The parameters are the schema of the output, so the loop refuses an invalid one and the model reads why. */
const output = (name: string, description: string, parameters: ObjectSchema<unknown>): Tool =>
  defineTool({ name, description, effects: "none", parameters, execute: (given) => given });

/** Returns the tools of all routines. */
export function toolsOf(routines: readonly Routine[]): readonly Tool[] {
  const asked = routines.filter(({ conditions }) => conditions.some((one) => typeof one === "string"));
  const entering =
    asked.length === 0
      ? []
      : [
          choice(
            enterTool,
            "Says which routine applies now.",
            asked.map(({ id }) => id),
          ),
        ];
  return [...entering, ...routines.flatMap((routine) => Object.values(routine.nodes).flatMap((node) => nodeTools(routine, node)))];
}
