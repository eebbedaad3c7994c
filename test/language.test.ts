import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { trackedFiles } from './tracked-files.ts';

/** Words that readers have to decode. Plain technical English has another word for each. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const BANNED: readonly { readonly pattern: RegExp; readonly write: string }[] = [
  { pattern: /\bwhoever\b/i, write: 'name the user, program or function' },
  { pattern: /\bnone such\b/i, write: 'none of these, or none' },
  { pattern: /\bto be had\b/i, write: 'available' },
  {
    // "There is no node" and "is no longer Ready" are plain.
    pattern: /(?<!\bthere )\bis no (?!(?:longer|more|fewer|less|greater|larger|higher|later|earlier|other)\b)[a-z]+/i,
    write: 'is not a',
  },
  { pattern: /\bMOST_/, write: 'MAX_' },
  { pattern: /\bLEAST_/, write: 'MIN_' },
];

function bannedWords(text: string): readonly string[] {
  return text.split('\n').flatMap((line, at) =>
    BANNED.flatMap(({ pattern, write }) => {
      const found = pattern.exec(line)?.[0];
      return found === undefined ? [] : [`${at + 1}: "${found}": write ${write}`];
    }),
  );
}

/** This file lists the words. */
const found = trackedFiles(ROOT, /\.(ts|js|md|yaml|py)$/)
  .filter(({ path }) => path !== 'test/language.test.ts')
  .flatMap(({ path, text }) => bannedWords(text).map((word) => ({ path, word })));

test('sources and documents use none of the banned words', () => {
  expect(found.map(({ path, word }) => `${path}:${word}`)).toEqual([]);
});

describe('a banned word', () => {
  test.each([
    'whoever comes next',
    'Whoever owns it',
    'Kerf manages none such',
    'nothing is to be had',
    'it is no label',
    'const MOST_TYPES = 60;',
    'LEAST_AGE_MS',
  ])('is found: %s', (text) => {
    expect(bannedWords(`plain\n${text}`)).toEqual([expect.stringMatching(/^2: /)]);
  });

  test.each([
    'there is no node',
    'it is no longer Ready',
    'is no more than 5',
    'ALMOST_DONE',
    'at least one',
    'this is not a label',
  ])('is not found where there is none: %s', (text) => {
    expect(bannedWords(text)).toEqual([]);
  });
});
