import { ThroughlineError, seen } from "../../kernel/error.ts";
import { scopes, type Scope } from "../../protocol/scope.ts";
import { type ApiKey, createKey, listKeys, parseKey, revokeKey } from "../../server/auth/api-keys.ts";
import { revokeTokens } from "../../server/auth/customer-versions.ts";
import { type CommandContext, withStore } from "../context.ts";
import { ago, printable, table } from "../text.ts";

const dayMs = 86_400_000;

/** Options of a new key. */
export interface KeyWords {
  readonly name: string;
  readonly scope: readonly string[];
  readonly expiresDays?: number;
}

const isScope = (word: string): word is Scope => scopes.some((scope) => scope === word);

function scopesOf(words: readonly string[]): readonly Scope[] {
  const wrong = words.find((word) => !isScope(word));
  if (wrong !== undefined) throw new ThroughlineError("cli.usage", `There is no scope ${seen(wrong)}.`, { hint: `There are: ${scopes.join(", ")}.` });
  return words.filter(isScope);
}

const wordOf = ({ revoked_at, expires_at }: ApiKey, now: number): string =>
  revoked_at !== undefined ? "revoked" : expires_at !== undefined && expires_at <= now ? "expired" : "active";

/** `keys create`: makes an API key and shows it, this once. */
export const createApiKey = (context: CommandContext, { name, scope, expiresDays }: KeyWords): Promise<void> => {
  const granted = scopesOf(scope.flatMap((words) => words.split(",")));
  const { output, clock } = context;
  return withStore(
    context,
    async (store) => {
      const expiresAt = expiresDays === undefined ? {} : { expiresAt: clock.now() + expiresDays * dayMs };
      const { key, info } = await createKey(store, { name, scopes: granted, ...expiresAt }, { clock });
      if (output.json) return output.document({ key, ...info });
      output.out.line(key);
      output.err.line(`It is shown only this once. Its id is ${info.id}: \`throughline keys revoke ${info.id}\` takes it back.`);
    },
    { create: true },
  );
};

/** `keys list`: the API keys, oldest first. */
export const listApiKeys = (context: CommandContext): Promise<void> =>
  withStore(context, async (store) => {
    const { output, clock } = context;
    const now = clock.now();
    const keys = await listKeys(store);
    if (output.json) return output.document({ items: keys.map((key) => ({ ...key, status: wordOf(key, now) })) });
    if (keys.length === 0) return output.err.line("There are no API keys yet: `throughline keys create` makes one.");
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

/** `keys revoke`: takes an API key back. The key itself is as good as its id. */
export const revokeApiKey = (context: CommandContext, word: string): Promise<void> =>
  withStore(context, async (store) => {
    const { output, clock } = context;
    const key = await revokeKey(store, parseKey(word)?.id ?? word, { clock });
    if (output.json) return output.document({ ...key, status: wordOf(key, clock.now()) });
    output.out.line(
      `The API key ${key.id} (${printable(key.name)}) is revoked; every process refuses it and the customer tokens that it issued within two seconds.`,
    );
  });

/** `keys revoke-tokens`: ends all tokens of a customer. */
export const revokeCustomerTokens = (context: CommandContext, customer_id: string): Promise<void> =>
  withStore(context, async (store) => {
    const { output, clock } = context;
    await revokeTokens(store, customer_id, { clock });
    if (output.json) return output.document({ customer_id, revoked: true });
    output.out.line(`All tokens of the customer ${printable(customer_id)} are revoked; every process refuses them within two seconds.`);
  });
