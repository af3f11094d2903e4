import { ThroughlineError } from "./error.ts";

/** The oldest supported Node version, as in `engines` of package.json. */
export const oldestNode = "24.16";

/** Throws `node.too_old` if `version` is older than {@link oldestNode}. Default: the version of this process. */
export function assertNodeVersion(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new ThroughlineError("node.too_old", `Throughline needs Node ${oldestNode} or newer; this is Node ${version}.`);
}
