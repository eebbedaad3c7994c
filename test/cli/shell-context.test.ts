import { expect, test } from 'vitest';
import { callersFolder, hasColor } from '../../lib/cli/shell-context.ts';

const ROOT = '/home/me/kerf/';

test('if npm runs kerf in its repository, paths are relative to the folder where npm was called', () => {
  expect(callersFolder({ cwd: '/home/me/kerf', initCwd: '/home/me/kerf/charts' }, ROOT)).toBe('/home/me/kerf/charts');
});

test('in any other folder, paths are relative to it, also if npm runs the program that called kerf', () => {
  expect(callersFolder({ cwd: '/home/me/shop', initCwd: '/home/me/shop/charts' }, ROOT)).toBe('/home/me/shop');
  expect(callersFolder({ cwd: '/home/me/kerf/examples', initCwd: '/home/me' }, ROOT)).toBe('/home/me/kerf/examples');
});

test('without npm, paths are relative to the current folder', () => {
  expect(callersFolder({ cwd: '/home/me/kerf', initCwd: undefined }, ROOT)).toBe('/home/me/kerf');
});

test.for([
  ['a terminal has colors', true, {}, true],
  ['a pipe has none', false, {}, false],
  ['NO_COLOR turns them off', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR does not', true, { NO_COLOR: '' }, true],
  ['FORCE_COLOR turns them on in a pipe', false, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0 turns them off', true, { FORCE_COLOR: '0' }, false],
  ['FORCE_COLOR overrides NO_COLOR', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ['a terminal that has no escape sequences has none', true, { TERM: 'dumb' }, false],
] as const)('%s', ([, isTerminal, environment, color]) => {
  expect(hasColor(isTerminal, environment)).toBe(color);
});
