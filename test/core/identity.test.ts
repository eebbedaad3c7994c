import { describe, expect, test } from 'vitest';
import { digest, fingerprint } from '../../lib/core/identity.ts';

describe.each([
  ['a digest', digest],
  ['a fingerprint', fingerprint],
])('%s', (_, name) => {
  test('follows from its text alone, and is as long as asked', () => {
    expect(name('decision-1/0')).toBe(name('decision-1/0'));
    expect(name('a')).toMatch(/^[a-z2-7]{26}$/);
    expect(name('a', 8)).toMatch(/^[a-z2-7]{8}$/);
    expect(name('a', 26).startsWith(name('a', 8))).toBe(true);
  });

  test('differs for texts that differ in their end alone', () => {
    const all = Array.from({ length: 20_000 }, (__, index) => name(`decision/${index}`, 8));
    expect(new Set(all).size).toBe(20_000);
  });
});

test('a digest is SHA-256, written in base 32', () => {
  // RFC 4648, in lower case.
  expect(digest('abc')).toBe('xj4bnp4pahh6uqkbidpf3lrceo');
});

test('fingerprints keep their values: objects in clusters and AWS carry them', () => {
  expect(fingerprint('abc')).toBe('f2vzba5wejhh33jtfyu2feezae');
});
