/** A message as it is read for cues: folded, and cut where a clause may end. */

/** More than this is not read for cues: nobody says that they are done in ten thousand characters. */
const mostCharacters = 4_000;
const mostClauses = 200;

/** One spelling for everything that people type in several: lower case, straight apostrophes, single spaces. */
export const folded = (text: string): string =>
  text
    .slice(0, mostCharacters)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'")
    .replaceAll(/[ \t\u00A0]+/gu, " ")
    .trim();

/** What somebody else said, or a thought that is written down, is no cue. An apostrophe opens no quotation. */
const quoted = /["“«「『„][^"”“»」』]{1,400}["”“»」』]/gu;

/** The clauses of a folded text, without what is quoted, without the marks around them. */
export const clausesOf = (text: string): readonly string[] =>
  text
    .replaceAll(quoted, " … ")
    .split(/[.!?;,:\n…。！？；，、：¿¡()]+|\s[-–—]+\s|\s(?:but|pero|aber|mais|porém)\s|但是|可是|不过/u)
    .map((clause) => clause.replaceAll(/^[\s"'*_~#>-]+|[\s"'*_~-]+$/gu, ""))
    .filter((clause) => clause !== "")
    .slice(0, mostClauses);
