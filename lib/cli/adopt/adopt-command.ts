import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';

export interface AdoptFlags {
  readonly cluster: string;
  readonly table: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** A list with commas. */
  readonly namespaces: string | undefined;
  readonly apply: boolean;
  readonly output: 'text' | 'json';
}

/** `kerf adopt`: adopts the NodeClaims and instances of Karpenter. */
export const adoptCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Adopt the NodeClaims and instances of Karpenter',
    fullDescription: [
      'Lists the NodeClaims and instances of a cluster, and whether Kerf adopts each',
      'of them or why not. With --apply it writes the records and adds missing tags to',
      'instances; without it, it writes nothing. It can be repeated. It refuses to',
      'write while Karpenter or EKS Auto Mode is active, or if it is not permitted to',
      'check this. It uses the AWS credentials of the shell, which need access to the',
      'cluster, or the user of a kubeconfig with --kubeconfig or --context. See',
      'docs/migration.md. Exit code 0: listed, or adopted; 1: another autoscaler is or',
      'may be active, and nothing was written; 2: bad input; 3: failure, also if only',
      'one instance could not be adopted.',
      '',
      'Examples:',
      '  kerf adopt --cluster prod --table Kerf-StateTable-1ABC',
      '  kerf adopt --cluster prod --table Kerf-StateTable-1ABC --apply',
    ].join('\n'),
  },
  parameters: {
    flags: {
      cluster: { kind: 'parsed', brief: 'Name of the EKS cluster', parse: String, placeholder: 'NAME' },
      table: {
        kind: 'parsed',
        brief: 'Table of the deployment: the output TableName of cdk deploy',
        parse: String,
        placeholder: 'TABLE',
      },
      region: {
        kind: 'parsed',
        brief: 'AWS region (default: that of the shell)',
        parse: String,
        optional: true,
        placeholder: 'REGION',
      },
      endpoint: {
        kind: 'parsed',
        brief: 'URL of the API server, if the endpoint that EKS returns is not reachable',
        parse: String,
        optional: true,
        placeholder: 'URL',
      },
      kubeconfig: {
        kind: 'parsed',
        brief: 'Connect to the cluster with this kubeconfig, as kubectl does',
        parse: String,
        optional: true,
        placeholder: 'FILE',
      },
      context: {
        kind: 'parsed',
        brief: 'Connect to the cluster with this context of a kubeconfig (default: the current one)',
        parse: String,
        optional: true,
        placeholder: 'NAME',
      },
      namespaces: {
        kind: 'parsed',
        brief: 'Namespaces in which Karpenter may run (default: kube-system,karpenter)',
        parse: String,
        optional: true,
        placeholder: 'LIST',
      },
      apply: { kind: 'boolean', brief: 'Write the records and tags', default: false, withNegated: false },
      output: { kind: 'enum', brief: 'Output format', values: ['text', 'json'], default: 'text' },
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runAdopt } = await import('./run-adopt.ts');
    return async function (this: CliContext, flags: AdoptFlags) {
      await runAdopt(this, flags);
    };
  },
});
