/** The engine that ships: the index of the product, as the runtime makes it. */
import type { MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";
import { createMemoryIndex } from "../packages/throughline/src/memory/recall/memory-index.ts";
import { defaultWeights, type RetrievalWeights } from "../packages/throughline/src/memory/recall/weights.ts";
import type { Engine, Opened, Query } from "./engine.ts";
import { reader } from "./languages.ts";

/** The product's ranking under the given weights. */
export function product(weights: RetrievalWeights = defaultWeights): Engine {
  return {
    name: "throughline",
    open(units: readonly MemoryUnit[]): Opened {
      const index = createMemoryIndex({ weights, reader });
      for (const unit of units) index.add(unit);
      return {
        search: (query: Query) => index.rank(query).hits.map(({ id }) => id),
        searchGroups: (query: Query) => index.rankGroups(query).map(({ id }) => id),
        isBelowFloor(query: Query) {
          const { top, anchored } = index.rank(query);
          return top < weights.floor && !anchored;
        },
        add: (unit: MemoryUnit) => index.add(unit),
      };
    },
  };
}
