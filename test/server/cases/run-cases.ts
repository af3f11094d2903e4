import { afterAll, beforeAll, describe, it } from "vitest";
import { openWorld, type Case, type World } from "./world.ts";

/** Runs listed cases in one world: side by side, and then those that kill what the others need. */
export function runCases(database: World["database"], cases: readonly Case[]): void {
  describe(`two services and two workers on one ${database}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld(database);
    });
    afterAll(() => world.close());
    const here = cases.filter(({ on = database }) => on === database);
    const add = ({ id, what, timing, run }: Case): void =>
      it(`${id}: ${timing === undefined ? "" : "timing: "}${what}`, { retry: timing === undefined ? 0 : 1 }, () => run(world));
    describe("side by side", { concurrent: true }, () => here.filter(({ alone }) => alone === undefined).forEach(add));
    describe("one by one", () => here.filter(({ alone }) => alone !== undefined).forEach(add));
  });
}
