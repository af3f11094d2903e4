import { editorSchema } from "../../config/editor-schema.ts";
import { loadSettings } from "../../config/load.ts";
import { plainSettings, printedSettings } from "../../config/print.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { PlainContext } from "../context.ts";

/** `config check`: all that is wrong, as an error; what is used, if nothing is. */
export function checkConfig({ output, places }: PlainContext, file: string | undefined): void {
  const { file: used } = loadSettings(file === undefined ? places : { ...places, file });
  if (output.json) return output.document({ file: used ?? null, violations: [] });
  output.out.line(used === undefined ? "There is no configuration file; settings are defaults or from the environment." : `${used} is right.`);
}

/** `config print`: the settings as YAML, or as a document. */
export function printConfig({ output, places }: PlainContext, { redacted }: { readonly redacted: boolean }): void {
  if (!redacted && output.out.stream.isTTY)
    throw new ThroughlineError("cli.usage", "This would show passwords at a terminal.", {
      hint: "Print them with --redacted, or into a file that only you can read.",
    });
  const { settings } = loadSettings(places);
  if (output.json) return output.document(plainSettings(settings, { redacted }));
  output.out.line(printedSettings(settings, { redacted }).trimEnd());
}

/** `config schema`: the JSON Schema of the file. */
export const printSchema = ({ output }: PlainContext): void => output.document(editorSchema());
