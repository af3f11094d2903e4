import type { Store } from "../../packages/throughline/src/store/port.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";

/** The store, and the names of the calls that it was asked for, in order; `close` and `migrate` aside. */
export function counting(store: Store): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = [];
  const below = forwarding(store);
  const counted = Object.entries(below).map(([name, call]): [string, unknown] => [
    name,
    (...given: readonly unknown[]): unknown => {
      if (name !== "close" && name !== "migrate") calls.push(name);
      return (call as (...given: readonly unknown[]) => unknown)(...given);
    },
  ]);
  return { store: Object.fromEntries(counted) as unknown as Store, calls };
}
