import { expect, test } from 'vitest';
import { bugOf, plantNames, whyNotApplicable } from './plants.ts';

test.each(plantNames())('the planted bug %s applies to the current sources', (name) => {
  expect(whyNotApplicable(name)).toBeUndefined();
});

test.each(plantNames())('the planted bug %s begins with a sentence', (name) => {
  expect(bugOf(name)).toMatch(/^[A-Z].{15,}\.$/);
});

test('at least 30 bugs are planted', () => {
  expect(plantNames().length).toBeGreaterThanOrEqual(30);
});
