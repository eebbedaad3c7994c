/** The text of one document, including `---` and comments, and the line of the file where it begins. */
export interface DocumentText {
  readonly text: string;
  readonly firstLine: number;
}

/**
 * Splits a stream at lines of three dashes before parsing, as kubectl does, so an error in one document does not affect
 * the next ones. Consecutive JSON values are documents too. *Cost:* O(size of the text).
 */
export function splitDocuments(text: string): readonly DocumentText[] {
  const starts = [0];
  for (const { index } of text.matchAll(/^---(?=\s|$)/gm)) {
    if (index > 0 && !isOpening(text.slice(starts.at(-1), index))) starts.push(index);
  }
  let firstLine = 1;
  return starts.flatMap((start, at) =>
    splitJson(text.slice(start, starts[at + 1])).map((part) => {
      const document = { text: part, firstLine };
      firstLine += countLines(part);
      return document;
    }),
  );
}

/** True for comments and directives before the first `---`, which belong to the document that it begins. */
function isOpening(text: string): boolean {
  if (text.startsWith('---')) return false;
  return text.split('\n').every((line) => line.trim() === '' || line.startsWith('#') || line.startsWith('%'));
}

/** Splits consecutive JSON objects, on one line or several. Any other text is returned whole. */
function splitJson(text: string): readonly string[] {
  if (!/^\s*\{/.test(text)) return [text];
  const ends: number[] = [];
  let depth = 0;
  let isQuoted = false;
  // Token by token: a pattern for a whole string overflows the stack if the string is megabytes long.
  for (const { 0: token, index } of text.matchAll(/\\.|["{}\n]/g)) {
    if (token === '"') isQuoted = !isQuoted;
    else if (token === '\n') isQuoted = false;
    else if (!isQuoted && token === '{') depth += 1;
    else if (!isQuoted && token === '}') {
      depth -= 1;
      if (depth === 0) ends.push(index + 1);
    }
  }
  const between = ends.slice(0, -1).map((end) => /^\s*(.)/.exec(text.slice(end, end + 200))?.[1]);
  if (ends.length < 2 || depth !== 0 || between.some((next) => next !== '{')) return [text];
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, at === ends.length - 1 ? undefined : end));
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
