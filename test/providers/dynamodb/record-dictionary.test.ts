import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { recordDictionary } from '../../../lib/providers/dynamodb/record-dictionary.ts';

test('the dictionary never changes: a stored record could not be read with another one', () => {
  const dictionary = recordDictionary();
  expect(dictionary.byteLength).toBeLessThanOrEqual(32 * 1_024);
  expect(createHash('sha256').update(dictionary).digest('hex')).toBe(
    'c183e80c26656eaaa5db042282e3f6e1d3b9f749248d53da2cb4df8fdd0a25e8',
  );
});
