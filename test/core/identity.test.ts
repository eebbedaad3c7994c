import { expect, test } from 'vitest';
import { fingerprint } from '../../lib/core/identity.ts';

test('a fingerprint follows from its text alone, and is as long as asked', () => {
  expect(fingerprint('decision-1/0')).toBe(fingerprint('decision-1/0'));
  expect(fingerprint('a')).toMatch(/^[a-z2-7]{26}$/);
  expect(fingerprint('a', 8)).toMatch(/^[a-z2-7]{8}$/);
  expect(fingerprint('a', 26).startsWith(fingerprint('a', 8))).toBe(true);
});

test('texts that differ in their end alone have other fingerprints', () => {
  const all = Array.from({ length: 20_000 }, (_, index) => fingerprint(`decision/${index}`, 8));
  expect(new Set(all).size).toBe(20_000);
});
