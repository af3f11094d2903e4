/** The file that operator keys are kept in: a key a line, its id and its base64, the one that writes first. Lines that begin with `#` are remarks. */
import { readFileSync } from "node:fs";
import { ThroughlineError } from "../kernel/error.ts";
import type { EncryptionOptions } from "../store/encryption.ts";

/**
 * `--key-file`, else `THROUGHLINE_KEY_FILE`; undefined if neither names one. A key itself is never an argument: others see the arguments of a
 * process.
 */
export function keyFileOf(option: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  if (option !== undefined && option.trim() === "") throw new ThroughlineError("cli.usage", "--key-file names no file.");
  return option ?? (environment["THROUGHLINE_KEY_FILE"]?.trim() || undefined);
}

/** The keys of a file. What is wrong with a line is said by its number, because it may be a key. */
export function readKeyFile(path: string): EncryptionOptions {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new ThroughlineError("cli.usage", `The key file ${path} cannot be read.`, { hint: "Check its path and permissions.", cause });
  }
  const keys = text.split(/\r?\n/u).flatMap((line, index) => {
    const words = line.trim().split(/\s+/u);
    if (words[0] === "" || words[0]?.startsWith("#") === true) return [];
    const [id, key] = words;
    if (id === undefined || key === undefined || words.length > 2)
      throw new ThroughlineError("encryption.key_invalid", `Line ${index + 1} of ${path} is not an id and a key with a space between them.`);
    return [{ id, key }];
  });
  return { keys };
}
