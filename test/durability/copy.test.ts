/** A copy of the files that is made while they are written to, as by a backup that knows nothing of databases, or by a loss of power. */
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { applyPatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { decodeEvent, foldState } from "../../packages/throughline/src/session/fold.ts";
import { viewOf } from "../../packages/throughline/src/session/session-view.ts";
import { openStore } from "../../packages/throughline/src/index.ts";
import { newSqliteFile } from "../setup/database.ts";
import { growingAgent, runtimeFor } from "./conversations.ts";

/** Copies the database, its log of writes and its index, whatever is being done to them: the log last, as the newest of the three. */
function copyFiles(path: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, "copy.db");
  for (const ending of ["", "-wal"]) if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending);
  return copy;
}

test("a copy of the files made between any two statements opens, is whole, and folds", async () => {
  const path = newSqliteFile();
  const copies: { readonly path: string; readonly acknowledged: number }[] = [];
  let acknowledged = 0;
  let statements = 0;
  let copying = false;
  const store = await openStore(path, {
    onStatement: () => {
      statements += 1;
      if (copying && statements % 37 === 0) copies.push({ path: copyFiles(path, join(dirname(path), `copy-${copies.length}`)), acknowledged });
    },
  });
  const runtime = await runtimeFor(store, growingAgent);
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  const session = await runtime.sessions.create({ agent: "laws" });
  copying = true;
  for (let number = 1; number <= 30; number++) {
    const { offset } = await session.post(`message ${number} ${"x".repeat(number * 40)}`);
    acknowledged = offset;
    if (number % 3 === 0) await session.outcome(offset);
  }
  copying = false;
  expect(copies.length).toBeGreaterThan(30);

  for (const copy of copies) {
    const raw = new DatabaseSync(copy.path);
    expect(raw.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    raw.close();
    const copied = await openStore(copy.path);
    const loaded = (await copied.load({ session_id: session.id, messages: 0 }))!;
    const page = (await copied.read({ session_id: session.id, withdrawn: true, limit: 1000 }))!;
    const events = page.events.map((stored) => decodeEvent(stored));
    expect(events.map((event) => event.offset)).toEqual(Array.from({ length: loaded.session.head + 1 }, (_, offset) => offset));
    expect(loaded.session.head).toBeGreaterThanOrEqual(copy.acknowledged);
    let state: JsonObject = {};
    for (const event of events) {
      if (event.kind === "session" && event.data.type === "created") state = event.data.state;
      if (event.kind === "state") state = applyPatch(state, event.data.patch) as JsonObject;
    }
    expect(foldState(loaded).document).toEqual(state);
    const [fromLog, fromRow] = [evolveAll(events), viewOf(loaded)];
    // A claim is no event: the log tells that a turn runs when it has begun.
    expect({ ...fromLog, turns: fromLog.turns.map(({ number }) => number) }).toEqual({
      ...fromRow,
      turns: fromRow.turns.map(({ number }) => number),
    });
    await copied.close();
  }
});
