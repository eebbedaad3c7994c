import { expect, test } from 'vitest';
import { bugOf, findPlant, plantNames, whyNotApplicable } from './plants.ts';

test.each(plantNames())('the planted bug %s applies to the current sources', (name) => {
  expect(whyNotApplicable(name)).toBeUndefined();
});

test.each(plantNames())('the planted bug %s begins with a sentence', (name) => {
  expect(bugOf(name)).toMatch(/^[A-Z].{15,}\.$/);
});

test('at least 30 bugs are planted', () => {
  expect(plantNames().length).toBeGreaterThanOrEqual(30);
});

test('the tester runs in a copy of the sources, and finds a planted bug', { timeout: 120_000 }, async () => {
  const found = await findPlant('a-decision-is-closed-before-it-is-carried-out', { seeds: 10, from: 1 });
  expect(found?.violation).toContain('a decision is closed after it was carried out');
});
