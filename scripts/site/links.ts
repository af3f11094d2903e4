/** Dead links of a built site: addresses and anchors that no page has, and resources that other hosts would have to serve. */
import { posix } from "node:path";

/** The pages of a site by their paths, and the paths of its other files. */
export interface Site {
  readonly pages: ReadonlyMap<string, string>;
  readonly files: ReadonlySet<string>;
}

const unescaped = (text: string): string => text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<");

/** The file of an address of the site. */
function fileOf(path: string, { pages, files }: Site): string | undefined {
  const bare = decodeURI(path).replace(/^\//, "");
  return [bare, `${bare}.html`, posix.join(bare, "index.html")].find((file) => pages.has(file) || files.has(file));
}

/** Returns one line for each dead link, and one for each resource of another host. */
export function deadLinks(site: Site): readonly string[] {
  const anchors = new Map(
    [...site.pages].map(([path, html]) => [path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => unescaped(id)))]),
  );
  return [...site.pages].flatMap(([page, html]) => {
    const foreign = [...html.matchAll(/<(?:script|img|link|iframe|source|video|audio)\b[^>]*?\s(?:src|href)="((?:https?:)?\/\/[^"]+)"/g)].map(
      ([, address = ""]) => `${page}: loads ${address}`,
    );
    const dead = [...html.matchAll(/<(?:a|img|script|link)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].flatMap(([, given = ""]) => {
      const href = unescaped(given);
      if (/^(?:\w+:|\/\/)/.test(href)) return [];
      const [path = "", anchor = ""] = href.split("#");
      const file = path === "" ? page : fileOf(path.startsWith("/") ? path : posix.join("/", posix.dirname(page), path), site);
      if (file === undefined) return [`${page}: ${href} leads to no page`];
      if (anchor === "" || anchors.get(file)?.has(decodeURIComponent(anchor)) !== false) return [];
      return [`${page}: ${href} names no heading of ${file}`];
    });
    return [...new Set([...foreign, ...dead])];
  });
}
