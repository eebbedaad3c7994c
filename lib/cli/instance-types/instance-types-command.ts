import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

export interface InstanceTypesFlags extends ManifestFlags {
  readonly region: string | undefined;
  readonly from: 'shipped' | 'account';
  readonly 'node-class': string | undefined;
  readonly name: readonly string[] | undefined;
}

/** `kerf instance-types`: lists the instance types of a region with the settings of an EC2NodeClass. */
export const instanceTypesCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'List instance types with their capacity and prices',
    fullDescription: [
      'Lists the capacity, allocatable resources, labels, zones and prices of each',
      'type with the settings of the EC2NodeClass of a file (-f, or plain arguments).',
      'Without a file, it uses AL2023 with the default kubelet settings. The figures',
      'are bundled with Kerf; with --from account they are read from the AWS account',
      'of the shell. The command changes nothing. --output json writes the',
      'instanceTypes list of a snapshot. Exit code 0: listed; 2: bad input; 3:',
      'failure.',
      '',
      'Examples:',
      "  kerf instance-types --name 'm7g.*' --region eu-west-1",
      '  kerf instance-types -f ec2nodeclass.yaml',
      '  kerf instance-types --from account -o json',
    ].join('\n'),
  },
  parameters: {
    ...MANIFEST_PARAMETERS,
    flags: {
      ...MANIFEST_PARAMETERS.flags,
      region: {
        kind: 'parsed',
        brief: 'AWS region (default: us-east-1; with --from account, that of the shell)',
        parse: String,
        optional: true,
        placeholder: 'REGION',
      },
      from: {
        kind: 'enum',
        brief: 'Use the bundled figures, or those of the AWS account',
        values: ['shipped', 'account'],
        default: 'shipped',
      },
      'node-class': {
        kind: 'parsed',
        brief: 'Name of the EC2NodeClass, if the files have several',
        parse: String,
        optional: true,
        placeholder: 'NAME',
      },
      name: {
        kind: 'parsed',
        brief: 'List only types with this name; * matches any text',
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
