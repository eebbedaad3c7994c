import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { trackedFiles, trackedPaths } from './tracked-files.ts';

/** How the folders of lib/core build on each other, and how many files stand beside each other. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The folders of lib/core from the ground up. A folder imports from those before it. '.' is for the files directly in lib/core. */
const FLOORS: readonly string[] = [
  '.',
  'requirements',
  'resources',
  'admission',
  'validation',
  'model',
  'call-budget',
  'delivery',
  'instance-type',
  'node-class',
  'cluster',
  'node-claim',
  'node-pool',
  'events',
  'install',
  'interruption',
  'scheduling',
  'provisioning',
  'disruption',
  'problems',
  'status',
  'explain',
  'decisions',
  'usage',
  'widgets',
];

const core = trackedFiles(ROOT, /^lib\/core\/.*\.ts$/);

function folderOf(path: string): string {
  const [folder = '', rest] = path.slice('lib/core/'.length).split('/', 2);
  return rest === undefined ? '.' : folder;
}

function upwardImports(floors: readonly string[]): readonly string[] {
  return core.flatMap(({ path, text }) =>
    importsOf(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => posix.normalize(posix.join(dirname(path), specifier)))
      .filter((target) => target.startsWith('lib/core/'))
      .filter((target) => floors.indexOf(folderOf(target)) > floors.indexOf(folderOf(path)))
      .map((target) => `${path} -> ${target}`),
  );
}

test('every folder of lib/core has a floor', () => {
  expect([...new Set(core.map(({ path }) => folderOf(path)))].toSorted()).toEqual(FLOORS.toSorted());
});

test('no folder of lib/core imports from a folder above it', () => {
  expect(upwardImports(FLOORS)).toEqual([]);
});

test('an import from a folder above is found', () => {
  expect(upwardImports(FLOORS.toReversed()).length).toBeGreaterThan(100);
});

/** Folders in which the list of files is the point. */
const LISTS = ['lib/apis/schemas'];

const MAX_FILES = 20;

test('at most 20 files of code stand beside each other', () => {
  const paths = trackedPaths(ROOT).filter((path) => /^(bin|functions|lib|test|scripts|benchmarks)\/.*\.ts$/.test(path));
  const folders = Map.groupBy(paths, (path) => dirname(path));
  const large = [...folders].filter(([folder, files]) => files.length > MAX_FILES && !LISTS.includes(folder));
  expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
});

test('docs/architecture.md names the floors of lib/core in their order', () => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  expect(text).toContain(
    FLOORS.slice(1)
      .map((folder) => `\`${folder}\``)
      .join(', '),
  );
});
