import { buildCommand, type Command } from '@stricli/core';
import { BadInputError } from '../../apis/bad-input-error.ts';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, textFlag } from '../decisions/history.ts';
import { MANIFEST_PARAMETERS } from '../manifest-parameters.ts';
import { SORTS, type Sort } from './view.ts';

export interface TopFlags {
  readonly snapshot: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly region: string | undefined;
  readonly every: number;
  readonly table: string | undefined;
  readonly cluster: string | undefined;
  readonly bucket: string | undefined;
  readonly profile: string | undefined;
  readonly once: boolean;
  readonly sort: Sort;
  readonly pool: string | undefined;
  readonly output: 'text' | 'json';
}

/** `kerf top`: the nodes of a cluster, live in the terminal. */
export const topCommand: Command<CliContext> = buildCommand<TopFlags, [], CliContext>({
  docs: {
    brief: 'Show nodes, pending pods and the cost, live in the terminal',
    fullDescription: [
      'Reads a cluster with a kubeconfig, as kerf snapshot does, or a snapshot (JSON), and',
      'shows each node with what its pods request, type, zone, capacity type, price, age',
      'and why it stays, and the pending pods with their reasons. Reads again every',
      '--every seconds and changes nothing. The total price has no nodes without a price,',
      'such as those of managed node groups. With --table and --cluster, it also shows the',
      'latest decisions of a deployment, with the AWS credentials of the shell. Without',
      '--bucket, decisions whose records are above 50 kB are left out.',
      '',
      'Keys: arrows, PgUp and PgDn scroll, s sorts, p filters by NodePool, space pauses,',
      '? shows the keys, q quits. If standard output is not a terminal, all nodes are',
      'printed once. Exit code 0: shown; 2: bad input; 3: failure; 130: Ctrl-C.',
      '',
      'Examples:',
      '  kerf top --context prod',
      '  kerf top --context prod --table Kerf-Table --cluster prod',
      '  kerf top --snapshot cluster.json --once --sort used',
    ].join('\n'),
  },
  parameters: {
    flags: {
      snapshot: textFlag('Snapshot in place of a cluster: a JSON file, or - for standard input', 'FILE'),
      kubeconfig: textFlag('Kubeconfig (default: the files of KUBECONFIG, else ~/.kube/config)', 'FILE'),
      context: textFlag('Context of the kubeconfig (default: the current one)', 'NAME'),
      region: textFlag('AWS region (default: that of the nodes)', 'REGION'),
      every: {
        kind: 'parsed',
        brief: 'Seconds between reads (default: 10)',
        parse: seconds,
        default: '10',
        placeholder: 'SECONDS',
      },
      once: { kind: 'boolean', brief: 'Print all nodes once and exit', default: false, withNegated: false },
      sort: { kind: 'enum', brief: 'Order of the nodes', values: SORTS, default: 'price' },
      pool: textFlag('Only nodes of this NodePool', 'NAME'),
      table: textFlag('Table of a deployment (output TableName): its latest decisions', 'NAME'),
      cluster: textFlag('Name of the cluster in the table', 'NAME'),
      bucket: HISTORY_FLAGS.bucket,
      profile: HISTORY_FLAGS.profile,
      output: MANIFEST_PARAMETERS.flags.output,
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runTop } = await import('./run-top.ts');
    return async function (this: CliContext, flags: TopFlags) {
      await runTop(this, flags);
    };
  },
});

const DAY_SECONDS = 86_400;

/** *Errors:* BadInputError for what is not a number of seconds of at most a day. */
function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= DAY_SECONDS) return value;
  throw new BadInputError(`"${text}" is not a number of seconds: write a whole number from 1 to ${DAY_SECONDS}`);
}
