/** The lines that a prompt shows as data under a section's sentence; the text itself if it holds none. */
export function dataIn(text: string): string {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => line.startsWith("<data "));
  return from === -1 ? text : lines.slice(from + 1, lines.lastIndexOf("</data>")).join("\n");
}
