import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../lib/core/sha256.ts';

const hex = (text: string): string => Buffer.from(sha256(text)).toString('hex');

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
])('the digest of %j is that of NIST’s example', (text, expected) => {
  expect(hex(text)).toBe(expected);
});

test('the digest of any text is that of node:crypto', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ minLength: 50, maxLength: 130 }));
  fc.assert(
    fc.property(text, (one) => hex(one) === createHash('sha256').update(one).digest('hex')),
    { numRuns: 1_000 },
  );
});

test('every length around the end of a block is padded right', () => {
  for (let length = 0; length <= 200; length += 1) {
    const text = 'x'.repeat(length);
    expect(hex(text)).toBe(createHash('sha256').update(text).digest('hex'));
  }
});
