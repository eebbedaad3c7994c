import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../../context.ts';
import { PLAN_PARAMETERS, type PlanFlags } from '../plan-parameters.ts';

/** `kerf plan disruption --snapshot FILE`: shows the nodes that disruption would remove and replace. */
export const planDisruptionCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Show the nodes that disruption would remove or replace, and what it saves',
    fullDescription: [
      'Reads a snapshot of a cluster (JSON) and shows the decision of disruption: the',
      'nodes that would be removed, the nodes that would replace them, what it saves,',
      'and why the other nodes stay. The commands are those that the disruption',
      'budgets allow now. Manifests (-f, or plain arguments) are applied to the',
      'snapshot first, for example an edited NodePool: an object replaces one of the',
      'same name, or is added. Pods, workloads and PodDisruptionBudgets come from the',
      'snapshot only. Exit code 0: planned; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf plan disruption --snapshot cluster.json',
      '  kerf plan disruption --snapshot cluster.json -f nodepool.yaml -o json',
    ].join('\n'),
  },
  parameters: PLAN_PARAMETERS,
  loader: async () => {
    const { runPlanDisruption } = await import('./run-plan-disruption.ts');
    return function (this: CliContext, flags: PlanFlags, ...more: string[]) {
      runPlanDisruption(this, flags, more);
    };
  },
});
