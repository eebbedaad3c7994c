import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';

export interface SnapshotFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly name: string | undefined;
  readonly region: string | undefined;
  readonly output: 'json';
}

/** `kerf snapshot`: writes a snapshot of a live cluster. */
export const snapshotCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Write a snapshot of a live cluster, for plan, why and diff',
    fullDescription: [
      'Reads a cluster with a kubeconfig, as kubectl does, and writes a snapshot (JSON)',
      'to standard output: NodePools, EC2NodeClasses, NodeClaims, nodes, pods,',
      'DaemonSets, PodDisruptionBudgets and volumes. It changes nothing, and the',
      'cluster may run Karpenter or Kerf. Instance types and prices are those that are',
      'shipped with Kerf, in the zones of the status of each EC2NodeClass. User data,',
      'environment variables and arguments are left out. Exit code 0: written; 2: bad',
      'input; 3: failure.',
      '',
      'Examples:',
      '  kerf snapshot --context prod > cluster.json',
      '  kerf snapshot | kerf plan provisioning --snapshot -',
    ].join('\n'),
  },
  parameters: {
    flags: {
      kubeconfig: {
        kind: 'parsed',
        brief: 'Kubeconfig (default: the files of KUBECONFIG, else ~/.kube/config)',
        parse: String,
        optional: true,
        placeholder: 'FILE',
      },
      context: {
        kind: 'parsed',
        brief: 'Context of the kubeconfig (default: the current one)',
        parse: String,
        optional: true,
        placeholder: 'NAME',
      },
      name: {
        kind: 'parsed',
        brief: 'Name of the cluster in the snapshot (default: that of the context)',
        parse: String,
        optional: true,
        placeholder: 'NAME',
      },
      region: {
        kind: 'parsed',
        brief: 'AWS region (default: that of the nodes)',
        parse: String,
        optional: true,
        placeholder: 'REGION',
      },
      output: { kind: 'enum', brief: 'A snapshot is always JSON', values: ['json'], default: 'json' },
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runSnapshot } = await import('./run-snapshot.ts');
    return async function (this: CliContext, flags: SnapshotFlags) {
      await runSnapshot(this, flags);
    };
  },
});
