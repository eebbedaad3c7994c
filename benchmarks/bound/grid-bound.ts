import type { Vector } from '../../lib/core/scheduling/pools/resource-space.ts';
import type { Item } from './knapsack.ts';

/** The amounts of cpu and of memory of a node that are told apart. */
const MAX_CPU_STEPS = 2_000;
const MAX_MEMORY_STEPS = 3_000;

/**
 * An upper bound of the worth of the pods that fit in the room: their cpu and memory are rounded down to a grid, and other resources are
 * ignored. *Cost:* O(steps of cpu × steps of memory × items × log of their number). *Source:* dynamic programming for the knapsack.
 */
export function gridBound(items: readonly Item[], room: Vector): number {
  const [cpu = 0, memory = 0] = room;
  const cpuStep = stepOf(
    items.map(({ size }) => size[0] ?? 0),
    cpu,
    MAX_CPU_STEPS,
  );
  const memoryStep = stepOf(
    items.map(({ size }) => size[1] ?? 0),
    memory,
    MAX_MEMORY_STEPS,
  );
  const [rows, columns] = [Math.floor(cpu / cpuStep), Math.floor(memory / memoryStep)];
  const width = columns + 1;
  const best = new Float64Array((rows + 1) * width);
  for (const { size, count, worth } of items) {
    const [itemCpu = 0, itemMemory = 0] = size;
    if (worth <= 0 || itemCpu > cpu || itemMemory > memory) continue;
    const [down, right] = [Math.floor(itemCpu / cpuStep), Math.floor(itemMemory / memoryStep)];
    const most = Math.min(count, ...[cpu / itemCpu, memory / itemMemory].map(Math.floor));
    // 1, 2, 4 … pods and the rest, so that every number of pods is a sum of some of these.
    for (let left = most, times = 1; left > 0; left -= times, times *= 2) {
      const taken = Math.min(times, left);
      addItem(best, { width, rows, down: taken * down, right: taken * right, worth: taken * worth });
    }
  }
  return best.at(-1) ?? 0;
}

interface GridItem {
  readonly width: number;
  readonly rows: number;
  readonly down: number;
  readonly right: number;
  readonly worth: number;
}

/** Each state with the item, where this is worth more. From the largest state on, so that the item is taken once. */
function addItem(best: Float64Array, { width, rows, down, right, worth }: GridItem): void {
  for (let row = rows; row >= down; row -= 1) {
    const from = (row - down) * width - right;
    const start = row * width;
    for (let column = width - 1; column >= right; column -= 1) {
      const value = (best[from + column] ?? 0) + worth;
      if (value > (best[start + column] ?? 0)) best[start + column] = value;
    }
  }
}

/** The greatest common divisor of the amounts, or a larger step if the grid would have too many. */
function stepOf(amounts: readonly number[], room: number, maxSteps: number): number {
  const divisor = amounts.reduce((a, b) => gcd(a, b), 0) || room;
  return room / divisor <= maxSteps ? divisor : room / maxSteps;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
