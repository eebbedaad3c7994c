import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, type HistoryFlags, type Moment, sinceFlag } from '../decisions/history.ts';
import { MANIFEST_PARAMETERS } from '../manifest-parameters.ts';

/** What the cost is told apart by. */
export const COST_KEYS = ['pool', 'zone', 'capacity-type', 'instance-type'] as const;
export type CostKey = (typeof COST_KEYS)[number];

export interface CostFlags extends HistoryFlags {
  readonly by: CostKey;
  readonly since: Moment | undefined;
  readonly output: 'text' | 'json';
}

/** `kerf cost`: what ran, for how long, at what price. */
export const costCommand: Command<CliContext> = buildCommand<CostFlags, [], CliContext>({
  docs: {
    brief: 'Show what ran, for how long, and what it cost',
    fullDescription: [
      'Adds up the instances of a cluster from the records of decisions: each from its',
      'launch to its termination, at the price that Kerf knew at its launch. Volumes,',
      'traffic, discounts and the price of the control plane are not part of it.',
      'Instances that ran before --since count from then on. With --table, NodeClaims',
      'of the table show what runs now; with --records, the last record is the end.',
      'Exit code 0: shown; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf cost --table Kerf-Table --cluster demo --since 7d',
      '  kerf cost --records DIR --by instance-type',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...HISTORY_FLAGS,
      by: { kind: 'enum', brief: 'What the rows are', values: COST_KEYS, default: 'pool' },
      since: sinceFlag('7d; of a folder, all'),
      output: MANIFEST_PARAMETERS.flags.output,
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runCost } = await import('./run-cost.ts');
    return async function (this: CliContext, flags: CostFlags) {
      await runCost(this, flags);
    };
  },
});
