import { dirname, join, posix } from "node:path";
import { defineConfig } from "vitepress";
import { readManifest, root } from "../../scripts/root.ts";
import { apiPages } from "../../scripts/site/themes.ts";
import { sections, sidebarsOf } from "../../scripts/site/navigation.ts";

const repository = readManifest().repository.url.replace(/^git\+|\.git$/g, "");
const parts = sections(apiPages);
const isHidden = (path: string): boolean => path.startsWith("decisions/") || path === "deviations.md";

/** A link out of docs/ leads to the repository; links to folders of docs/ too. */
function outward(target: string, page: string): string {
  if (/^(\w+:|#|\/)/.test(target)) return target;
  const path = posix.join("docs", dirname(page), target);
  if (path.startsWith("docs/") && /\.(md|svg|png)(#|$)/.test(path)) return target;
  return `${repository}/blob/main/${path}`;
}

/** What is read of a token of Markdown. */
interface Token {
  readonly type: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

// VitePress reads its configuration from a default export.
export default defineConfig({
  title: "Throughline",
  description: "Durable, typed state for conversational agents",
  lang: "en-US",
  srcExclude: ["public/**"],
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  lastUpdated: false,
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (markdown) => {
      markdown.core.ruler.push("outward links", ({ tokens, env }: { tokens: { children: Token[] | null }[]; env: { relativePath?: string } }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === "link_open"))
          token.attrSet("href", outward(token.attrGet("href") ?? "", env.relativePath ?? ""));
      });
    },
  },
  themeConfig: {
    outline: [2, 3],
    externalLinkIcon: true,
    nav: parts.map(({ name, link }) => ({ text: name, link, activeMatch: `^${link.split("/").slice(0, 2).join("/")}/` })),
    sidebar: sidebarsOf(parts),
    socialLinks: [{ icon: "github", link: repository }],
    search: {
      provider: "local",
      options: {
        _render: (source, env, markdown) => (isHidden(env.relativePath) ? "" : markdown.render(source, env)),
      },
    },
  },
});
