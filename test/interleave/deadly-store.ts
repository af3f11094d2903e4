import type { Store } from "../../packages/throughline/src/index.ts";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { die } from "../chaos/doomed-store.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";

/** How often a commit is the last: before it is written, or before anybody hears of it. */
const oneIn = { commit: 3_000, answer: 120 } as const;

/**
 * A store that now and then takes its process with it. It does so most often where it matters most: when what was asked for is done, and the answer that
 * would be given again is not written yet.
 */
export function deadlyStore(store: Store, dice: Chooser): Store {
  return {
    ...forwarding(store),
    async commit(commit) {
      const isAnswer = commit.records?.some(({ kind, data }) => kind === "response" && data?.["state"] === "answered") === true;
      const isLast = dice.integer(1, oneIn[isAnswer ? "answer" : "commit"]) === 1;
      if (isLast && (isAnswer || dice.chance(0.5))) die();
      const result = await store.commit(commit);
      if (isLast) die();
      return result;
    },
  };
}
