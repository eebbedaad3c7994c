/** Planted bugs: `test/faults/plants/NAME.patch`, applied to a copy of the sources. */

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suggest } from '../../lib/core/suggest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLANTS = fileURLToPath(new URL('./plants', import.meta.url));
/** What the tester reads. */
const SOURCES = [
  'lib',
  'test/faults',
  'test/controllers/outages',
  'test/fakes',
  'test/builders',
  'test/samples.ts',
  'scripts/script-options.ts',
  'data',
  'package.json',
];

/** The names of all plants. */
export function plantNames(): readonly string[] {
  return readdirSync(PLANTS)
    .filter((name) => name.endsWith('.patch'))
    .map((name) => basename(name, '.patch'))
    .toSorted();
}

/** The names in a list with commas. *Errors:* RangeError for a name that no plant has. */
export function plantsIn(list: string): readonly string[] {
  const all = plantNames();
  const names = list.split(',');
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return names;
  const meant = suggest(unknown, all);
  const similar = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  throw new RangeError(
    `--plant: there is no plant ${unknown}${similar}: write names of the patches in test/faults/plants`,
  );
}

function patchOf(name: string): string {
  return join(PLANTS, `${name}.patch`);
}

/** The bug in words: the text of the patch before its first file. */
export function bugOf(name: string): string {
  const [words = ''] = readFileSync(patchOf(name), 'utf8').split(/^(?:diff|---) /m, 1);
  return words.trim();
}

/** Why the patch does not apply to the current sources; undefined if it does. */
export function whyNotApplicable(name: string): string | undefined {
  const { status, stderr } = spawnSync('git', ['apply', '-C1', '--check', patchOf(name)], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return status === 0 ? undefined : stderr;
}

export interface Found {
  readonly seed: number;
  /** The rule that the seed violates, and how. */
  readonly violation: string;
}

export interface PlantOptions {
  readonly seeds: number;
  readonly from: number;
}

/**
 * Runs the tester with the bug until a seed fails. *Shape:* undefined if none fails. *Errors:* if the patch does not apply, or the
 * tester itself fails.
 */
export async function findPlant(name: string, { seeds, from }: PlantOptions): Promise<Found | undefined> {
  const copy = mkdtempSync(join(tmpdir(), 'kerf-plant-'));
  try {
    for (const source of SOURCES) cpSync(join(ROOT, source), join(copy, source), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const applied = spawnSync('git', ['apply', '-C1', patchOf(name)], { cwd: copy, encoding: 'utf8' });
    if (applied.status !== 0) throw new Error(`${patchOf(name)} does not apply: ${applied.stderr}`);
    const script = join(copy, 'test/faults/test-faults.ts');
    const range = ['--seeds', String(seeds), '--from', String(from), '--workers', '1'];
    const { code, text } = await run([script, '--until-found', '--no-shrink', ...range]);
    if (code === 0) return undefined;
    const [, seed, violation] = /^seed (\d+) \(.*?\), \S+: (.*)$/m.exec(text) ?? [];
    if (seed === undefined || violation === undefined)
      throw new Error(`the tester ended with ${code} and no failing seed: ${name}\n${text}`);
    return { seed: Number(seed), violation };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

async function run(args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  return { code: await promise, text };
}
