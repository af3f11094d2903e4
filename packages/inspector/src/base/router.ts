/** The address holds the view: the path names the screen, the query what it shows. Back and forward work. */
import { signal } from "@preact/signals";

/** A place in the inspector. */
export interface Place {
  /** Without the base and slashes at the ends; empty for the first screen. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Members to change in the query; undefined removes one. */
export type QueryChange = Readonly<Record<string, string | number | undefined>>;

const base = "/inspector/";

const read = (): Place => ({
  path: location.pathname.slice(base.length).replace(/\/+$/, ""),
  query: Object.fromEntries(new URLSearchParams(location.search)),
});

/** The current place. */
export const place = signal<Place>(read());

/** The address of a place, for links. */
export function addressOf(path: string, query: QueryChange = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]]));
  const search = new URLSearchParams(given).toString();
  return `${base}${path}${search === "" ? "" : `?${search}`}`;
}

/** Goes to a place. With `replace`, back does not return to the present one. */
export function go(path: string, query: QueryChange = {}, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = addressOf(path, query);
  if (address === `${location.pathname}${location.search}`) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  place.value = read();
}

/** Changes members of the query and keeps the rest of the place. */
export const changeQuery = (change: QueryChange, options?: { readonly replace?: boolean }): void =>
  go(place.peek().path, { ...place.peek().query, ...change }, options);

/** Follows back, forward and links within the inspector. */
export function startRouter(): void {
  addEventListener("popstate", () => (place.value = read()));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !isPlain || event.defaultPrevented || link.origin !== location.origin || !link.pathname.startsWith(base)) return;
    if (link.hash !== "" || link.hasAttribute("download")) return;
    event.preventDefault();
    go(link.pathname.slice(base.length).replace(/\/+$/, ""), Object.fromEntries(new URLSearchParams(link.search)));
  });
}
