import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { readPackages, root } from "../scripts/root.ts";
import { assertNodeVersion, isSupportedNode, supportedNodes } from "../packages/throughline/src/kernel/process.ts";

test.each(["22.20.0", "22.99.1", "24.7.0", "24.16.3", "25.0.0", "100.2.3"])("Node %s is new enough", (node) =>
  expect(() => assertNodeVersion({ node })).not.toThrow(),
);
test.each(["20.20.2", "22.19.9", "22.3.0", "23.99.0", "24.6.0", "24.0.0", "9.99.99"])("Node %s is too old", (node) => {
  expect(() => assertNodeVersion({ node })).toThrow(expect.objectContaining({ code: "node.too_old" }));
  expect(() => assertNodeVersion({ node })).toThrow(`Throughline needs Node ^22.20.0 || >=24.7.0; this is Node ${node}.`);
});
test.each([{ bun: "1.4.5" }, { deno: "2.9.6" }])("%j is not judged by the version of Node that it imitates", (runtime) => {
  expect(() => assertNodeVersion({ node: "20.0.0", ...runtime })).not.toThrow();
});
test("every package names the supported versions, and the command reads them from there", async () => {
  for (const { manifest } of readPackages()) expect(manifest.engines, manifest.name).toEqual({ node: supportedNodes });
  const module = "../packages/throughline/bin/find-node.mjs";
  const { isIn } = (await import(new URL(module, import.meta.url).href)) as { readonly isIn: (version: string, range: string) => boolean };
  const versions = ["18.0.0", "22.19.9", "22.20.0", "v22.20.1", "22.21.0-nightly", "23.0.0", "24.6.9", "v24.7.0", "24.10.0", "26.0.0"];
  expect(versions.filter((version) => isIn(version, supportedNodes))).toEqual(
    versions.filter((version) => isSupportedNode(version.replace("v", ""))),
  );
  expect(isIn("24.16.0", ">=24.16")).toBe(true);
  expect(isIn("24.15.9", ">=24.16")).toBe(false);
});

test.each(["./app.db", ":memory:", "postgres://u:p@localhost/db"])("openStore(%j) says so before it opens anything", (location) => {
  const script = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.1.0" } });
    const { openStore } = await import(${JSON.stringify(new URL("../packages/throughline/src/open-store.ts", import.meta.url).href)});
    await openStore(${JSON.stringify(location)}).catch(({ code, message }) => console.log(code, message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "node.too_old Throughline needs Node ^22.20.0 || >=24.7.0; this is Node 22.1.0.\n", stderr: "" });
});
