import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod } from '../snapshot/documents.ts';
import { KERF, openWindow, quoted, type Size, type Window } from './tmux.ts';

/** `kerf top` in a real terminal. */

const SMALL: Size = { columns: 80, rows: 24 };
const LARGE: Size = { columns: 200, rows: 50 };

const folder = mkdtempSync(join(tmpdir(), 'kerf-top-'));
afterAll(() => rmSync(folder, { recursive: true }));

let window: Window | undefined;
afterEach(() => {
  window?.close();
  window = undefined;
});

/** A snapshot of so many nodes, each with a pod, and a pod that fits nowhere. */
function snapshotOf(count: number): string {
  const names = Array.from({ length: count }, (_, at) => `node-${at}`);
  const document = aDocument({
    pods: [
      ...names.map((name) => aGivenPod(`web-${name}`, { nodeName: name })),
      aGivenPod('huge', { containers: [{ name: 'main', resources: { requests: { cpu: '900' } } }] }),
    ],
    nodes: names.map((name) => aGivenNode(name)),
    nodeClaims: names.map((name) => aGivenClaim(name)),
  });
  const path = join(folder, `${count}.json`);
  writeFileSync(path, JSON.stringify(document));
  return path;
}

function open(command: string, size: Size): Window {
  window = openWindow(`${KERF} ${command}`, size);
  return window;
}

/**
 * Waits until the window is so, and the last of its lines has the keys: before that, a part of a frame is drawn. Nothing is longer
 * than the line.
 */
async function filled(
  { until }: Window,
  { columns, rows }: Size,
  isSo: (text: string) => boolean,
): Promise<readonly string[]> {
  const lines = await until((text, drawn) => isSo(text) && /^q quit {2}s sort/.test(drawn[rows - 1] ?? ''));
  expect(lines).toHaveLength(rows);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  return lines;
}

test.each([
  [3, SMALL],
  [3, LARGE],
  [2_000, SMALL],
  [2_000, LARGE],
])('%i nodes fill a terminal of %j, and each key does what the last line says', async (count, size) => {
  const opened = open(`top --snapshot ${quoted(snapshotOf(count))} --every 1`, size);
  const { keys, until } = opened;
  await filled(opened, size, (text) => text.includes('NODE ') && text.includes('huge'));
  keys('s');
  await until((text) => text.includes('by used'));
  keys('p');
  await until((text) => text.includes('NodePool general'));
  keys('Space');
  await until((text) => text.includes('paused: space continues'));
  keys('Space');
  await until((text) => !text.includes('paused'));
  keys('?');
  await until((text) => text.includes('arrows PgUp PgDn'));
  keys('?', 'End');
  if (count > size.rows) await until((text) => new RegExp(`nodes \\d+ to ${count} of ${count}`).test(text));
  keys('q');
  const left = await until((text) => text.includes('exit code 0'));
  expect(left.join('\n')).not.toContain('NODE ');
});

test('a terminal that becomes larger and smaller is filled again', async () => {
  const opened = open(`top --snapshot ${quoted(snapshotOf(100))}`, SMALL);
  await filled(opened, SMALL, (text) => text.includes('NODE '));
  opened.resize(LARGE);
  await filled(opened, LARGE, (text) => text.includes('WHY IT STAYS OR GOES'));
  opened.resize(SMALL);
  await filled(opened, SMALL, (text) => !text.includes('WHY IT STAYS OR GOES'));
});

test('a running simulation has its nodes, its latest decisions and its prices; q prints the summary', async () => {
  const demo = ['cluster', 'workloads', 'scenario'].map((name) => `examples/demo/${name}.yaml`).join(' ');
  const opened = open(`simulate ${demo} --top --speed 300`, LARGE);
  const { keys, until } = opened;
  const lines = await filled(opened, LARGE, (text) => /\$\/h [▁-█]{2,}/.test(text) && text.includes('LATEST'));
  expect(lines.join('\n')).toMatch(/00:00:01 {2}decide/);
  keys('q');
  const left = await until((text) => text.includes('exit code 0'));
  expect(left.join('\n')).toContain('Pending to running');
});

test('without a terminal, --top is refused in a sentence', async () => {
  const { until } = open('simulate examples/demo/cluster.yaml --top < /dev/null', SMALL);
  const lines = await until((text) => text.includes('exit code 2'));
  expect(lines.join('\n')).toContain('--top needs a terminal');
});
