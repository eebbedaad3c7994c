import { expect, test } from 'vitest';
import { type FrameOptions, frame } from '../../../lib/cli/top/frame.ts';
import type { TopNode, TopState } from '../../../lib/cli/top/top-state.ts';
import { type Bounds, pressed, type View } from '../../../lib/cli/top/view.ts';
import { aTopNode, aTopState } from './states.ts';

const VIEW: View = { sort: 'price', offset: 0, paused: false, help: false };
const SMALL = { columns: 80, rows: 24 };
const LARGE = { columns: 200, rows: 50 };

function linesOf(
  count: number,
  { state = {}, ...options }: Partial<FrameOptions> & { state?: Partial<TopState> } = {},
): readonly string[] {
  return frame(aTopState(count, state), { ...VIEW, ...SMALL, ...options }).lines;
}

test.each([SMALL, LARGE, { columns: 40, rows: 6 }])('a frame fills exactly %j, with 0 to 2,000 nodes', (size) => {
  for (const count of [0, 3, 100, 2_000]) {
    const lines = linesOf(count, size);
    expect(lines).toHaveLength(size.rows);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(size.columns);
  }
});

test('80 columns have everything of a node but why it stays, which is below, by reason', () => {
  expect(linesOf(3)).toEqual([
    'prod: 3 nodes, 30 pods, 12 pending, $1.2000/h (about $876 a month)',
    'cpu ███░░░░░  33%  memory ██░░░░░░  25%  by price, all NodePools',
    '2026-01-31T08:00:00Z  no node changes',
    '',
    'NODE        CPU          MEMORY       TYPE             ZONE CAPACITY     $/H AGE',
    'ip-10-0-0-0 ░░░░░░░   0% ██░░░░░  25% m7i-flex.2xlarge 1a   spot      0.5000  3m',
    'ip-10-0-0-1 ██░░░░░  33% ██░░░░░  25% m7i-flex.2xlarge 1a   on-demand 0.4999  2m',
    'ip-10-0-0-2 █████░░  67% ██░░░░░  25% m7i-flex.2xlarge 1a   on-demand 0.4998  1m',
    ...Array.from({ length: 10 }, () => ''),
    'WHY NODES STAY OR GO',
    '   3  needed by running pods',
    '',
    'PENDING PODS',
    '  12  web ×12: NodePool general: needs more than it has, needs more than it has…',
    'q quit  s sort  p NodePool  space pause  ? help',
  ]);
});

test('the total price says of how many nodes it is, if it is not of all', () => {
  const priceOf = (...nodes: readonly TopNode[]) => linesOf(0, { state: { nodes, usdPerHour: 1 } })[0];
  const known = aTopNode(1);
  const ofNodeGroup = { ...known, pool: '', capacityType: '', usdPerHour: 0 };
  expect(priceOf(known, ofNodeGroup)).toBe('prod: 2 nodes, 0 pods, 12 pending, $1.0000/h for 1 of 2 nodes');
  expect(priceOf(known, { ...known, capacityType: 'reserved', usdPerHour: 0 })).not.toContain(' for ');
});

test('120 columns have the sums of what the pods request', () => {
  expect(linesOf(3, LARGE)[1]).toBe(
    'cpu ███████░░░░░░░░░░░░░  33% (8 of 24)  memory █████░░░░░░░░░░░░░░░  25% (24Gi of 96Gi)  by price, all NodePools',
  );
});

test('200 columns have why each node stays, and its NodePool', () => {
  const lines = linesOf(100, LARGE);
  expect(lines[4]).toMatch(/^NODE +NODEPOOL +CPU +MEMORY +TYPE +ZONE +CAPACITY +\$\/H +AGE {2}WHY IT STAYS OR GOES$/);
  expect(lines[5]).toMatch(/ general .* eu-west-1a .* needed by running pods$/);
  expect(lines).not.toContain('WHY NODES STAY OR GO');
});

