#!/usr/bin/env node
// Creates a project from a template. Plain ES2020 on purpose: it must run, and speak, on a Node that cannot run the project.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "fs";
import { basename, dirname, join, resolve } from "path";
import { createInterface } from "readline";
import { fileURLToPath } from "url";

const home = dirname(fileURLToPath(import.meta.url));

/** What each template is, in the order in which they are offered. */
const templates = new Map([
  ["chat", "a conversation that is stored and continues after a restart"],
  ["support", "a support desk with two tools, one of which waits for approval"],
  ["companion", "the reference agent, with an exercise of your own"],
]);
const defaults = { folder: "my-agent", template: "chat" };

const usage = `Usage: npm create throughline@latest [folder] -- [options]
       create-throughline [folder] [options]

Options:
  --template <name>  ${[...templates.keys()].join(", ")} (default: ${defaults.template})
  --yes              ask nothing; the folder is ${defaults.folder} unless you name another one
  --help             print this text
  --version          print the version

Templates:
${[...templates].map(([name, what]) => `  ${name.padEnd(10)} ${what}`).join("\n")}
`;

/** An error that the person can correct. */
class UsageError extends Error {}

/**
 * Reads the arguments.
 * @param {readonly string[]} words
 */
function readArguments(words) {
  /** @type {{ folder?: string, template?: string, yes: boolean, show?: "help" | "version" }} */
  const given = { yes: false };
  for (let at = 0; at < words.length; at++) {
    const [option, inline] = words[at].startsWith("--") ? words[at].split(/=(.*)/s) : [words[at], undefined];
    if (option === "--template") {
      const template = inline === undefined ? words[++at] : inline;
      if (template === undefined) throw new UsageError(`--template needs a name: ${[...templates.keys()].join(", ")}.`);
      given.template = template;
    } else if (option === "--yes" || option === "-y") given.yes = true;
    else if (option === "--help" || option === "-h") given.show = "help";
    else if (option === "--version") given.show = "version";
    else if (option.startsWith("-")) throw new UsageError(`There is no option ${option}.`);
    else if (given.folder === undefined) given.folder = option;
    else throw new UsageError(`Name one folder, got ${given.folder} and ${option}.`);
  }
  return given;
}

/**
 * Asks a question at the terminal. An empty answer takes the default.
 * @param {string} question
 * @param {string} usual
 * @returns {Promise<string>}
 */
const ask = (question, usual) =>
  new Promise((done) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    let answer = usual;
    terminal.question(`${question} (${usual}) `, (text) => {
      answer = text.trim() || usual;
      terminal.close();
    });
    terminal.on("close", () => done(answer));
  });

/**
 * Copies a folder into another one. A package cannot hold a file named `.gitignore`, so the templates have it without the dot.
 * @param {string} from
 * @param {string} to
 */
function copy(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name === "gitignore" ? ".gitignore" : name);
    if (statSync(source).isDirectory()) copy(source, target);
    else copyFileSync(source, target);
  }
}

/**
 * The name of a package in `folder`.
 * @param {string} folder
 */
const packageName = (folder) =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "") || defaults.folder;

/**
 * Creates the project in `folder`.
 * @param {string} folder
 * @param {string} template
 */
function create(folder, template) {
  if (!templates.has(template)) throw new UsageError(`There is no template ${template}; there are ${[...templates.keys()].join(", ")}.`);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file. Name a new or empty folder.`);
  if (existsSync(folder) && readdirSync(folder).some((name) => name !== ".git"))
    throw new UsageError(`${folder} is not empty. Name a new or empty folder.`);
  copy(join(home, "templates", "base"), folder);
  copy(join(home, "templates", template), folder);
  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.name = packageName(folder);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Whether this Node is in a range like `^22.20.0 || >=24.7.0`.
 * @param {string} range
 */
function runsOn(range) {
  const seen = process.versions.node.split(".").map(Number);
  return range.split(" || ").some((part) => {
    const oldest = part.replace(/^\D+/, "").split(".").map(Number);
    if (part.startsWith("^") && seen[0] !== oldest[0]) return false;
    const at = oldest.findIndex((number, index) => number !== seen[index]);
    return at === -1 || seen[at] > oldest[at];
  });
}

/** Runs the command. */
async function main() {
  const given = readArguments(process.argv.slice(2));
  if (given.show === "help") return void process.stdout.write(usage);
  const { version, engines } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  if (given.show === "version") return void process.stdout.write(`${version}\n`);
  const asks = !given.yes && process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (given.folder === undefined && !asks && !given.yes) throw new UsageError("Name the folder of the project.");
  const folder = given.folder || (asks ? await ask("Folder of the project", defaults.folder) : defaults.folder);
  const names = [...templates.keys()].join(", ");
  const template = given.template || (asks ? await ask(`Template, one of ${names}`, defaults.template) : defaults.template);
  create(resolve(folder), template);
  const enter = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replace(/'/g, `'\\''`)}'`;
  const install = resolve(folder) === process.cwd() ? "npm install" : `cd ${enter} && npm install`;
  process.stdout.write(`Created ${folder} from the template ${template}. Next:\n\n  ${install}\n  npm start\n`);
  if (!runsOn(engines.node))
    process.stderr.write(`\nThe project needs Node ${engines.node}, and this is ${process.version}. Install a newer Node first.\n`);
}

main().catch((error) => {
  process.stderr.write(error instanceof UsageError ? `${error.message}\nnpx create-throughline --help lists the options.\n` : `${error.stack}\n`);
  process.exitCode = 1;
});
