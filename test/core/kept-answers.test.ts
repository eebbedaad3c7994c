import { expect, test } from 'vitest';
import { lastFor, onceFor } from '../../lib/core/kept-answers.ts';

test('an answer is computed once for each object, also if it is undefined', () => {
  const asked: string[] = [];
  const lengthOf = onceFor(({ text }: { readonly text: string }) => {
    asked.push(text);
    return text === '' ? undefined : text.length;
  });
  const [empty, one, equal] = [{ text: '' }, { text: 'one' }, { text: 'one' }];
  expect([empty, one, empty, one, equal].map(lengthOf)).toEqual([undefined, 3, undefined, 3, 3]);
  expect(asked).toEqual(['', 'one', 'one']);
});

test('the last answer about an object is given again only while everything beside it is the same', () => {
  const asked: string[] = [];
  const joined = lastFor(
    ({ a }: { readonly a: string }, { b, c }: { readonly b: string; readonly c?: string | undefined }) => {
      asked.push(`${a}${b}${c}`);
      return `${a}${b}${c}`;
    },
  );
  const about = { a: 'a' };
  const questions = [{ b: 'b', c: undefined }, { b: 'b' }, { b: 'b', c: 'c' }, { b: 'b', c: undefined }];
  expect(questions.map((beside) => joined(about, beside))).toEqual([
    'abundefined',
    'abundefined',
    'abc',
    'abundefined',
  ]);
  expect(asked).toEqual(['abundefined', 'abc', 'abundefined']);
});
