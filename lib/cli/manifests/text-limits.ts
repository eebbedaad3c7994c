import { Lexer } from 'yaml';
import type { TextProblem } from './yaml-problems.ts';

/** What the parser would need too long or too much memory for, found before it starts. */

/** An API server takes 3 MB of one object; a List may be somewhat larger. */
const MOST_CHARACTERS = 4 * 1_024 * 1_024;
/** The parser calls itself for each level, and keeps much of each. */
const DEEPEST = 100;

/** Why the text is not to be parsed. *Cost:* O(size of the text). */
export function whyNotParsed(text: string): TextProblem | undefined {
  const nul = text.indexOf('\0');
  if (nul >= 0)
    return {
      line: lineAt(text, nul),
      message: 'is not text: it has a NUL character',
      allowed: 'YAML or JSON in UTF-8',
    };
  return tooLong(text) ?? tooDeep(text);
}

function tooLong(text: string): TextProblem | undefined {
  if (text.length <= MOST_CHARACTERS) return undefined;
  const starts = [0, ...[...text.matchAll(/^---(?=\s|$)/gm)].map(({ index }) => index), text.length];
  for (const [at, start] of starts.entries()) {
    const length = (starts[at + 1] ?? start) - start;
    if (length > MOST_CHARACTERS) {
      const message = `this document has ${megabytes(length)} MB of text, and at most ${megabytes(MOST_CHARACTERS)} MB are read`;
      return { line: lineAt(text, start), message, allowed: 'its objects into documents of their own' };
    }
  }
  return undefined;
}

/** Brackets in quotes and comments do not nest, so the lexer has the last word where there are many. */
function tooDeep(text: string): TextProblem | undefined {
  if (deepest(text.matchAll(/[[{\]}]/g).map(([bracket]) => bracket)) <= DEEPEST) return undefined;
  if (deepest(new Lexer().lex(text)) <= DEEPEST) return undefined;
  return { line: 1, message: `nests more than ${DEEPEST} brackets deep`, allowed: 'less deeply nested YAML' };
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

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function megabytes(characters: number): string {
  return (characters / (1_024 * 1_024)).toFixed(1).replace(/\.0$/, '');
}
