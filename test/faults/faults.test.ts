import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { samples } from '../samples.ts';
import { describeEntry } from './describe.ts';
import { judge } from './judge.ts';
import { runStory } from './run-story.ts';
import { formatKept, parseKept } from './shrink.ts';
import { storyOf } from './story/story.ts';

const SEEDS = Array.from({ length: samples(40, 8) }, (_, nth) => 1 + nth * 7);

test.each(SEEDS)('every rule holds under the faults of seed %i', async (seed) => {
  expect((await judge(seed)).violation).toBeUndefined();
});

test('the same seed gives the same run, also in another process', async () => {
  const { timeline } = await runStory(storyOf(3));
  const script = fileURLToPath(new URL('./test-faults.ts', import.meta.url));
  const options = { maxBuffer: 1e9 };
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--seed', '3', '--verbose'], options);
  const lines = stdout.split('\n').filter((line) => /^\d+:\d\d\./.test(line));
  expect(lines).toEqual(timeline.map(describeEntry));
  expect(lines.length).toBeGreaterThan(20);
});

test('the stories of 300 seeds have every kind of fault', () => {
  const kinds = new Set(Array.from({ length: 300 }, (_, seed) => storyOf(seed).faults.map(({ kind }) => kind)).flat());
  expect([...kinds].toSorted()).toEqual([
    'by-hand',
    'calls-fail',
    'calls-hang',
    'calls-slow',
    'clocks',
    'cut-off',
    'impaired',
    'listed-late',
    'machines',
    'messages',
    'no-capacity',
    'node-class',
    'node-pool',
    'object-refused',
    'odd-launches',
    'other-autoscaler',
    'other-version',
    'restore-table',
    'scheduler-down',
    'second-deployment',
    'slow-pods',
    'spot-volley',
    'stale-reads',
    'table-steps',
    'unreadable-record',
    'volumes-stay',
    'webhook-down',
  ]);
});

describe('a list of faults', () => {
  test('is written and read back', () => {
    const kept = [{ id: 3 }, { id: 9, forMs: 30_000 }];
    expect(formatKept(kept)).toBe('3,9:30000');
    expect(parseKept('3,9:30000')).toEqual(kept);
    expect(parseKept(formatKept([]))).toEqual([]);
  });

  test('that is not one is refused with what to write', () => {
    expect(() => parseKept('3,x')).toThrow(
      '--only 3,x: "x" is not a fault: write 3, or 3:30000 for 30 s of it, or none',
    );
  });
});
