import { ThroughlineError } from "./error.ts";

/** The oldest Node that Throughline runs on, as `engines` of package.json declares it. */
export const oldestNode = "24.16";

/** Throws `node.too_old` if `version`, by default that of this process, is older than {@link oldestNode}. */
export function assertNodeVersion(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new ThroughlineError("node.too_old", `Throughline needs Node ${oldestNode} or newer; this is Node ${version}.`);
}
