const BEGIN = '<networkInterfaceSet>';
const END = '</networkInterfaceSet>';

/** *Shape:* the same bytes without the elements. *Errors:* those of the chunks. */
export async function* withoutInterfaces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest = Buffer.alloc(0);
  let isInside = false;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const mark = isInside ? END : BEGIN;
      const at = rest.indexOf(mark);
      // A mark may be divided between two chunks.
      const upTo = at === -1 ? Math.max(0, rest.length - mark.length + 1) : at;
      if (!isInside && upTo > 0) yield rest.subarray(0, upTo);
      rest = rest.subarray(at === -1 ? upTo : at + mark.length);
      if (at === -1) break;
      isInside = !isInside;
    }
  }
  if (!isInside) yield rest;
}
