import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';

export interface AdoptFlags {
  readonly cluster: string;
  readonly table: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly apply: boolean;
  readonly output: 'text' | 'json';
}

/** `kerf adopt`: takes over the NodeClaims and instances that Karpenter left. */
export const adoptCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Take over the NodeClaims and instances that Karpenter left',
    fullDescription: [
      'Shows each NodeClaim and instance of a cluster, and whether Kerf takes it over or why not. Nothing is written without',
      '--apply, which makes the records and adds the tags that instances lack; it can be repeated. Refused while Karpenter or',
      'EKS Auto Mode is active, or may not be looked for. It acts with the AWS credentials of the shell, which the cluster must',
      'let in, or as the user of a kubeconfig where --kubeconfig or --context is given. docs/migration.md has the whole way.',
      'Exit code 0: shown, or taken over; 1: another autoscaler is active or may be, and nothing was written; 2: bad input;',
      '3: failure.',
    ].join('\n'),
  },
  parameters: {
    flags: {
      cluster: { kind: 'parsed', brief: 'The EKS cluster', parse: String, placeholder: 'NAME' },
      table: {
        kind: 'parsed',
        brief: "The deployment's table: the output TableName of cdk deploy",
        parse: String,
        placeholder: 'TABLE',
      },
      region: {
        kind: 'parsed',
        brief: "AWS region (default: the shell's)",
        parse: String,
        optional: true,
        placeholder: 'REGION',
      },
      endpoint: {
        kind: 'parsed',
        brief: 'The API server, where the address that EKS gives is not reached from here',
        parse: String,
        optional: true,
        placeholder: 'URL',
      },
      kubeconfig: {
        kind: 'parsed',
        brief: 'Reach the cluster by this kubeconfig, as kubectl does',
        parse: String,
        optional: true,
        placeholder: 'FILE',
      },
      context: {
        kind: 'parsed',
        brief: 'Reach the cluster by this context of a kubeconfig (default: the current one)',
        parse: String,
        optional: true,
        placeholder: 'NAME',
      },
      apply: { kind: 'boolean', brief: 'Write it', default: false, withNegated: false },
      output: { kind: 'enum', brief: 'Output format', values: ['text', 'json'], default: 'text' },
    },
  },
  loader: async () => {
    const { runAdopt } = await import('./run-adopt.ts');
    return async function (this: CliContext, flags: AdoptFlags) {
      await runAdopt(this, flags);
    };
  },
});
