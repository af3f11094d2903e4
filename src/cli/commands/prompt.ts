import { promptMatrix, type PromptMatrixRow } from "../../context/audience.ts";
import { keptPrompt } from "../../runtime/turn/kept-requests.ts";
import { type CommandContext, withStore, type PlainContext } from "../context.ts";
import { loadAgent } from "../load-agent.ts";
import { notKept, promptDocument, promptLines } from "../prompt-view.ts";
import { chosenSession } from "../reading.ts";
import { clip, table } from "../text.ts";

/** `prompt matrix`: which response style sees which part of the prompt. */
export async function printMatrix({ output }: PlainContext, module: string | undefined): Promise<void> {
  const agent = await loadAgent(module);
  const rows = promptMatrix(agent);
  if (output.json) return output.document({ agent: agent.name, matrix: rows });
  output.out.line(table([["STYLE", ...(rows[0]?.cells ?? []).map(({ part }) => clip(part, 28).toUpperCase())], ...rows.map(cellsOf)]));
  if (agent.prompt.styles === undefined) output.err.line(output.err.paint("dim", "The agent has no response styles: every part is always shown."));
}

const cellsOf = ({ style, cells }: PromptMatrixRow): readonly string[] => [
  clip(style ?? "(any other)", 28),
  ...cells.map(({ seen, window }) => (seen ? (window === undefined ? "yes" : `last ${window}`) : "no")),
];

/** `prompt show`: the request of a step as it was sent, if it is kept. */
export async function showPrompt(
  context: CommandContext,
  { session, ...which }: { readonly session?: string; readonly turn?: string; readonly step?: number },
): Promise<void> {
  const { output } = context;
  const kept = await withStore(context, async (store) => keptPrompt(store, await chosenSession(store, session), which));
  if (output.json) return output.document(promptDocument(kept));
  if (kept === undefined) return output.err.line(notKept);
  for (const line of promptLines(kept, output.out)) output.out.line(line);
}
