import { expect, test } from 'vitest';
import { progressLine } from '../../../lib/cli/simulate/progress-line.ts';

const CLEAR = '\r\u001B[2K';
const HALF = {
  atSeconds: 45_030,
  durationSeconds: 86_400,
  nodes: 14,
  nodesLaunched: 20,
  nodesEnded: 6,
  podsRunning: 240,
  podsPending: 3,
  usdPerHour: 0.5,
  costUsd: 8.214,
};

function aLine(columns: number) {
  const terminal = { written: '', nowMs: 0 };
  const line = progressLine({
    write: (text) => void (terminal.written += text),
    columns,
    nowMs: () => terminal.nowMs,
  });
  return { terminal, line };
}

test('shows the simulated time, its share, nodes, pods and the cost in one line', () => {
  const { terminal, line } = aLine(120);
  terminal.nowMs = 1_000;
  line.show(() => HALF);
  expect(terminal.written).toBe(`${CLEAR}12h30m of 24h (52 %)  14 nodes  240 pods running, 3 pending  $8.21`);
});

test('is not shown in the first second, and then at most every 200 ms', () => {
  const { terminal, line } = aLine(120);
  let asked = 0;
  const progress = () => {
    asked += 1;
    return HALF;
  };
  for (terminal.nowMs = 0; terminal.nowMs < 2_000; terminal.nowMs += 10) line.show(progress);
  expect(asked).toBe(5);
});

test('fits the terminal, and is removed before other text', () => {
  const { terminal, line } = aLine(20);
  line.clear();
  expect(terminal.written).toBe('');
  terminal.nowMs = 1_000;
  line.show(() => HALF);
  line.clear();
  line.clear();
  expect(terminal.written).toBe(`${CLEAR}12h30m of 24h (52 %${CLEAR}`);
});
