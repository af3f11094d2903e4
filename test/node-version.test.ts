import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "../scripts/root.ts";
import { assertNodeVersion } from "../packages/throughline/src/kernel/process.ts";

test.each(["24.16.0", "24.17.1", "25.0.0", "100.2.3"])("Node %s is new enough", (version) => expect(() => assertNodeVersion(version)).not.toThrow());
test.each(["20.20.2", "22.23.3", "24.0.0", "24.15.9", "9.99.99"])("Node %s is too old", (version) => {
  expect(() => assertNodeVersion(version)).toThrow(expect.objectContaining({ code: "node.too_old" }));
  expect(() => assertNodeVersion(version)).toThrow(`this is Node ${version}.`);
});

test.each(["./app.db", ":memory:", "postgres://u:p@localhost/db"])("openStore(%j) says so before it opens anything", (location) => {
  const script = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.1.0" } });
    const { openStore } = await import(${JSON.stringify(new URL("../packages/throughline/src/open-store.ts", import.meta.url).href)});
    await openStore(${JSON.stringify(location)}).catch(({ code, message }) => console.log(code, message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "node.too_old Throughline needs Node 24.16 or newer; this is Node 22.1.0.\n", stderr: "" });
});
