import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, type HistoryFlags, type Moment, sinceFlag } from '../decisions/history.ts';
import { MANIFEST_PARAMETERS } from '../manifest-parameters.ts';

/** The keys by which the costs of instances are grouped. */
export const COST_KEYS = ['pool', 'zone', 'capacity-type', 'instance-type'] as const;
export type CostKey = (typeof COST_KEYS)[number];

/** What the rows are: instances by a key, or pods by their namespace or by a label. */
export type CostBy =
  | { readonly of: 'instances'; readonly key: CostKey }
  | { readonly of: 'pods'; readonly label?: string };

/** For the flag. *Errors:* SyntaxError. */
function parseCostBy(text: string): CostBy {
  const key = COST_KEYS.find((one) => one === text);
  if (key !== undefined) return { of: 'instances', key };
  if (text === 'namespace') return { of: 'pods' };
  const label = /^label=(.+)$/.exec(text)?.[1];
  if (label !== undefined) return { of: 'pods', label };
  throw new SyntaxError(`"${text}" is not a kind of row: write ${COST_KEYS.join(', ')}, namespace or label=KEY`);
}

export interface CostFlags extends HistoryFlags {
  readonly by: CostBy;
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
      'traffic, discounts, capacity reservations and the price of the control plane',
      'are not part of it.',
      'Instances that ran before --since count from then on. With --table, NodeClaims',
      'of the table show what runs now; with --records, the last record is the end.',
      'By namespace or label, the price of each hour goes to the pods by what they',
      'request: the mean of their shares of cpu and memory of their node. The setting',
      'usageLabels names the labels of which usage is kept.',
      'Exit code 0: shown; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf cost --table Kerf-Table --cluster demo --since 7d',
      '  kerf cost --records DIR --by instance-type',
      '  kerf cost --table Kerf-Table --cluster demo --by namespace --since 24h',
      '  kerf cost --table Kerf-Table --cluster demo --by label=team',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...HISTORY_FLAGS,
      by: {
        kind: 'parsed',
        brief: `What the rows are: ${COST_KEYS.join(', ')}, namespace, label=KEY`,
        parse: parseCostBy,
        default: 'pool',
        placeholder: 'KEY',
      },
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
