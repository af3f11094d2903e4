/** Finds links, addresses and domains, however they are written. */
import type { SafetyLevel } from "../assessment.ts";
import type { Span } from "./sentences.ts";

const generic =
  "com|org|net|gov|edu|mil|int|info|biz|io|app|dev|ai|chat|help|care|health|life|support|online|site|xyz|link|crisis|ngo|eu|world|live|space|foundation|page|web|club|center|centre|clinic|community";

/** Country domains. Where nobody is in danger one counts only with a path, a second level or a figure: `sleep.It helps` is a missing space. */
const country =
  "ac|ae|ar|at|au|be|bd|bg|br|bw|by|ca|ch|cl|cn|co|cr|cy|cz|de|dk|do|ec|ee|eg|es|fi|fr|gb|ge|gh|gr|hk|hr|hu|id|ie|il|in|ir|is|it|jm|jo|jp|ke|kr|kz|lb|li|lk|lt|lu|lv|ly|ma|me|mt|mu|mx|my|ng|nl|no|np|nz|pe|ph|pk|pl|pt|ro|rs|ru|sa|se|sg|si|sk|so|th|tr|tt|tv|tw|ua|uk|us|uy|vn|za";

const dot = String.raw`(?:\.|。|\s?[([{]\s?(?:\.|dot|punkt|punto|point|ponto|titik)\s?[)\]}]\s?|\s(?:dot|punkt|punto|point|ponto|titik|nokta|डॉट)\s|\s\.\s|点)`;

const scheme =
  /(?:\b(?:[a-z][a-z\d+-]{1,12}|hxxps?)\s?(?::|\[:\]|\(:\))\s?\/\/|\b(?:mailto|tel|sms|whatsapp|skype):|\bwww\d?\s?\.)\s?[^\s<>"'`]{1,2048}/gu;

const email = /[a-z\d._%+-]{1,64}\s?(?:@|[([]\s?at\s?[)\]])\s?[a-z\d-]{1,63}(?:(?:\.|\s?[([]?\s?dot\s?[)\]]?\s?)[a-z\d-]{1,63}){1,4}/gu;

const domain = new RegExp(
  String.raw`(?<![\p{L}\d@-])[\p{L}\d][\p{L}\d-]{0,62}(?:${dot}[a-z\d][a-z\d-]{0,62}){0,3}?${dot}(?:${generic}|${country})(?![\p{L}\d-])(?:/[^\s<>"'\x60]{0,2048})?`,
  "gu",
);

/** Anything with a dot and a path, whatever it ends on: new names are made every year. */
const pathed = /(?<![\p{L}\d@-])[\p{L}\d][\p{L}\d-]{0,62}(?:\.[\p{L}\d][\p{L}\d-]{0,62}){1,4}(?::\d{1,5})?\/[^\s<>"'`]{1,2048}/gu;

const certain = new RegExp(
  String.raw`(?:${generic})(?:/\S*)?$|/|\.(?:co|com|org|gov|net|ac|edu|or|go)\.[a-z]{2}$|\d[^.]*\.[a-z]{2}$|-[^.]*\.[a-z]{2}$`,
  "u",
);

const handle = /(?<![\p{L}\d.])@[a-z\d_]{3,30}/gu;

const canonical = (link: string): string =>
  link
    .toLowerCase()
    .replace(/^[a-z]{2,12}:\/\//u, "")
    .replace(/^www\./u, "")
    .replace(/[).,;:!?\]}>'"*_。]+$/u, "")
    .replace(/\/+$/u, "");

/** The links that may be shown, as they are compared: with their path, and by their host alone. */
export const allowedLinks = (links: readonly string[]): ReadonlySet<string> =>
  new Set(links.flatMap((link) => [canonical(link), canonical(link).split("/")[0] ?? ""]));

/** Words that end like a domain and are none. */
const noDomain = /^(?:e\.g|i\.e|a\.m|p\.m|u\.s|u\.k|node\.js|ph\.d|vs\.)$/u;

/** What a folded text links to: spans that are allowed, and spans that are not. */
export function linkSpans(
  text: string,
  { level, allowed }: { readonly level: SafetyLevel; readonly allowed: ReadonlySet<string> },
): { readonly allowed: readonly Span[]; readonly refused: readonly Span[] } {
  const good: Span[] = [];
  const refused: Span[] = [];
  const taken = new Uint8Array(text.length);
  for (const pattern of [scheme, email, domain, pathed, ...(level > 0 ? [handle] : [])])
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (pattern === domain && (noDomain.test(found) || (level === 0 && !certain.test(found)))) continue;
      const link = found.replace(/[)\].,;:!?*_]+$/u, "");
      const span = { start: index, end: index + link.length };
      if (taken[index] === 1) continue;
      taken.fill(1, span.start, span.end);
      if (allowed.has(canonical(link))) good.push(span);
      else refused.push(span);
    }
  return { allowed: good, refused };
}
