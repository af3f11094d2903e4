import { describe, expect, test } from "vitest";
import { rotateKeys } from "../../packages/throughline/src/open-store.ts";
import type { EncryptionOptions } from "../../packages/throughline/src/store/store-options.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { append, message, newOwner, newSession, someTime, write } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { encryption, engines, keyOf, rowsOf, runOn, type Place } from "./stores.ts";

const second: EncryptionOptions["keys"][number] = { id: "second", key: keyOf(2) };
const both: EncryptionOptions = { keys: [second, ...encryption.keys] };

/** A conversation of a customer with variables and an entry. */
async function populate(store: Store, name = "crm-7") {
  const owner_id = await newOwner(store, name);
  await write(store, {
    owner: { owner_id, variables: [{ name: "tier", value: 3 }], entries: [{ entry_id: "e", kind: "fact", data: { text: "likes tea" } }] },
  });
  const session_id = await newSession(store, { owner_id });
  await append(store, session_id, { events: [message("hello")] });
  return { owner_id, session_id };
}

const textOf = async (store: Store, session_id: Parameters<Store["read"]>[0]["session_id"]): Promise<string> =>
  JSON.stringify((await store.read({ session_id, kinds: ["message"] }))?.events.map(({ data }) => data));

describe.each(Object.entries(engines))("keys on %s", (_name, prepare) => {
  const withStore = async <Result>(
    place: Place,
    options: EncryptionOptions | undefined,
    work: (store: Store) => Promise<Result>,
  ): Promise<Result> => {
    const store = await place.open(options);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };

  test("an encrypted database opens with its key alone", async () => {
    const place = await prepare();
    const { session_id } = await withStore(place, encryption, (store) => populate(store));
    await expect(place.open()).rejects.toMatchObject({ code: "encryption.key_missing", details: { operator_key: "first" } });
    await expect(place.open({ keys: [second] })).rejects.toMatchObject({ code: "encryption.key_wrong" });
    await expect(place.open({ keys: [{ id: "first", key: keyOf(3) }] })).rejects.toMatchObject({ code: "encryption.key_wrong" });
    expect(await withStore(place, { keys: [second, ...encryption.keys] }, (store) => textOf(store, session_id))).toContain("hello");
  });

  test("a plain database does not open with a key", async () => {
    const place = await prepare();
    await withStore(place, undefined, (store) => populate(store));
    const error: unknown = await place.open(encryption).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "encryption.not_enabled", hint: expect.stringContaining("import") as unknown });
  });

  test("rotation wraps keys anew and touches nothing else, also while a process works that knows both", async () => {
    const place = await prepare();
    const first = await withStore(place, encryption, async (store) => {
      for (let n = 0; n < 3; n++) await newOwner(store, `other-${n}`);
      return populate(store);
    });
    const before = await rowsOf(place, "events");
    const worker = await place.open({ keys: [...encryption.keys, second] });
    const [rotated] = await Promise.all([
      rotateKeys(place.location, { encryption: both }),
      ...[1, 2, 3].map((n) => append(worker, first.session_id, { events: [message(`during ${n}`)] })),
    ]);
    expect(rotated).toEqual({ operator_key: "second", rewrapped: 4 });
    expect((await rowsOf(place, "events")).slice(0, before.length)).toEqual(before);
    // It still writes with the former key: a second rotation finds what it made.
    await newOwner(worker, "late");
    expect(await rotateKeys(place.location, { encryption: both })).toEqual({ operator_key: "second", rewrapped: 1 });
    expect(await rotateKeys(place.location, { encryption: both })).toEqual({ operator_key: "second", rewrapped: 0 });
    await append(worker, first.session_id, { events: [message("after")] });
    await worker.close();
    await withStore(place, { keys: [second] }, async (store) => {
      expect(await textOf(store, first.session_id)).toMatch(/hello.*during.*after/);
      expect((await store.list({ of: "customers", customer_id: "late" })).total).toBe(1);
    });
    await expect(place.open(encryption)).rejects.toMatchObject({ code: "encryption.key_wrong" });
  });

  test("a rotation that was cut short is finished by the next, and needs the former key until then", async () => {
    const place = await prepare();
    const { session_id } = await withStore(place, encryption, (store) => populate(store));
    await withStore(place, encryption, (store) => populate(store, "crm-8"));
    const key = await rowsOf(place, "owner_keys");
    await rotateKeys(place.location, { encryption: both });
    // As if the process had died after the first slice.
    await runOn(
      place,
      `UPDATE owner_keys SET operator_key = 'first', wrapped = '${String(key[0]?.["wrapped"])}' WHERE key_id = '${String(key[0]?.["key_id"])}'`,
    );
    const cut = await withStore(place, { keys: [second] }, (store) => store.list({ of: "customers" }).catch((error: unknown) => error));
    expect(cut).toMatchObject({ code: "encryption.key_missing", details: { operator_key: "first" } });
    expect(await rotateKeys(place.location, { encryption: both })).toMatchObject({ rewrapped: 1 });
    expect(await withStore(place, { keys: [second] }, (store) => textOf(store, session_id))).toContain("hello");
  });

  test("what was changed on disk is reported with its place, and never decoded", async () => {
    const place = await prepare();
    const { session_id, owner_id } = await withStore(place, encryption, async (store) => {
      const made = await populate(store);
      await append(store, made.session_id, { events: [message("second message")], header: { title: "a title" } }, someTime + 1);
      return made;
    });
    const events = await rowsOf(place, "events");
    const [from, to] = [events[1]?.["data"], events[2]?.["data"]];
    const corrupt = (what: string) =>
      expect.objectContaining({ code: "store.corrupt", details: { place: expect.stringContaining(what) as unknown } }) as unknown;
    const seen = async (work: (store: Store) => Promise<unknown>): Promise<unknown> =>
      withStore(place, encryption, (store) => work(store).catch((error: unknown) => error));
    const flipped = `${String(from).slice(0, 40)}${String(from)[40] === "A" ? "B" : "A"}${String(from).slice(41)}`;
    for (const data of [
      flipped,
      String(from).slice(0, -1),
      `${String(from)}A`,
      "",
      "plain",
      String(events[0]?.["data"]),
      JSON.stringify({ role: "user" }),
    ]) {
      await runOn(place, `UPDATE events SET data = '${data}' WHERE "offset" = 1`);
      expect(await seen((store) => store.read({ session_id }))).toEqual(corrupt("offset 1"));
    }
    // The key that the text names is another one's.
    await runOn(place, `UPDATE events SET data = '${String(from).slice(0, 2)}zz${String(from).slice(4)}' WHERE "offset" = 1`);
    expect(await seen((store) => store.read({ session_id }))).toEqual(corrupt("offset 1"));
    // The text of another event of the same owner.
    await runOn(place, `UPDATE events SET data = '${String(to)}' WHERE "offset" = 1`);
    expect(await seen((store) => store.read({ session_id }))).toEqual(corrupt("offset 1"));
    await runOn(place, `UPDATE events SET data = '${String(from)}' WHERE "offset" = 1`);
    expect(await seen((store) => textOf(store, session_id))).toContain("second message");

    const [variable] = await rowsOf(place, "variables");
    await runOn(place, `UPDATE variables SET value = '${String((await rowsOf(place, "owners"))[0]?.["customer_id"])}'`);
    expect(await seen((store) => store.load({ session_id }))).toEqual(corrupt(`variable of owner ${owner_id}`));
    await runOn(place, `UPDATE variables SET value = '${String(variable?.["value"])}'`);
    await runOn(place, `UPDATE owner_keys SET wrapped = '${Buffer.alloc(60, 7).toString("base64url")}'`);
    expect(await seen((store) => store.load({ session_id }))).toEqual(corrupt("owner key"));
    await runOn(place, `DELETE FROM owner_keys`);
    expect(await seen((store) => store.load({ session_id }))).toEqual(corrupt("session"));
    expect(await seen((store) => append(store, session_id, { events: [message("x")] }))).toEqual(corrupt("owner"));
  });
});

describe("an operator key", () => {
  test.each<readonly [string, unknown]>([
    ["is 32 bytes", { keys: [{ id: "k", key: keyOf(1).subarray(1) }] }],
    ["is not longer", { keys: [{ id: "k", key: Buffer.alloc(64, "secret") }] }],
    ["is bytes or base64", { keys: [{ id: "k", key: "my secret passphrase!" }] }],
    ["is of 32 bytes as base64, too", { keys: [{ id: "k", key: Buffer.from("canary").toString("base64") }] }],
    ["is random", { keys: [{ id: "k", key: new Uint8Array(32) }] }],
    ["has an id", { keys: [{ key: keyOf(1) }] }],
    ["has an id without spaces", { keys: [{ id: "a b", key: keyOf(1) }] }],
    ["has an id of its own", { keys: [...encryption.keys, ...encryption.keys] }],
    ["is there", { keys: [] }],
    ["is in a list", { keys: keyOf(1) }],
  ])("%s", async (_what, options) => {
    const { SQLite } = engines;
    const place = await SQLite!();
    const error: unknown = await place.open(options as EncryptionOptions).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "encryption.key_invalid" });
    expect(JSON.stringify(error)).not.toMatch(/canary|secret|passphrase/);
  });
});
