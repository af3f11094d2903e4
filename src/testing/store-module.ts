import type { Store } from "../store/port.ts";

/** Where another process finds the function that opens a store. */
export interface StoreModule {
  /** The module: a file's URL, or the name of a package. */
  readonly module: string | URL;
  /** The name of the function; `"openStore"` by default. */
  readonly name?: string;
  /** What it is called with: values that can be copied to another process. */
  readonly with?: readonly unknown[];
}

/** Opens the store that a module gives. */
export async function storeFrom(source: { readonly module: string; readonly name: string; readonly with: readonly unknown[] }): Promise<Store> {
  const module = (await import(source.module)) as Readonly<Record<string, unknown>>;
  const open = module[source.name];
  if (typeof open !== "function") throw new Error(`${source.module} exports no function ${source.name}.`);
  return (await Reflect.apply(open, undefined, source.with)) as Store;
}
