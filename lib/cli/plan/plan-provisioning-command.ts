import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

export interface PlanProvisioningFlags extends ManifestFlags {
  readonly snapshot: string;
  readonly 'fail-on-unplaced': boolean;
}

/** `kerf plan provisioning --snapshot FILE`: which nodes provisioning would make for the pods of a snapshot. */
export const planProvisioningCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Show which nodes a snapshot of a cluster would get, and what they would cost',
    fullDescription: [
      'Reads a snapshot of a cluster (JSON) and shows what provisioning would do with it: new nodes, what lands where, and',
      'why a pod stays without a place. Manifests (-f, or plain arguments) are applied to the snapshot first: an object',
      'whose name is there takes its place, another is added; the pods of a workload are pending, and those that it had are',
      'gone. Exit code 0: planned; 1: some pod has no place, with --fail-on-unplaced; 2: bad input; 3: failure.',
    ].join('\n'),
  },
  parameters: {
    ...MANIFEST_PARAMETERS,
    flags: {
      ...MANIFEST_PARAMETERS.flags,
      snapshot: {
        kind: 'parsed',
        brief: 'The snapshot, a JSON file, or - for standard input',
        parse: String,
        placeholder: 'FILE',
      },
      'fail-on-unplaced': {
        kind: 'boolean',
        brief: 'End with exit code 1 where some pod has no place',
        default: false,
        withNegated: false,
      },
    },
  },
  loader: async () => {
    const { runPlanProvisioning } = await import('./run-plan-provisioning.ts');
    return function (this: CliContext, flags: PlanProvisioningFlags, ...more: string[]) {
      runPlanProvisioning(this, flags, more);
    };
  },
});
