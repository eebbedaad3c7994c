import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { PLAN_PARAMETERS, type PlanFlags } from '../plan/plan-parameters.ts';

export interface DiffFlags extends Omit<PlanFlags, 'output'> {
  readonly output: 'text' | 'json' | 'markdown';
  readonly 'ignore-budgets': boolean;
}

/** `kerf diff --snapshot FILE -f PATH`: shows what changed manifests change in the decisions of Kerf. */
export const diffCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Show what changed manifests would change: nodes, cost and evictions',
    fullDescription: [
      'Decides twice on a snapshot of a cluster (JSON), as it is and with manifests',
      '(-f, or plain arguments) applied to it, and shows the difference: nodes that',
      'would be removed (-) or launched (+), pods with another result (~), the cost and',
      'the evictions before and after. The commands are those that the disruption',
      'budgets allow now; with --ignore-budgets, all that the budgets allow in the end.',
      'Exit code 0: no difference; 1: differences; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf diff --snapshot cluster.json -f nodepool.yaml',
      '  kerf diff --snapshot cluster.json -f pools/ --ignore-budgets -o markdown',
    ].join('\n'),
  },
  parameters: {
    ...PLAN_PARAMETERS,
    flags: {
      ...PLAN_PARAMETERS.flags,
      output: { kind: 'enum', brief: 'text, json or markdown', values: ['text', 'json', 'markdown'], default: 'text' },
      'ignore-budgets': {
        kind: 'boolean',
        brief: 'Decide as if the disruption budgets allowed all nodes at once',
        default: false,
        withNegated: false,
      },
    },
  },
  loader: async () => {
    const { runDiff } = await import('./run-diff.ts');
    return function (this: CliContext, flags: DiffFlags, ...more: string[]) {
      runDiff(this, flags, more);
    };
  },
});
