/** Checks of texts that are larger than a row may be in some databases, which allow 2 MB. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { JsonObject } from "../../kernel/json.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import { type StoreCheck, append, check, event, ids, message, newOwner, newSession, write } from "./fixtures.ts";

/** An object of more than 2 MB, with characters of two and of four bytes; `name` tells one from another. */
const large = (name: string): JsonObject => ({ name, text: `${name} ${"é🌱".repeat(400_000)}` });

/** Compares without printing megabytes. */
const same = (found: unknown, expected: unknown, what: string): void => strictEqual(JSON.stringify(found) === JSON.stringify(expected), true, what);

const checkpointed = async (store: Store, session_id: SessionId, name: string): Promise<number> =>
  (await append(store, session_id, { events: [event("state", { patch: [] })], checkpoint: large(name) })).head;

export const largeChecks: readonly StoreCheck[] = [
  check("a state of more than 2 MB is kept in events and checkpoints, in the past and in forks", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id, state: large("first") });
    same((await store.load({ session_id }))?.base.state, large("first"), "the state that it was created with");
    const one = await checkpointed(store, session_id, "one");
    const two = await checkpointed(store, session_id, "two");
    const { head: patched } = await append(store, session_id, {
      events: [event("state", { patch: [{ op: "add", path: "/a", value: large("a") }] })],
    });
    const loaded = await store.load({ session_id });
    same(loaded?.base.state, large("two"), "the newest checkpoint");
    same(
      loaded?.patches.map(({ data }) => data),
      [{ patch: [{ op: "add", path: "/a", value: large("a") }] }],
      "the patch after it",
    );
    same((await store.load({ session_id, at: one }))?.base.state, large("one"), "an earlier checkpoint");
    same(
      (await store.read({ session_id, min_offset: patched }))?.events[0]?.data,
      { patch: [{ op: "add", path: "/a", value: large("a") }] },
      "a page",
    );
    const fork = ids.next("session");
    const from = event("session", { type: "forked" });
    await append(store, fork, { create: { owner_id, agent: "diary", agent_version: 1, fork: { session_id, at: two } }, events: [from] });
    await append(store, session_id, { cut: { first_offset: two, state: large("one") } });
    same((await store.load({ session_id: fork }))?.base.state, large("two"), "the fork's state");
    await store.erase({ session_id });
    same((await store.load({ session_id: fork }))?.base.state, large("two"), "the fork's state after the erasure of its origin");
  }),
  check("a message of more than 2 MB and its metadata are kept, and replaced when it is redacted", async (store) => {
    const session_id = await newSession(store);
    const { head } = await append(store, session_id, { events: [message("a", { data: large("data"), metadata: large("metadata") })] });
    const [read] = (await store.read({ session_id, min_offset: head }))?.events ?? [];
    same([read?.data, read?.metadata], [large("data"), large("metadata")], "as it was written");
    same((await store.load({ session_id }))?.messages.at(-1)?.data, large("data"), "as it is loaded");
    await append(store, session_id, { redact: [{ offset: head, data: large("redacted") }] });
    const [redacted] = (await store.read({ session_id, min_offset: head }))?.events ?? [];
    same([redacted?.data, redacted?.metadata], [large("redacted"), undefined], "redacted");
    await append(store, session_id, { redact: [{ offset: head, data: {} }] });
    deepStrictEqual((await store.read({ session_id, min_offset: head }))?.events[0]?.data, {});
  }),
  check("memory, variables and records of more than 2 MB are kept, replaced and removed", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const kind = "report";
    for (const name of ["one", "two"]) {
      await write(store, {
        owner: { owner_id, entries: [{ entry_id: "fact", kind: "fact", data: large(name) }], variables: [{ name: "v", value: large(name) }] },
        records: [{ kind, key: "k", data: large(name), owner_id }],
      });
    }
    same(
      (await store.entries({ owner_id })).map(({ data }) => data),
      [large("one"), large("two")],
      "entries",
    );
    const variables = async (version?: number): Promise<unknown> =>
      (await store.list({ of: "variables", owner_id, ...(version === undefined ? {} : { version }) })).items[0]?.values["v"];
    same([await variables(1), await variables()], [large("one"), large("two")], "variables");
    same(
      (await store.list({ of: "records", kind })).items.map(({ data }) => data),
      [large("two")],
      "records",
    );
    await write(store, {
      owner: { owner_id, entries: [{ entry_id: "fact", kind: "fact", data: null }], variables: [{ name: "v", value: undefined }] },
      records: [{ kind, key: "k", data: null }],
    });
    deepStrictEqual(
      (await store.entries({ owner_id })).map(({ data }) => data),
      [null],
    );
    deepStrictEqual([await variables(), (await store.list({ of: "records", kind })).total], [undefined, 0]);
    same(await variables(2), large("two"), "a variable's past");
  }),
  check("entries of very many kinds are read together, in order", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const kinds = Array.from({ length: 130 }, (_, index) => `kind-${index}`);
    await write(store, { owner: { owner_id, entries: kinds.map((kind) => ({ entry_id: kind, kind, data: { kind } })) } });
    const found = async (newest: boolean): Promise<unknown> =>
      (await store.entries({ owner_id, kinds: kinds.toReversed(), limit: 3, ...(newest ? { newest } : {}) })).map((entry) => entry.kind);
    deepStrictEqual([await found(false), await found(true)], [kinds.slice(0, 3), kinds.slice(-3)]);
    strictEqual((await store.entries({ owner_id, kinds })).length, kinds.length);
    const labels = Array.from({ length: 130 }, (_, index) => `label-${index}`);
    const session_id = await newSession(store, { owner_id });
    await append(store, session_id, { header: { labels } });
    const total = async (query: { readonly labels?: readonly string[]; readonly without_labels?: readonly string[] }): Promise<number> =>
      (await store.list({ of: "sessions", ...query })).total;
    deepStrictEqual(
      [
        await total({ labels }),
        await total({ labels: [...labels, "other"] }),
        await total({ without_labels: labels }),
        await total({ without_labels: ["other"] }),
      ],
      [1, 0, 0, 1],
    );
  }),
];
