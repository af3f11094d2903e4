/** Looking for a text in titles and messages. */
import { describe, expect, it } from "vitest";
import type { ListedSession, SessionFilter, Sessions } from "../../packages/throughline/src/index.ts";
import { code, started } from "./harness.ts";

/** All pages of a search: what was found, and how many pages it took. */
async function found(sessions: Sessions, filter: SessionFilter): Promise<{ readonly items: readonly ListedSession[]; readonly pages: number }> {
  const items: ListedSession[] = [];
  let pages = 0;
  for (let cursor: string | undefined; ;) {
    const page = await sessions.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    pages += 1;
    if (page.next_cursor === null) return { items, pages };
    cursor = page.next_cursor;
  }
}

describe.each(["memory", "sqlite"] as const)("%s: a search", (kind) => {
  it("finds titles and messages, whatever the case and the accents, and says where", async () => {
    const { sessions } = await started({ kind });
    const titled = await sessions.create({ agent: "a1", title: "Über die Brücke" });
    const spoken = await sessions.create({ agent: "a1", title: "nothing" });
    await spoken.postCustom("BRUCKE in an event is no message");
    const { offset } = await spoken.postOperator(`${"before ".repeat(30)}Die BRÜCKE brennt${" after".repeat(30)}`);
    await sessions.create({ agent: "a1", title: "elsewhere" });
    const { items } = await found(sessions, { q: "  brucke " });
    expect(items.map(({ id }) => id)).toEqual([titled.id, spoken.id]);
    expect(items[0]?.match).toEqual({ text: "Über die Brücke" });
    expect(items[1]?.match?.offset).toBe(offset);
    expect(items[1]?.match?.text).toMatch(/^….{56}Die BRÜCKE brennt after.*…$/);
    expect((await found(sessions, { q: "BRENNT", order: "desc" })).items).toHaveLength(1);
    expect((await found(sessions, { q: "brennt nicht" })).items).toEqual([]);
    await spoken.withdraw({ from: offset });
    expect((await found(sessions, { q: "brennt" })).items).toEqual([]);
  });

  it("respects the other filters", async () => {
    const { sessions, customers } = await started({ kind });
    await customers.create({ id: "ada" });
    const hers = await sessions.create({ agent: "a1", customer: "ada", title: "apple", labels: ["x"] });
    await sessions.create({ agent: "a1", title: "apple" });
    for (const filter of [{ customer: "ada" }, { labels: ["x"] }])
      expect((await found(sessions, { q: "apple", ...filter })).items.map(({ id }) => id)).toEqual([hers.id]);
    expect((await found(sessions, { q: "apple", mode: "manual" })).items).toEqual([]);
    expect((await found(sessions, { q: "apple", customer: "nobody" })).items).toEqual([]);
  });

  it("goes on over pages without losing or doubling anything", async () => {
    const { sessions } = await started({ kind });
    const expected: string[] = [];
    for (let index = 0; index < 120; index++) {
      const session = await sessions.create({ agent: "a1", title: index % 3 === 0 ? `Pear ${index}` : "other" });
      if (index % 3 === 0) expected.push(session.id);
    }
    const asc = await found(sessions, { q: "pear", limit: 7 });
    expect(asc.items.map(({ id }) => id)).toEqual(expected);
    const desc = await found(sessions, { q: "pear", limit: 7, order: "desc" });
    expect(desc.items.map(({ id }) => id)).toEqual(expected.toReversed());
    // New sessions, and ones that go, between the pages.
    const first = await sessions.list({ q: "pear", limit: 5, order: "desc" });
    for (let index = 0; index < 60; index++) await sessions.create({ agent: "a1", title: "late" });
    await sessions.delete(first.items.at(-1)?.id ?? "");
    const rest = await found(sessions, { q: "pear", limit: 5, order: "desc", cursor: first.next_cursor ?? "" });
    expect(rest.items.map(({ id }) => id)).toEqual(expected.toReversed().slice(5));
  });

  it("stops at what a page may read, also in the middle of a session, and goes on there", async () => {
    const { sessions, store } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const message = (text: string) =>
      ({ kind: "message", source: "human_agent", trace_id: "a".repeat(32), data: { role: "assistant", parts: [{ type: "text", text }] } }) as never;
    for (let batch = 0; batch < 12; batch++) {
      const events = Array.from({ length: 500 }, (_, index) => message(batch === 11 && index === 400 ? "the needle" : "hay"));
      await store.commit({ commit_id: `b${batch}`, at: 1, session: { session_id: session.id, events } });
    }
    const first = await sessions.list({ q: "needle" });
    expect(first.items).toEqual([]);
    expect(first.next_cursor).not.toBeNull();
    const { items, pages } = await found(sessions, { q: "needle" });
    expect(items.map(({ match }) => match)).toEqual([{ offset: 5901, text: "the needle" }]);
    expect(pages).toBe(2);
  });

  it("is refused for nothing, too much and a cursor of another list", async () => {
    const { sessions } = await started({ kind });
    for (const q of ["", "   ", "\u0301", "x".repeat(201), 7]) expect(await code(sessions.list({ q: q as string }))).toBe("input.invalid");
    for (const limit of [0, 101, 1.5]) expect(await code(sessions.list({ q: "x", limit }))).toBe("input.invalid");
    const page = await sessions.list({ limit: 1 });
    for (const cursor of [
      "x",
      page.next_cursor ?? "W10",
      Buffer.from("[1,2,3]").toString("base64url"),
      Buffer.from('["x",null,null]').toString("base64url"),
    ])
      expect(await code(sessions.list({ q: "x", cursor }))).toBe("cursor.invalid");
  });
});
