/** Commands that prepare the service: configuration, API keys, and the keys of an encrypted database. */
import { editorSchema } from "../../config/throughline-file.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { plainSettings, printedSettings } from "../../config/config-settings.ts";
import { seen, ThroughlineError, systemRandom } from "throughline/kernel";
import { type Scope, scopes } from "../../protocol/wire-auth.ts";
import { type ApiKey, createKey, listKeys, parseKey, revokeKey } from "../../server/auth/api-keys.ts";
import { refuse, violation } from "../../config/violation.ts";
import { type CommandContext, type PlainContext, withStore } from "../command-context.ts";
import { fileExists, followUp, readKeyFile } from "../database-location.ts";
import { withProgress } from "../progress-line.ts";
import { ago, printable, table } from "../terminal-text.ts";

/** `config check`: says whether `serve` takes the configuration, or fails with all violations. Loads the agents only if rules name some. */
export async function checkConfig({ output, places }: PlainContext, file: string | undefined): Promise<void> {
  const { file: used, settings } = loadSettings(file === undefined ? places : { ...places, file });
  const { unreachableTargets, webhookSourcesOf } = await import("./service-commands.ts");
  const found = unreachableTargets(settings).map(({ path, message }) =>
    violation({ where: used ?? "The environment", secret: false }, path, message),
  );
  if (found.length > 0) throw refuse(used ?? "The environment", found);
  const isNamed = settings.webhooks.sources.some(({ rules }) => rules.some(({ agent, run }) => typeof agent === "string" || typeof run === "string"));
  if (isNamed) webhookSourcesOf(settings, await (await import("../load-agent.ts")).loadAgents(settings.agents));
  output.result({ file: used ?? null, violations: [] }, () =>
    used === undefined ? "There is no configuration file; settings are defaults or from the environment." : `${used} is valid.`,
  );
}

/** `config print`: prints the settings as YAML or JSON. */
export function printConfig({ output, places }: PlainContext, { redacted = false }: { readonly redacted?: boolean }): void {
  if (!redacted && output.out.stream.isTTY)
    throw new ThroughlineError("cli.usage", "This would show passwords at a terminal.", {
      hint: "Print them with --redacted, or into a file that only you can read.",
    });
  const { settings } = loadSettings(places);
  output.result(plainSettings(settings, { redacted }), () => printedSettings(settings, { redacted }).trimEnd());
}

/** `config schema`: prints the JSON Schema of the configuration file. */
export const printSchema = ({ output }: PlainContext): void => output.document(editorSchema());

const dayMs = 86_400_000;

const isScope = (word: string): word is Scope => scopes.some((scope) => scope === word);

function scopesOf(words: readonly string[]): readonly Scope[] {
  const wrong = words.find((word) => !isScope(word));
  if (wrong !== undefined) throw new ThroughlineError("cli.usage", `There is no scope ${seen(wrong)}.`, { hint: `There are: ${scopes.join(", ")}.` });
  return words.filter(isScope);
}

const wordOf = ({ revoked_at, expires_at }: ApiKey, now: number): string =>
  revoked_at !== undefined ? "revoked" : expires_at !== undefined && expires_at <= now ? "expired" : "active";

/** `keys create`: creates an API key and prints its secret, which cannot be printed again. */
export const createApiKey = (
  context: CommandContext,
  { name, scope, expiresDays }: { readonly name: string; readonly scope: readonly string[]; readonly expiresDays?: number },
): Promise<void> => {
  const granted = scopesOf(scope.flatMap((words) => words.split(",")));
  const { output, clock } = context;
  return withStore(
    context,
    async (store) => {
      const expiresAt = expiresDays === undefined ? {} : { expiresAt: clock.now() + expiresDays * dayMs };
      const { key, info } = await createKey(store, { name, scopes: granted, ...expiresAt }, { clock });
      if (output.json) return output.document({ key, ...info });
      output.out.line(key);
      output.err.line(`It is shown only this once. Its id is ${info.id}. To revoke it: \`${followUp(context, `keys revoke ${info.id}`)}\``);
    },
    { create: true },
  );
};

/** `keys list`: lists the API keys, oldest first. */
export const listApiKeys = (context: CommandContext): Promise<void> =>
  withStore(context, async (store) => {
    const { output, clock } = context;
    const now = clock.now();
    const keys = await listKeys(store);
    if (output.json) return output.document({ items: keys.map((key) => ({ ...key, status: wordOf(key, now) })) });
    if (keys.length === 0) return output.err.line(`There are no API keys yet: \`${followUp(context, "keys create")}\` creates one.`);
    const rows = keys.map((key) => [
      key.id,
      wordOf(key, now),
      key.last_used_at === undefined ? "never" : ago(key.last_used_at, now),
      key.expires_at === undefined ? "never" : new Date(key.expires_at).toISOString().slice(0, 10),
      printable(key.name),
      key.scopes.join(","),
    ]);
    output.out.line(table([["ID", "STATUS", "LAST USED", "EXPIRES", "NAME", "SCOPES"], ...rows]));
  });

/** `keys revoke`: revokes an API key by its id or by the key itself. */
export const revokeApiKey = (context: CommandContext, word: string): Promise<void> =>
  withStore(context, async (store) => {
    const { output, clock } = context;
    const key = await revokeKey(store, parseKey(word)?.id ?? word, { clock });
    output.result(
      { ...key, status: wordOf(key, clock.now()) },
      () =>
        `The API key ${key.id} (${printable(key.name)}) is revoked; within two seconds every process rejects it and the customer tokens that it issued.`,
    );
  });

/** `keys revoke-tokens`: revokes all tokens of a customer. */
export const revokeCustomerTokens = (context: CommandContext, customer_id: string): Promise<void> =>
  withStore(context, async (store) => {
    const { output, clock } = context;
    const { revokeTokens } = await import("../../server/auth/customer-versions.ts");
    await revokeTokens(store, customer_id, { clock });
    output.result(
      { customer_id, revoked: true },
      () => `All tokens of the customer ${printable(customer_id)} are revoked; within two seconds every process rejects them.`,
    );
  });

/** `keys generate`: prints a new key file. */
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
export async function rotate({ output, clock, location, keyFile }: CommandContext): Promise<void> {
  if (keyFile === undefined)
    throw new ThroughlineError("cli.usage", "Rotating keys needs --key-file, with the new key on its first line and the former one below.");
  if (fileExists(location) === false) throw new ThroughlineError("store.not_found", `There is no database at ${location}.`);
  const { rotateKeys } = await import("throughline/internal");
  const encryption = readKeyFile(keyFile);
  const rotated = await withProgress({ output, clock }, { doing: "Rewrapping keys" }, () => rotateKeys(location, { encryption }));
  if (output.json) return output.document(rotated);
  const { operator_key, rewrapped } = rotated;
  output.out.line(
    rewrapped === 0
      ? `Everything is wrapped by "${operator_key}".`
      : `${rewrapped} owner keys are wrapped by "${operator_key}" now; all others were already.`,
  );
}
