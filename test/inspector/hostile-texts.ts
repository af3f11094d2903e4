/** Texts that a page must show and never obey, from a table, with a seed. */
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";

/** The most bytes of an event over HTTP. */
const eventBytes = 256 * 1024;
/** The most characters of a message. */
export const mostInMessage = 100_000;

/** What a script of a hostile text would do. The test looks for it. */
export const mark = "hostileRan";

const run = `globalThis.${mark}=true`;
const elsewhere = "https://evil.example";

/** Kinds of hostile texts. */
const table: readonly ((dice: Chooser) => string)[] = [
  (dice) => `<script>${run};alert(${dice.integer(1, 99)})</script>`,
  (dice) => `<${dice.one(["img", "svg", "video", "body", "iframe", "input autofocus"])} src=x on${dice.one(["error", "load", "focus"])}="${run}">`,
  (dice) => `${dice.one(['"', "'", "`", "-->", "</p>", "</script>", "]]>"])}><svg/onload=${run}><b title="`,
  (dice) => `<a href="${dice.one(["javascript", "JaVaScRiPt", "java\tscript", "\u0001javascript"])}:${run}">click</a>`,
  (dice) => `[${dice.one(["click", "![x]", "\u202Eclick"])}](javascript:${run}) <data:text/html,<script>${run}</script>>`,
  (dice) => `![pixel](${elsewhere}/${dice.integer(1, 999)}.png) [ref]: ${elsewhere}/ref "title"`,
  (dice) => `<img src="${elsewhere}/${dice.integer(1, 999)}.gif"><link rel=stylesheet href="${elsewhere}/a.css"><object data="${elsewhere}/o">`,
  (dice) => `<style>*{display:none!important;background:url(${elsewhere}/${dice.integer(1, 99)})}</style>`,
  () => `}</style><style>@import "${elsewhere}/x.css";body{position:fixed;left:-9999px}`,
  () => `<form action="${elsewhere}"><button>Send</button></form><base href="${elsewhere}/"><meta http-equiv=refresh content="0;url=${elsewhere}">`,
  (dice) => `\u202E${dice.one(["evil.exe", "txt.lacol", "right to left"])}\u202C \u2066isolated\u2069 \u2067\u2067\u2067never closed`,
  (dice) => `zero\u200B\u200C\u200D\uFEFF\u2060width${"\u200B".repeat(dice.integer(1, 200))}end`,
  (dice) => `${"Z\u0351\u0327\u0334\u0360".repeat(dice.integer(5, 60))} combining`,
  (dice) => "مرحبا بالعالم ".repeat(dice.integer(1, 30)),
  (dice) => dice.one(["W", "0123456789", "👩‍👩‍👧‍👦", "\u3042"]).repeat(dice.integer(200, 2_000)),
  (dice) => `no_break_${"x".repeat(dice.integer(2_000, 20_000))}`,
  (dice) => `{"${dice.one(["__proto__", "constructor", "prototype"])}": {"polluted": true}, "broken": [1, 2`,
  (dice) => dice.one(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "__defineGetter__", "then"]),
  (dice) => dice.one(["null", "undefined", "NaN", "-0", "1e999", "[object Object]", '"', "\\", "\\u0000", "'; DROP TABLE sessions; --"]),
  (dice) => `lone ${dice.one(["\uD800", "\uDFFF", "\uDBFF\uDBFF"])} surrogate \uD83D`,
  (dice) => `\u001B[${dice.integer(30, 47)}mred\u001B[0m \u001B]0;title\u0007\u001B[2J\u0000\u0008`,
  () => `\r\n\r\n\t${"\n".repeat(300)}after many lines`,
  () => `{{constructor.constructor('${run}')()}} \${${run}} <%= ${run} %> #{${run}}`,
  (dice) => `../../${dice.one(["%2e%2e%2f", "?", "#", "&at=1&tab=diff", "%", "%00", "//evil.example"])}/x`,
];

/** So many hostile texts, each kind equally often. The last ones are as long as an event and a message may be. */
export function hostileTexts(dice: Chooser, count: number): readonly string[] {
  const texts = Array.from({ length: count - 2 }, (_, index) => table[index % table.length]?.(dice) ?? "");
  return [...texts, "y".repeat(eventBytes - 100), `<b>${"<i>".repeat(mostInMessage)}`.slice(0, mostInMessage)];
}
