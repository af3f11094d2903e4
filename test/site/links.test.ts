/** The check of the built site's links finds what it is for. */
import { expect, test } from "vitest";
import { deadLinks } from "../../scripts/site/links.ts";

const site = (pages: Readonly<Record<string, string>>, files: readonly string[] = []): readonly string[] =>
  deadLinks({ pages: new Map(Object.entries(pages)), files: new Set([...Object.keys(pages), ...files]) });

test("links to pages, folders, files and headings that exist are fine, and so are other sites", () => {
  expect(
    site(
      {
        "index.html": `<a href="/how-to/models.html#a&amp;b">x</a> <a class="y" href="how-to/">x</a> <a href="#top" id="top">x</a> <img src="/assets/p.svg">`,
        "how-to/index.html": `<a href="./models">x</a> <a href="https://example.org/x">x</a> <a href="mailto:a@example.org">x</a>`,
        "how-to/models.html": `<h2 id="a&amp;b">x</h2> <a href="../index.html">x</a>`,
      },
      ["assets/p.svg"],
    ),
  ).toEqual([]);
});

test("pages, headings and files that do not exist are told, with the page that names them", () => {
  expect(
    site({
      "index.html": `<a href="/gone.html">x</a> <a href="#nowhere">x</a> <img alt="" src="/assets/gone.svg">`,
      "how-to/models.html": `<a href="../index.html#part">x</a>`,
    }),
  ).toEqual([
    "index.html: /gone.html leads to no page",
    "index.html: #nowhere names no heading of index.html",
    "index.html: /assets/gone.svg leads to no page",
    "how-to/models.html: ../index.html#part names no heading of index.html",
  ]);
});

test("what another host would serve is told, a link to it is not", () => {
  expect(
    site({
      "index.html": `<script src="https://cdn.example.org/x.js"></script><link rel="stylesheet" href="//fonts.example.org/x.css"><a href="https://example.org">x</a>`,
    }),
  ).toEqual(["index.html: loads https://cdn.example.org/x.js", "index.html: loads //fonts.example.org/x.css"]);
});
