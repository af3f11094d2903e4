// Plain ES2020 on purpose: this file must run, and speak, on a Node that cannot run the rest.
import { existsSync, readFileSync } from "fs";
import { join } from "path";

/** The lowest version that runs the source unbuilt with a quiet `node:sqlite`. The same floor stands in package.json `engines`. */
export const floor = "24.16.0";

/** Whether version `seen` is at least `wanted`; both like `24.16.0`, a leading `v` allowed. */
export function atLeast(seen, wanted) {
  const [a, b] = [seen, wanted].map((text) => text.replace(/^v/, "").split("-")[0].split(".").map(Number));
  for (let i = 0; i < 3; i++) if ((a[i] || 0) !== (b[i] || 0)) return (a[i] || 0) > (b[i] || 0);
  return true;
}

/** The Node that came with `npm install` as a development dependency, if it is there and new enough. */
function nestedNode(root) {
  const folder = join(root, "node_modules", "node");
  const executable = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(executable)) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return atLeast(manifest.version, floor) ? executable : undefined;
}

/** A Node that can run Throughline: the nested one, else the running one, else undefined. */
export function findNode(root) {
  return nestedNode(root) || (atLeast(process.version, floor) ? process.execPath : undefined);
}

/** The sentence for a person whose Node is too old: what was seen, what to do. */
export function tooOld(root) {
  const help = existsSync(join(root, "package-lock.json"))
    ? "run `npm ci`, which brings a newer one along, or install a newer Node"
    : "install a newer Node";
  return `Throughline needs Node ${floor} or newer, and ${process.execPath} is ${process.version}: ${help}.`;
}
