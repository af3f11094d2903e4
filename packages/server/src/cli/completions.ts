/** Writes completions for shells from the declared commands, so that they are what the program takes. */
import type { Argument, Command, Option } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** What can follow the words of a command. */
interface Place {
  /** The words of the command, the program's name first. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Flag[];
  /** Fixed values of arguments. */
  readonly values: readonly string[];
  /** Whether an argument may be a file. */
  readonly takesFile: boolean;
}

/** All places, and the options that every command takes. */
interface Declared {
  readonly places: readonly Place[];
  readonly everywhere: readonly Flag[];
}

interface Word {
  readonly name: string;
  readonly about: string;
}

interface Flag extends Word {
  /** Whether a value follows, and its fixed values. */
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

const flagsOf = ({ long, short, description, required, optional, argChoices = [] }: Option): readonly Flag[] =>
  [long, short].flatMap((name) =>
    name === undefined || name === null ? [] : [{ name, about: description, takesValue: required || optional, values: argChoices }],
  );

const fileNames: ReadonlySet<string> = new Set(["file", "backup", "location", "module"]);

/** Reads every place of a program. */
function placesOf(command: Command, above?: string): readonly Place[] {
  const path = above === undefined ? command.name() : `${above} ${command.name()}`;
  const named: readonly Argument[] = command.registeredArguments;
  const place: Place = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), about: child.description() })),
    options: command.options.flatMap(flagsOf).filter(({ name }) => above !== undefined || isVersion(name)),
    values: named.flatMap(({ argChoices = [] }) => argChoices),
    takesFile: named.some((argument) => fileNames.has(argument.name())),
  };
  return [place, ...command.commands.flatMap((child) => placesOf(child, path))];
}

const isVersion = (name: string): boolean => name === "--version" || name === "-V";

/** The options that every command takes. */
const everywhereIn = (program: Command): readonly Flag[] => [
  ...program.options.flatMap(flagsOf).filter(({ name }) => !isVersion(name)),
  { name: "--help", about: "describe the command", takesValue: false, values: [] },
];

/** A text between single quotes of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A text between single quotes of fish. */
const quotedForFish = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;

/** The first part of a description. */
const first = (text: string): string => text.split(/[;:](?:\s|$)|\n| \(default/u)[0] ?? "";

const candidates = ({ commands, options, values }: Place): readonly Word[] => [
  ...commands,
  ...values.map((name) => ({ name, about: "" })),
  ...options,
];

/** Options that take a value, each with the pattern of its place. */
const taking = ({ places, everywhere }: Declared, quote: (path: string) => string): readonly (readonly [pattern: string, flag: Flag])[] =>
  [
    ...everywhere.map((flag) => [`*${quote(` ${flag.name}`)}`, flag] as const),
    ...places.flatMap(({ path, options }) => options.map((flag) => [quote(`${path} ${flag.name}`), flag] as const)),
  ].filter(([, { takesValue }]) => takesValue);

/** The cases of a shell function: which words lead on to a command, and which options take a value. */
function casesOf(declared: Declared): { readonly steps: string; readonly skips: string } {
  const steps = declared.places.flatMap(({ path, commands }) =>
    commands.map(({ name }) => `      ${quoted(`${path} ${name}`)}) at=${quoted(`${path} ${name}`)} ;;`),
  );
  const skips = `      ${taking(declared, quoted)
    .map(([pattern]) => pattern)
    .join(" | ")}) skip=1 ;;`;
  return { steps: steps.join("\n"), skips };
}

/** The cases that offer the values of an option; an option without fixed values offers files. */
const valueCases = (declared: Declared, offer: (values: readonly string[]) => string): string =>
  taking(declared, quoted)
    .map(([pattern, { values }]) => `      ${pattern}) ${offer(values)}; return ;;`)
    .join("\n");

/** The loop of bash and zsh over the words before the current one: it follows the commands to their place, and skips the values of options. */
function loopOver(declared: Declared, { words, from, current }: { readonly words: string; readonly from: number; readonly current: string }): string {
  const { steps, skips } = casesOf(declared);
  return `  for ((i = ${from}; i < ${current}; i++)); do
    word="\${${words}[i]}"
    if [[ -n $skip ]]; then
      skip=
      continue
    fi
    case "$at $word" in
${skips}
${steps}
    esac
  done
`.trimEnd();
}

function bash(declared: Declared): string {
  const { places, everywhere } = declared;
  const files = 'COMPREPLY=($(compgen -f -- "$current"))';
  const words = (names: readonly string[], more = ""): string => `COMPREPLY=($(compgen -W ${quoted(names.join(" "))}${more} -- "$current"))`;
  return `# bash completion for throughline, generated by: throughline completions bash
_throughline() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at=throughline word skip= i
${loopOver(declared, { words: "COMP_WORDS", from: 1, current: "COMP_CWORD" })}
  COMPREPLY=()
  local globals=${quoted(everywhere.map(({ name }) => name).join(" "))}
  if [[ -n $skip ]]; then
    case "$at $previous" in
${valueCases(declared, (values) => (values.length === 0 ? files : words(values)))}
    esac
  fi
  case "$at" in
${places
  .map(
    (place) =>
      `    ${quoted(place.path)}) ${words(
        candidates(place).map(({ name }) => name),
        '" $globals"',
      )}${place.takesFile ? '; [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))' : ""} ;;`,
  )
  .join("\n")}
  esac
}
complete -o filenames -F _throughline throughline
`;
}

