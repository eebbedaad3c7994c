import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';
import { PLAN_PARAMETERS } from './plan-parameters.ts';

export interface PlanProvisioningFlags extends ManifestFlags {
  readonly snapshot: string | undefined;
  readonly region: string | undefined;
  readonly 'fail-on-pending': boolean;
}

/** `kerf plan provisioning`: shows the nodes that provisioning would launch for the pods of a snapshot or of manifests. */
export const planProvisioningCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Show the nodes that provisioning would launch, and their cost',
    fullDescription: [
      'Reads a snapshot of a cluster (JSON) and shows the decision of provisioning:',
      'new nodes, the pods on new and existing nodes, and the reasons for',
      'unschedulable pods. Manifests (-f, or plain arguments) are applied to the',
      'snapshot first: an object replaces one of the same name, or is added; the pods',
      'of a workload are pending and replace its pods in the snapshot; a bound',
      'PersistentVolumeClaim keeps its volume. Without --snapshot, the manifests are',
      'planned on a cluster without nodes, and NodePools with spec.replicas get their',
      'nodes, as with the setting featureGates.staticCapacity; a snapshot says whether',
      'it is on in options.staticCapacity. Exit code 0: planned; 1: some pods are',
      'unschedulable, with --fail-on-pending; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf plan provisioning nodepool.yaml deployment.yaml',
      '  kerf plan provisioning --snapshot cluster.json',
      '  kerf plan provisioning --snapshot cluster.json -f nodepool.yaml',
      '  kerf snapshot | kerf plan provisioning --snapshot - --fail-on-pending',
    ].join('\n'),
  },
  parameters: {
    ...MANIFEST_PARAMETERS,
    flags: {
      ...MANIFEST_PARAMETERS.flags,
      snapshot: {
        ...PLAN_PARAMETERS.flags.snapshot,
        brief: 'Snapshot: a JSON file, or - for standard input (default: a cluster without nodes)',
        optional: true,
      },
      region: {
        kind: 'parsed',
        brief: 'AWS region without a snapshot, if no NodePool names a zone',
        parse: String,
        optional: true,
        placeholder: 'REGION',
      },
      'fail-on-pending': {
        kind: 'boolean',
        brief: 'Exit with code 1 if some pods are unschedulable',
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
