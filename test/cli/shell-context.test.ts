import { expect, test } from 'vitest';
import { callersFolder } from '../../lib/cli/shell-context.ts';

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
