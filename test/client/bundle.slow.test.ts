/** The client as a browser loads it. */
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

test("the client is one small module without packages and without Node", async () => {
  const bundle = await rolldown({ input: `${root}/packages/client/src/client.ts`, platform: "browser", external: () => false });
  const { output } = await bundle.generate({ format: "es", minify: true });
  expect(output).toHaveLength(1);
  const [{ code, imports, dynamicImports, moduleIds }] = output;
  expect([...imports, ...dynamicImports]).toEqual([]);
  expect(moduleIds.filter((id) => !/\/packages\/client\/src\/[a-z-]+\.ts$/.test(id))).toEqual([]);
  expect(code).not.toMatch(/node:|\bprocess\b|\bBuffer\b|\brequire\b/);
  expect(gzipSync(code).length).toBeLessThan(10 * 1024);
});

test("the React hook is at most 4 kB on top of React; it has nothing of the client's core, because it is given a session", async () => {
  const bundle = await rolldown({ input: `${root}/packages/client/src/react.ts`, platform: "browser", external: ["react"] });
  const { output } = await bundle.generate({ format: "es", minify: true });
  expect(output).toHaveLength(1);
  const [{ code, imports, dynamicImports, moduleIds }] = output;
  expect([...imports, ...dynamicImports]).toEqual(["react"]);
  expect(moduleIds.map((id) => id.replace(`${root}/packages/client/src/`, "")).toSorted()).toEqual([
    "ambient.ts",
    "react.ts",
    "shown-conversation.ts",
  ]);
  expect(gzipSync(code).length).toBeLessThan(4 * 1024);
});
