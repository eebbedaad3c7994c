import { expect, test } from 'vitest';
import { plantNames, whyNotApplicable } from './plants.ts';

test.each(plantNames())('the planted bug %s applies to the current sources', (name) => {
  expect(whyNotApplicable(name)).toBeUndefined();
});

test('at least 30 bugs are planted', () => {
  expect(plantNames().length).toBeGreaterThanOrEqual(30);
});
