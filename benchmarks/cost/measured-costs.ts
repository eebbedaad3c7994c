import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLLS_A_MINUTE } from './assumptions.ts';
import { fixedBill, totalOf } from './bill.ts';
import type { FixedParts } from './fixed-parts.ts';

/** The rows of the table of docs/operations.md that a deploy shows, by the beginning of their names. */
const ROWS = {
  noNodes: 'no nodes',
  tenNodes: '10 idle nodes',
  busy: '200 nodes, 500 launches',
  furtherCluster: 'each further cluster',
} as const;

const NOTHING: FixedParts = {
  pollsAMinute: 0,
  alarmMetrics: 0,
  secrets: 0,
  dashboardMetrics: 0,
  memoryMib: {},
  logsOnlyFailures: [],
};

/**
 * The measured costs of a deployment, as JSON. *Units:* USD a month. *Errors:* if the table of docs/operations.md has no row of
 * these names.
 */
export function measuredCosts(): string {
  const document = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const rows = [...document.matchAll(/^\| (.+?) \|.* \*\*([\d.]+)\*\* \|/gm)];
  const totals = Object.entries(ROWS).map(([key, name]) => {
    const total = rows.find(([, says = '']) => says.startsWith(name))?.[2];
    if (total === undefined) throw new Error(`docs/operations.md has no costs of "${name}"`);
    return [key, Number(total)] as const;
  });
  const priceOf = (part: Partial<FixedParts>): number => round(totalOf(fixedBill({ ...NOTHING, ...part })));
  return `${JSON.stringify(
    {
      note: 'USD a month in us-east-1, from docs/operations.md and benchmarks/cost; written by npm run generate',
      ...Object.fromEntries(totals),
      polledQueue: priceOf({ pollsAMinute: POLLS_A_MINUTE.reduced }),
      alarm: priceOf({ alarmMetrics: 1 }),
    },
    null,
    2,
  )}\n`;
}

function round(usd: number): number {
  return Number(usd.toFixed(4));
}
