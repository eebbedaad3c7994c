import { counted } from '../../apis/counted.ts';
import { formatSavings, formatUsdPerHour, formatUsdPerMonth } from '../render/format-money.ts';
import type { Difference } from './compare.ts';
import type { ChangedNode } from './outcome.ts';

/** A node in the difference: `-` it is removed, `+` it is launched, `~` it is not removed or launched any more. */
export interface NodeLine extends ChangedNode {
  readonly sign: '-' | '+' | '~';
  readonly name: string;
}

export function nodeLines({ removed, launched, kept, notLaunched }: Difference): readonly NodeLine[] {
  return [
    ...removed.map((one) => ({ ...one, sign: '-' as const, name: one.node ?? '' })),
    ...launched.map((one) => ({ ...one, sign: '+' as const, name: 'new node' })),
    ...kept.map((one) => ({ ...one, sign: '~' as const, name: `${one.node ?? ''} (stays)` })),
    ...notLaunched.map((one) => ({ ...one, sign: '~' as const, name: 'not launched' })),
  ];
}

/** The cost and the evictions before and after, in one sentence each. */
export function figureLines({ before, after }: Difference): readonly string[] {
  const saved = before.usdPerHour - after.usdPerHour;
  const change = formatSavings(saved);
  const aMonth = Math.abs(saved) < 0.00005 ? '' : `, ${formatUsdPerMonth(Math.abs(saved))}`;
  return [
    `Cost: ${formatUsdPerHour(before.usdPerHour)} before, ${formatUsdPerHour(after.usdPerHour)} after: ${change}${aMonth}.`,
    `Evictions: ${before.evictions} before, ${after.evictions} after.`,
    ...(after.waiting > 0 ? [`${waits(after.waiting)} (--ignore-budgets shows the end).`] : []),
  ];
}

function waits(nodes: number): string {
  return `${counted(nodes, 'node')} ${nodes === 1 ? 'waits' : 'wait'} for a disruption budget and may be removed later`;
}
