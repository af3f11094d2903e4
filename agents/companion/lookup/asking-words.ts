/** Words that a question is made of rather than about. */
import { termsOf } from "./words-of-facts.ts";

const words = [
  "look up search find check verify tell show give know say said mean happen happens current currently latest recent official research study studies science scientific",
  "information info fact facts advice source sources evidence answer question long many much often stay stays last lasts take takes help helps work works good bad best better",
  "people person need needs really actually please exactly guidelines guideline recommendation recommended tips way ways kind types effect effects cause causes do does get make define defined definition meaning means explain explained describe description learn read symptoms signs",
  "busca buscar información fuente actual suche finde quelle aktuell informationen cherche trouve pesquise fonte",
].join(" ");

let terms: ReadonlySet<string> | undefined;

/** Their terms; made with the first question. */
export const askingWords = (): ReadonlySet<string> => (terms ??= termsOf(words));
