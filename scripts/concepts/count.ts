/** Counts what a reader of a program has to learn: the names of the library in it, grouped by the thing that they belong to. */
import { parseSync } from "oxc-parser";

/** The things of the library, and the names that say something of one. A name that stands nowhere here counts as a concept of its own. */
const concepts: Readonly<Record<string, readonly string[]>> = {
  agent: ["defineAgent", "agent", "agents", "name", "version", "instructions"],
  model: ["model", "openaiCompatible", "aiSdk", "rules", "scripted"],
  state: ["defineState", "state", "input", "reduced", "turn", "show", "start", "document"],
  session: ["sessions", "open", "customer", "key"],
  send: ["send", "stream", "result", "reply", "type", "text"],
  tool: ["defineTool", "tools", "description", "parameters", "execute", "effects", "approval"],
  store: ["createRuntime", "close", "openStore", "store"],
};

/** A node of the syntax tree, as far as it is read here. */
interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

const childrenOf = (node: Node): readonly Node[] => Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));

/** The name of an identifier; undefined for other nodes. */
const nameOf = (node: unknown): string | undefined => (isNode(node) && node.type === "Identifier" ? String(node["name"]) : undefined);

/** The variable that a chain of members, calls and awaits begins with. */
function rootOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return nameOf(node) ?? rootOf(node["callee"] ?? node["object"] ?? node["argument"]);
}

/** Returns the names of the library in a program: what it imports, the options that it passes, and the members that it uses of what it gets. */
export function libraryNames(code: string): readonly string[] {
  const { program, errors } = parseSync("program.ts", code);
  if (errors.length > 0) throw new Error(`The program does not parse: ${errors.map(({ message }) => message).join("; ")}`);
  const names = new Set<string>();
  /** Variables that hold something of the library. */
  const ours = new Set<string>();
  const read = (node: Node): void => {
    const { type } = node;
    if (type === "ImportDeclaration" && isNode(node["source"]) && /^(@?throughline)(\/|$)/.test(String(node["source"]["value"]))) {
      for (const specifier of childrenOf(node).filter((child) => child.type === "ImportSpecifier")) {
        names.add(nameOf(specifier["imported"]) ?? "");
        ours.add(nameOf(specifier["local"]) ?? "");
      }
    }
    if (type === "VariableDeclarator" && ours.has(rootOf(node["init"]) ?? "")) bind(node["id"]);
    if (type === "ForOfStatement" && ours.has(rootOf(node["right"]) ?? ""))
      for (const declared of childrenOf(node["left"] as Node).filter((child) => child.type === "VariableDeclarator")) bind(declared["id"]);
    if (type === "MemberExpression" && ours.has(rootOf(node) ?? "")) names.add(nameOf(node["property"]) ?? "");
    if (type === "CallExpression" && ours.has(rootOf(node["callee"]) ?? "")) {
      const given = (node["arguments"] as readonly Node[]).filter((argument) => argument.type === "ObjectExpression");
      for (const option of given.flatMap(childrenOf)) names.add(nameOf(option["key"]) ?? "");
    }
    for (const child of childrenOf(node)) read(child);
  };
  const bind = (id: unknown): void => {
    if (!isNode(id)) return;
    const name = nameOf(id);
    if (name !== undefined) ours.add(name);
    for (const property of childrenOf(id).filter((child) => child.type === "Property")) {
      names.add(nameOf(property["key"]) ?? "");
      bind(property["value"]);
    }
  };
  read(program as unknown as Node);
  return [...names].filter((name) => name !== "");
}

/** Returns the concepts of a program, each with its names in it. */
export function conceptsOf(code: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of libraryNames(code)) {
    const concept = Object.keys(concepts).find((one) => concepts[one]?.includes(name)) ?? name;
    found.set(concept, [...(found.get(concept) ?? []), name]);
  }
  return found;
}