function zsh(declared: Declared): string {
  const { places, everywhere } = declared;
  const described = (words: readonly Word[]): string =>
    words.map(({ name, about }) => quoted(`${name.replaceAll(":", String.raw`\:`)}:${first(about)}`)).join(" ");
  return `#compdef throughline
# zsh completion for throughline, generated by: throughline completions zsh
_throughline() {
  local at=throughline word skip= previous="\${words[CURRENT-1]}" i
  local -a offered globals=(${described(everywhere)})
${loopOver(declared, { words: "words", from: 2, current: "CURRENT" })}
  if [[ -n $skip ]]; then
    case "$at $previous" in
${valueCases(declared, (values) => (values.length === 0 ? "_files" : `compadd -- ${values.map(quoted).join(" ")}`))}
    esac
  fi
  case "$at" in
${places.map((place) => `    ${quoted(place.path)}) offered=(${described(candidates(place))}); _describe -V command offered; _describe -V option globals${place.takesFile ? "; _files" : ""} ;;`).join("\n")}
  esac
}
if [[ "\${funcstack[1]}" == _throughline ]]; then
  _throughline "$@"
elif (( \${+functions[compdef]} )); then
  compdef _throughline throughline
fi
`;
}

function fish(declared: Declared): string {
  const { places, everywhere } = declared;
  const skips = taking(declared, (text) => text)
    .map(([pattern]) => quotedForFish(pattern))
    .join(" ");
  const steps = places.flatMap(({ path, commands }) => commands.map(({ name }) => quotedForFish(`${path} ${name}`)));
  const flagLine = (start: string, { name, about, takesValue, values }: Flag): string => {
    const flag = name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
    const value = takesValue ? (values.length === 0 ? " -r -F" : ` -x -a ${quotedForFish(values.join(" "))}`) : "";
    return `${start} ${flag}${value} -d ${quotedForFish(first(about))}`;
  };
  const lines = places.flatMap(({ path, commands, options, values, takesFile }) => {
    const here = `complete -c throughline -n ${quotedForFish(`__throughline_at ${quotedForFish(path)}`)}`;
    return [
      ...commands.map(({ name, about }) => `${here} -f -a ${quotedForFish(name)} -d ${quotedForFish(first(about))}`),
      ...values.map((name) => `${here} -f -a ${quotedForFish(name)}`),
      ...options.map((flag) => flagLine(here, flag)),
      ...(takesFile ? [`${here} -F`] : []),
    ];
  });
  return `# fish completion for throughline, generated by: throughline completions fish
function __throughline_at
    set -l at throughline
    set -l skip
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
            continue
        end
        switch "$at $word"
            case ${skips}
                set skip 1
            case ${steps.join(" ")}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c throughline -f
${everywhere.map((flag) => flagLine("complete -c throughline", flag)).join("\n")}
${lines.join("\n")}
`;
}

/** The completion script of a shell for a program. */
export const completionScript = (program: Command, shell: Shell): string =>
  ({ bash, zsh, fish })[shell]({ places: placesOf(program), everywhere: everywhereIn(program) });
