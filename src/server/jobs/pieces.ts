/** Bytes of one part of a result at most. */
export const pieceBytes = 256 * 1024;

/** Texts of any length as texts of at most `limit` bytes in UTF-8, which are the same one after the other; at most two of them are in memory. */
export async function* piecesOf(texts: AsyncIterable<string>, limit = pieceBytes): AsyncGenerator<string, void, undefined> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const text of texts) {
    held.push(Buffer.from(text));
    size += held.at(-1)?.byteLength ?? 0;
    if (size < limit) continue;
    let rest = Buffer.concat(held);
    while (rest.byteLength >= limit) {
      const end = cutAt(rest, limit);
      yield rest.toString("utf8", 0, end);
      rest = rest.subarray(end);
    }
    held = [rest];
    size = rest.byteLength;
  }
  if (size > 0) yield Buffer.concat(held).toString("utf8");
}

/** The last place up to `limit` where a character begins: none is cut in two. */
function cutAt(bytes: Buffer, limit: number): number {
  let end = Math.min(limit, bytes.byteLength);
  while (end < bytes.byteLength && end > 1 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
