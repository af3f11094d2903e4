import { ThroughlineError } from "../../kernel/error.ts";
import { systemRandom } from "../../kernel/random.ts";
import { rotateKeys } from "../../open-store.ts";
import type { CommandContext } from "../context.ts";
import { readKeyFile } from "../key-file.ts";
import { fileExists } from "../location.ts";

/** `keys generate`: a new key file on standard output. */
export function generateKey({ output, clock }: Pick<CommandContext, "output" | "clock">): void {
  const id = `key-${new Date(clock.now()).toISOString().slice(0, 10)}-${Buffer.from(systemRandom.bytes(3)).toString("hex")}`;
  const key = Buffer.from(systemRandom.bytes(32)).toString("base64url");
  if (output.json) return output.document({ id, key });
  output.out.line(`${id} ${key}`);
  output.err.line(
    "Keep it in a file that only you can read (chmod 600), and a copy outside the database's backups: without it, nothing can be read again.",
  );
}

/** `keys rotate`: wraps the keys of the database with the first key of the file. */
export async function rotate({ output, location, keyFile }: CommandContext): Promise<void> {
  if (keyFile === undefined)
    throw new ThroughlineError("cli.usage", "Rotating keys needs --key-file, with the new key on its first line and the former one below.");
  if (fileExists(location) === false) throw new ThroughlineError("store.not_found", `There is no database at ${location}.`);
  const rotated = await rotateKeys(location, { encryption: readKeyFile(keyFile) });
  if (output.json) return output.document(rotated);
  const { operator_key, rewrapped } = rotated;
  output.out.line(
    rewrapped === 0
      ? `Everything is wrapped by "${operator_key}".`
      : `${rewrapped} owner keys are wrapped by "${operator_key}" now; all others were already.`,
  );
}
