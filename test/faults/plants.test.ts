import { expect, test } from 'vitest';
import { bugOf, findPlant, plantNames, plantsIn, whyNotApplicable } from './plants.ts';

test.each(plantNames())('the planted bug %s applies to the current sources', (name) => {
  expect(whyNotApplicable(name)).toBeUndefined();
});

test.each(plantNames())('the planted bug %s begins with a sentence', (name) => {
  expect(bugOf(name)).toMatch(/^[A-Z].{15,}\.$/);
});

test('at least 30 bugs are planted', () => {
  expect(plantNames().length).toBeGreaterThanOrEqual(30);
});

test('plants are chosen by name, and a name that no plant has is refused with the most similar one', () => {
  const [first = '', second = ''] = plantNames();
  expect(plantsIn(`${second},${first}`)).toEqual([second, first]);
  expect(() => plantsIn(`${first}x`)).toThrow(
    `--plant: there is no plant ${first}x (did you mean ${first}?): write names`,
  );
});

test('the tester runs in a copy of the sources, and finds a planted bug', { timeout: 120_000 }, async () => {
  const found = await findPlant('a-decision-is-closed-before-it-is-carried-out', { seeds: 10, from: 1 });
  expect(found?.violation).toContain('a decision is closed after it was carried out');
});
