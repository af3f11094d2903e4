import { rows } from "./rows.ts";

/** What is written short and what it stands for, in rows: `jsuis = je suis, jme = je me`. */
export const shortForms = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    rows(text).map((row) => {
      const [short = "", full = ""] = row.split(" = ");
      return [short, full];
    }),
  );
