/** How people ask for something about their memory, from `commands/<language>.yaml`: compiled per language when it is first read. */
import de from "./commands/de.data.json" with { type: "json" };
import en from "./commands/en.data.json" with { type: "json" };
import es from "./commands/es.data.json" with { type: "json" };
import zh from "./commands/zh.data.json" with { type: "json" };
import { shownKinds, type MemoryCommand, type ShownKind } from "./commands.ts";
import { languages, type Language } from "./language.ts";

/** A command's name and the patterns that ask for it, as `commands/commands.schema.json` describes them. */
export interface CommandPatterns {
  readonly type: MemoryCommand["type"];
  readonly value?: boolean;
  readonly direct?: boolean;
  readonly patterns: readonly RegExp[];
}

/** How a language asks. */
interface LanguageCommands {
  /** What stands before or after a request and changes nothing. */
  readonly before: RegExp;
  readonly after: RegExp;
  /** Of two that fit, the first counts. */
  readonly commands: readonly CommandPatterns[];
}

/** A language, as its file has it. */
interface CommandsFile {
  readonly aboutAnswers: string;
  readonly vague: string;
  readonly courtesies: { readonly before: string; readonly after: string };
  readonly kinds: Readonly<Record<string, string>>;
  readonly commands: readonly { readonly type: string; readonly value?: boolean; readonly direct?: boolean; readonly patterns: readonly string[] }[];
}

const files: Readonly<Record<Language, CommandsFile>> = { en, es, de, zh };
const ready = new Map<Language, LanguageCommands>();

const types: readonly MemoryCommand["type"][] = [
  ...(["list", "status", "set_recall", "save_preference", "correct", "forget_by_index", "forget_by_query"] as const),
  ...(["forget_session", "forget_everything", "forget_vague", "pin", "never_recall"] as const),
];

const compiled = ({ courtesies, commands }: CommandsFile): LanguageCommands => ({
  before: new RegExp(courtesies.before, "iu"),
  after: new RegExp(courtesies.after, "iu"),
  commands: commands.flatMap(({ type: named, patterns, ...rest }) => {
    const type = types.find((one) => one === named);
    return type === undefined ? [] : [{ type, ...rest, patterns: patterns.map((pattern) => new RegExp(`^${pattern}$`, "iu")) }];
  }),
});

/** How a language asks. */
export function commandsOf(language: Language): LanguageCommands {
  const known = ready.get(language) ?? compiled(files[language]);
  ready.set(language, known);
  return known;
}

const all = languages.map((language) => files[language]);

/** What a preference about answers speaks of: without any of it, "remember that I like cats" is a fact, and no rule of how to talk. */
export const aboutAnswers = new RegExp(all.map((file) => file.aboutAnswers).join("|"), "iu");

/** What something is called by that stands for nothing in particular: with it alone it cannot be told what is meant. */
export const vague = new RegExp(`^(?:${all.map((file) => file.vague).join("|")})$`, "iu");

/** What the kinds of a listing are called. Anything else that is counted is of any kind. */
export const kindWords: Readonly<Record<string, ShownKind>> = Object.fromEntries(
  all.flatMap(({ kinds }) =>
    Object.entries(kinds).flatMap(([word, named]) => {
      const kind = shownKinds.find((one) => one === named);
      return kind === undefined ? [] : [[word, kind] as const];
    }),
  ),
);
