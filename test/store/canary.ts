/** A customer whose every field holds a word that is found nowhere else. */
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import type { OwnerId } from "../../packages/throughline/src/kernel/id.ts";
import { type SessionChange, type Store, sessionOwnerId } from "../../packages/throughline/src/store/port.ts";
import { append, asked, event, ids, message, newSession, queue, write } from "../../packages/throughline/src/testing/store/fixtures.ts";

/** Fills what there is to fill for one customer with two sessions, the second with a turn that is open and a draft. */
export async function fillOwner(
  store: Store,
  canary: string,
): Promise<{ readonly owner_id: OwnerId; readonly sessions: readonly [SessionId, SessionId] }> {
  const owner_id = ids.next("owner");
  const word = (field: string): string => `${canary}-${field}`;
  await write(store, {
    owner: {
      owner_id,
      create: { customer_id: word("customer-id") },
      name: word("name"),
      metadata: { note: word("owner-metadata") },
      variables: [{ name: word("variable-name"), value: word("variable") }],
      entries: [{ entry_id: word("entry-id"), kind: word("kind"), data: { text: word("entry") } }],
    },
  });
  await write(store, {
    owner: {
      owner_id,
      variables: [{ name: word("variable-name"), value: word("newer") }],
      entries: [{ entry_id: word("entry-id"), kind: "fact", data: { text: word("newer-entry") } }],
    },
  });
  const header: NonNullable<SessionChange["header"]> = {
    title: word("title"),
    metadata: { external_id: word("external"), note: word("session-metadata") },
    labels: [word("label")],
    consumers: { [word("consumer")]: 1 },
    handover: { status: "assigned", since: 1, operator: word("operator"), reason: word("reason") },
  };
  const one = async (number: number): Promise<SessionId> => {
    const session_id = await newSession(store, {
      owner_id,
      header,
      state: { said: word("first-state") },
      create: { open_key: word(`open-${number}`) },
    });
    await append(store, session_id, {
      events: [
        { ...asked(word("asked")), metadata: { note: word("event-metadata") } },
        event("tool", { type: "called", arguments: { text: word("tool") } }),
        event("status", { status: "typing", note: word("status") }),
        event("custom", { value: word("custom") }),
        event("state", { patch: [{ op: "add", path: "/said", value: word("patch") }] }),
        event("turn", { type: "stage", patch: [word("stage")] }),
        event("assessment", { note: word("assessment") }),
      ],
      queue: queue(),
      idempotency: { key: word("key"), body_hash: "hash" },
      checkpoint: { said: word("checkpoint") },
    });
    const own = sessionOwnerId(session_id);
    for (const value of [word("own-variable"), word("own-newer")])
      await write(store, {
        owner: { owner_id: own, ...(value === word("own-variable") ? { create: {} } : {}), variables: [{ name: word("own-name"), value }] },
      });
    await write(store, {
      records: [
        { kind: "answer", key: `${session_id}-1`, data: { text: word("session-record") }, session_id },
        { kind: "answer", key: `${session_id}-2`, data: { text: word("owner-record") }, owner_id },
        { kind: "answer", key: `${session_id}-3`, data: { text: word("own-record") }, owner_id: own },
      ],
    });
    // Texts leave traces also where they were replaced.
    await write(store, { records: [{ kind: "answer", key: `${session_id}-1`, data: { text: word("newer-record") }, session_id }] });
    await append(store, session_id, { events: [message(word("withdrawn")), event("session", { note: word("session") })], withdraw_from: 8 });
    return session_id;
  };
  const sessions: [SessionId, SessionId] = [await one(1), await one(2)];
  const claim = await store.claim({ kind: "session", session_id: sessions[1], worker: "w", lease_ms: 600_000 });
  await store.writeDraft({ session_id: sessions[1], turn: 1, epoch: claim?.epoch ?? 1, message: 0, after: 0, at: 0, text: word("draft") });
  // Long enough for pages of its own, and for PostgreSQL's table of long values.
  const long = Array.from({ length: 400 }, (_, index) => word(`long-${index}`)).join(" ");
  await append(store, sessions[0], { events: [message(long), message(long.toUpperCase().toLowerCase())] });
  return { owner_id, sessions };
}