test('lists below the nodes have the lines that nodes do not need', () => {
  const pending = Array.from({ length: 6 }, (_, at) => ({ count: 1, what: `pod-${at}`, why: 'waits' }));
  const shown = (count: number) =>
    frame(aTopState(count, { pending }), { ...VIEW, ...SMALL }).lines.filter((line) => / {2}pod-|other/.test(line));
  expect(shown(2)).toHaveLength(6);
  expect(shown(100)).toEqual(['   1  pod-0: waits', '   1  pod-1: waits', '   4  for other reasons']);
});

test('without rows, all nodes are in the frame, without keys', () => {
  const { lines } = frame(aTopState(2_000), { ...VIEW, columns: 80 });
  expect(lines.filter((line) => line.startsWith('ip-10-'))).toHaveLength(2_000);
  expect(lines.at(-1)).toContain('web ×12');
});

test('the first node is the dearest, the fullest, the oldest, or the first by name', () => {
  const firstBy = (sort: View['sort']) => linesOf(100, { sort })[5]?.split(' ')[0];
  expect([firstBy('price'), firstBy('used'), firstBy('age'), firstBy('name')]).toEqual([
    'ip-10-0-0-0',
    'ip-10-0-0-99',
    'ip-10-0-0-0',
    'ip-10-0-0-0',
  ]);
  const newest = { ...aTopNode(5, 100), name: 'new', sinceMs: undefined };
  const state = aTopState(100);
  const last = frame({ ...state, nodes: [newest, ...state.nodes] }, { ...VIEW, columns: 80, sort: 'age' }).lines;
  expect(last.findLastIndex((line) => /^(?:ip-|new )/.test(line))).toBe(
    last.findIndex((line) => line.startsWith('new ')),
  );
});

test('a filter shows the nodes of one NodePool, and its bars are theirs', () => {
  const lines = linesOf(3, { pool: 'batch' });
  expect(lines[1]).toContain('NodePool batch');
  expect(lines.filter((line) => line.startsWith('ip-'))).toHaveLength(1);
});

test('a failed read is named with the time of the last picture, and so is a pause', () => {
  expect(linesOf(3, { failure: 'the API server does not answer' })[2]).toBe(
    '2026-01-31T08:00:00Z, not read since: the API server does not answer',
  );
  expect(linesOf(3, { paused: true })[2]).toBe('2026-01-31T08:00:00Z  paused: space continues');
});

test('control characters of names do not reach the terminal', () => {
  const state = aTopState(1, { cluster: 'a\u001B[2J' });
  expect(frame(state, { ...VIEW, ...SMALL }).lines.join('')).not.toContain('\u001B');
});

const BOUNDS: Bounds = { pools: ['batch', 'general'], nodes: 100, page: 10 };

test.each([
  ['\u001B[B', { offset: 6 }],
  ['\u001B[A', { offset: 4 }],
  ['\u001B[6~', { offset: 15 }],
  ['\u001B[5~', { offset: 0 }],
  ['\u001B[F', { offset: 90 }],
  ['s', { sort: 'used', offset: 0 }],
  ['p', { pool: 'batch', offset: 0 }],
  [' ', { paused: true }],
  ['?', { help: true }],
  ['x', {}],
])('the key %j changes the view to %j', (key, change) => {
  const view: View = { ...VIEW, offset: 5 };
  expect(pressed(view, key, BOUNDS)).toEqual({ ...view, ...change });
});

test('p goes through all NodePools and back to all of them, s through all orders', () => {
  const times = (key: string, count: number): View => {
    let view = VIEW;
    for (let at = 0; at < count; at += 1) view = pressed(view, key, BOUNDS);
    return view;
  };
  expect(times('p', 2).pool).toBe('general');
  expect(times('p', 3).pool).toBeUndefined();
  expect(times('s', 3).sort).toBe('name');
  expect(times('s', 4).sort).toBe('price');
});
