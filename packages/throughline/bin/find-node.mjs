// Plain ES2020 on purpose: this file must run, and speak, on a Node that cannot run the rest.
import { existsSync, readFileSync } from "fs";
import { join } from "path";

/** The versions of Node that the package in the folder `home` supports: `engines` of its manifest, such as `^22.20.0 || >=24.7.0`. */
export const supportedNodes = (home) => JSON.parse(readFileSync(join(home, "package.json"), "utf8")).engines.node;

/** Whether `version` is in `range`, which joins parts like `^22.20.0` and `>=24.7` with `||`. A leading `v` of the version is allowed. */
export function isIn(version, range) {
  const numbers = (text) => text.replace(/^\D+/, "").split("-")[0].split(".").map(Number);
  const seen = numbers(version);
  return range.split("||").some((part) => {
    const wanted = numbers(part.trim());
    if (part.trim().startsWith("^") && seen[0] !== wanted[0]) return false;
    for (let i = 0; i < 3; i++) if ((seen[i] || 0) !== (wanted[i] || 0)) return (seen[i] || 0) > (wanted[i] || 0);
    return true;
  });
}

/** The Node that came with `npm install` as a development dependency, if it is there and in `range`. */
function nestedNode(root, range) {
  const folder = join(root, "node_modules", "node");
  const executable = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(executable)) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return isIn(manifest.version, range) ? executable : undefined;
}

/** A Node in `range`: the one nested in `root`, else the running one, else undefined. */
export function findNode(root, range) {
  return nestedNode(root, range) || (isIn(process.version, range) ? process.execPath : undefined);
}

/** The sentence for a person whose Node is not in `range`: what was seen, what to do. */
export function tooOld(root, range) {
  const help = existsSync(join(root, "package-lock.json"))
    ? "run `npm ci`, which brings a newer one along, or install a newer Node"
    : "install a newer Node";
  return `Throughline needs Node ${range}, and ${process.execPath} is ${process.version}: ${help}.`;
}
