import { Lexer } from 'yaml';
import type { TextProblem } from '../read/yaml-problems.ts';

/** Rejects text that would take the parser too much time or memory. */

/** An API server accepts 3 MB for one object; a List may be somewhat larger. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;
/** The parser recurses for each level and holds memory for each. */
const DEEPEST = 100;

/** Returns why the text of one document is not parsed; lines count from its beginning. *Cost:* O(size of the text). */
export function whyNotParsed(text: string): TextProblem | undefined {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const line = text.slice(0, nul).split('\n').length;
    return { line, message: 'is not text: it has a NUL character', allowed: 'YAML or JSON in UTF-8' };
  }
  if (text.length > MAX_CHARACTERS) {
    const message = `this document has ${megabytes(text.length)} MB of text, and at most ${megabytes(MAX_CHARACTERS)} MB are read`;
    return { line: 1, message, allowed: 'each object in a document of its own' };
  }
  return isTooDeep(text)
    ? { line: 1, message: `nests more than ${DEEPEST} brackets deep`, allowed: 'less deeply nested YAML' }
    : undefined;
}

/** Brackets in quotes and comments do not nest. The lexer, which is slower, runs only where there are many brackets. */
function isTooDeep(text: string): boolean {
  const brackets = text.matchAll(/[[{\]}]/g).map(([bracket]) => bracket);
  return deepest(brackets) > DEEPEST && deepest(new Lexer().lex(text)) > DEEPEST;
}

function deepest(tokens: Iterable<string>): number {
  let depth = 0;
  let most = 0;
  for (const token of tokens) {
    if (token === '[' || token === '{') most = Math.max(most, (depth += 1));
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
  }
  return most;
}

function megabytes(characters: number): string {
  return (characters / (1_024 * 1_024)).toFixed(1).replace(/\.0$/, '');
}
