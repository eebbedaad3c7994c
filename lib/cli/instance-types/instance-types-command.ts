import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

export interface InstanceTypesFlags extends ManifestFlags {
  readonly region: string | undefined;
  readonly from: 'shipped' | 'account';
  readonly 'node-class': string | undefined;
  readonly name: readonly string[] | undefined;
}

/** `kerf instance-types`: what EC2 sells in a region, as an EC2NodeClass makes it. */
export const instanceTypesCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'List the instance types of a region as decisions see them',
    fullDescription: [
      'Shows what each type has, what is left of it for pods, its labels and where it is sold at what price, as the',
      'EC2NodeClass of a file (-f, or plain arguments) makes it; without one, as AL2023 with an untouched kubelet. The',
      'figures are those that come with Kerf, or with --from account those that AWS tells the account that one is signed in',
      'to: it reads and changes nothing. --output json is the instanceTypes list of a snapshot. Exit code 0: listed; 2: bad',
      'input; 3: failure.',
    ].join('\n'),
  },
  parameters: {
    ...MANIFEST_PARAMETERS,
    flags: {
      ...MANIFEST_PARAMETERS.flags,
      region: {
        kind: 'parsed',
        brief: "AWS region (default: us-east-1; with --from account the account's own)",
        parse: String,
        optional: true,
        placeholder: 'REGION',
      },
      from: {
        kind: 'enum',
        brief: 'The figures that come with Kerf, or those of an AWS account',
        values: ['shipped', 'account'],
        default: 'shipped',
      },
      'node-class': {
        kind: 'parsed',
        brief: 'The EC2NodeClass, where the files have several',
        parse: String,
        optional: true,
        placeholder: 'NAME',
      },
      name: {
        kind: 'parsed',
        brief: 'Only types of this name; * stands for any text',
        parse: String,
        variadic: true,
        optional: true,
        placeholder: 'TYPE',
      },
    },
  },
  loader: async () => {
    const { runInstanceTypes } = await import('./run-instance-types.ts');
    return async function (this: CliContext, flags: InstanceTypesFlags, ...more: string[]) {
      await runInstanceTypes(this, flags, more);
    };
  },
});
