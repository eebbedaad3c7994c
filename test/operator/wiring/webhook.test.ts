import { expect, test } from 'vitest';
import { secretMatcher } from '../../../lib/operator/wiring/webhook.ts';

test.each([
  ['secret', true],
  ['secreT', false],
  ['secret ', false],
  ['', false],
  ['s'.repeat(10_000), false],
])('%j is the secret: %s', (candidate, expected) => {
  expect(secretMatcher('secret')(candidate)).toBe(expected);
});
