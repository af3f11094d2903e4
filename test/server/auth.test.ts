import { expect, it } from "vitest";
import { createKey, listKeys, revokeKey } from "../../src/server/auth/api-keys.ts";
import { startServer } from "../setup/server.ts";

it("makes a key", async () => {
  const { store } = await startServer();
  const { key, info } = await createKey(store, { name: "backend", scopes: ["admin"] });
  expect(key).toMatch(/^tl_live_[0-9a-z]{16}_[\w-]{43}$/);
  expect(await listKeys(store)).toEqual([info]);
  await revokeKey(store, info.id);
});
