import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, type HistoryFlags, type Moment, parseMoment } from '../decisions/history.ts';

export interface SnapshotFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly name: string | undefined;
  readonly region: string | undefined;
  readonly output: 'json';
}

interface Flags extends SnapshotFlags, HistoryFlags {
  readonly region: string | undefined;
  readonly at: Moment | undefined;
}

/** `kerf snapshot`: writes a snapshot of a live cluster, or one that a deployment has stored. */
export const snapshotCommand: Command<CliContext> = buildCommand<Flags, [], CliContext>({
  docs: {
    brief: 'Write a snapshot of a cluster, now or at a time, for plan, why and diff',
    fullDescription: [
      'Reads a cluster with a kubeconfig, as kubectl does, and writes a snapshot (JSON)',
      'to standard output: NodePools, EC2NodeClasses, NodeClaims, nodes, pods,',
      'DaemonSets, PodDisruptionBudgets, LimitRanges and volumes. It changes nothing,',
      'and the cluster may run Karpenter or Kerf. Instance types and prices are those',
      'that are shipped with Kerf, in the zones of the status of each EC2NodeClass. User',
      'data, environment variables and arguments are left out. With --at, the last',
      'snapshot that a deployment has stored until then is written instead (--table,',
      '--bucket and --cluster; or --records DIR of a simulation). Exit code 0: written;',
      '2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf snapshot --context prod > cluster.json',
      '  kerf snapshot | kerf plan provisioning --snapshot -',
      '  kerf snapshot --at 2h --table TABLE --bucket BUCKET --cluster demo > then.json',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...HISTORY_FLAGS,
      at: {
        kind: 'parsed',
        brief: 'Write the stored snapshot of this time: 2h, 7d (before now) or 2026-01-31T08:00:00Z',
        parse: parseMoment,
        optional: true,
        placeholder: 'TIME',
      },
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
    const [{ runSnapshot }, { runStoredSnapshot }] = await Promise.all([
      import('./run-snapshot.ts'),
      import('./run-stored-snapshot.ts'),
    ]);
    return async function (this: CliContext, flags: Flags) {
      const { at } = flags;
      if (at === undefined) await runSnapshot(this, flags);
      else await runStoredSnapshot(this, { ...flags, at });
    };
  },
});
