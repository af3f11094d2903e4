import { expect, onTestFinished, test } from "vitest";
import { noPostgres } from "../setup/database.ts";
import { type Place, postgresPlace } from "./place.ts";
import { reportOn } from "./report.ts";
import { storm } from "./storm.ts";

/** A server of its own, because it is killed. */
async function ownServer(crashes: number): Promise<Place> {
  const place = await postgresPlace({ crashes });
  onTestFinished(() => place.remove());
  return place;
}

test(
  "50 kills, terminated backends and a killed postmaster on PostgreSQL lose nothing and double nothing",
  { timeout: 240_000 },
  async ({ skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const place = await ownServer(1);
    const seed = 20_260_102;
    const { location, harm, disturb = async () => {} } = place;
    const harmed = (): boolean => harm.terminated > 2 && harm.crashes === 1;
    const aftermath = await storm({ location, kills: 50, seed, sessions: 6, workers: 2, clients: 2, messages: 80, disturb, harmed });
    onTestFinished(() => aftermath.store.close());
    const report = await reportOn(aftermath);
    expect(report.violations, `seed ${seed}\n${report.logs.join("\n\n")}`).toEqual([]);
    expect(report).toMatchObject({ lost: 0, doubled: 0 });
    expect(report.answered).toBeGreaterThan(30);
    expect(report.delivered).toBe(report.events * 2);
    expect(place.harm.terminated).toBeGreaterThan(2);
    expect(place.harm.crashes).toBe(1);
  },
);
