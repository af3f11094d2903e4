/** An extension that keeps card numbers out of everything that is stored. */
import { defineExtension } from "throughline/extension";

const mask = "[card number]";

/** Digits with single spaces or dashes between them, long enough to hold a card number. */
const runs = /\d(?:[ \u00A0–-]?\d){12,}/gu;
const separators = /([ \u00A0–-])/u;
/** The same where no letter stands next to it: records also hold hashes and keys. */
const freeRuns = /(?<![A-Za-z\d])\d(?:[ \u00A0–-]?\d){12,}(?![A-Za-z\d])/gu;

/** 13 to 19 digits that pass the Luhn check. Zeros alone pass it too, and are no card. */
function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || !/[1-9]/u.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of digits.split("").toReversed().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** A run without the card numbers in it: each begins and ends with a group of digits, since a date or a code may stand next to it. */
function masked(run: string): string {
  const parts = run.split(separators); // digits at even places, separators between them
  for (let start = 0; start < parts.length; start += 2)
    for (let end = parts.length; end > start; end -= 2) {
      const digits = parts.slice(start, end).filter((_, index) => index % 2 === 0);
      if (digits[0] === "" || !isCard(digits.join(""))) continue;
      return [...parts.slice(0, start), mask, masked(parts.slice(end).join(""))].join("");
    }
  return run;
}

/** A text without card numbers. */
export const withoutCards = (text: string, runsIn = runs): string => text.replaceAll(runsIn, masked);

/** Numbers of 13 digits that begin with 1 are times in milliseconds. */
const isTime = (value: number): boolean => value >= 1e12 && value < 2e12;

/** Rewrites every text and number before it is stored. Agents and tools still see what the current step holds in memory. */
export const redactCards = defineExtension({
  name: "redact-cards",
  store: (value, { of }) => {
    if (typeof value === "string") return withoutCards(value, of === "record" || of === "fallback" ? freeRuns : runs);
    return Number.isSafeInteger(value) && !isTime(value) && isCard(String(value)) ? 0 : value;
  },
});
