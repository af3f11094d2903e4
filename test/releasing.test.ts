/** The files of a new version. `installed.slow.test.ts` publishes the built packages, without sending anything. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesOfVersion } from "../scripts/release/next-version.ts";
import { readManifest, readPackages, root } from "../scripts/root.ts";

const read = (name: string): string => readFileSync(join(root, name), "utf8");

test("a new version stands in every place where the old one stood, and nothing else changes", () => {
  const { version: old } = readManifest();
  const own = readPackages().map(({ manifest }) => manifest.name);
  const files = filesOfVersion("7.8.9-rc.1", "2030-01-02");
  const folders = readPackages().map(({ folder }) => `packages/${folder}/package.json`);
  const templates = ["chat", "companion", "support"].map((name) => `packages/create-throughline/templates/${name}/package.json`);
  expect([...files.keys()].toSorted()).toEqual(["package.json", ...folders, ...templates, "package-lock.json", "CHANGELOG.md"].toSorted());
  const ours = new RegExp(`"(?:${own.join("|")})": "${old}"`);
  for (const [name, text] of files) {
    if (name === "CHANGELOG.md") continue;
    expect(text, name).not.toMatch(ours);
    const before = read(name).split("\n");
    const changed = text.split("\n").filter((line, index) => line !== before[index]);
    expect(changed.length, name).toBeGreaterThan(0);
    for (const line of changed) expect(line, name).toContain("7.8.9-rc.1");
  }
  expect(files.get("package-lock.json")?.match(/7\.8\.9-rc\.1/g)?.length).toBeGreaterThan(own.length + 2);
});

test("the changelog gets a heading with the version and the day, and keeps the one for what is pending", () => {
  const changed = filesOfVersion("0.2.0", "2030-01-02").get("CHANGELOG.md");
  expect(changed).toBe(read("CHANGELOG.md").replace("## Pending\n", "## Pending\n\n## 0.2.0 (2030-01-02)\n"));
});

test.each(["1", "v1.2.3", "", "1.2.3 "])("refuses %j as a version", (version) => {
  expect(() => filesOfVersion(version, "2030-01-02")).toThrow("A version is like 0.2.0 or 0.2.0-rc.1");
});

test("no file names a registry to publish to or to download from", () => {
  const pattern = String.raw`registry[.=][^ ]*\.(npmjs|yarnpkg|com|org)|publishConfig.*registry|^registry *=`;
  const places = ["--", ":!docs/decisions", ":!*/package-lock.json", ":!test/releasing.test.ts"];
  // It ends with 1 if it finds nothing.
  const { status, stdout } = spawnSync("git", ["grep", "-nIE", pattern, ...places], { cwd: root, encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});
