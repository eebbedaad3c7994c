import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

const VALIDATION_OUTPUTS = ['text', 'json', 'github', 'sarif'] as const;

export interface ValidateFlags extends Omit<ManifestFlags, 'output'> {
  readonly output: (typeof VALIDATION_OUTPUTS)[number];
  readonly strict: boolean;
}

/** `kerf validate -f PATH…`: checks without a cluster whether the API server and Karpenter accept manifests. */
export const validateCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Check Karpenter manifests without a cluster',
    fullDescription: [
      'Reads NodePools, EC2NodeClasses, NodeClaims, NodeOverlays and CapacityBuffers',
      'of any API version, and Scenarios of kerf simulate, from files, from folders and',
      'from standard input ("-").',
      'Reports what the API server and Karpenter would reject, and settings that are',
      'valid but probably unintended. If EC2NodeClasses are given, the class of each',
      'NodePool must be one of them. Exit code 0: all valid; 1: some are invalid or',
      'unreadable, or with --strict have warnings; 2: nothing could be read.',
      '',
      'Examples:',
      '  kerf validate -f nodepools.yaml',
      '  kerf validate charts/ --strict',
      '  kerf validate charts/ -o github',
      '  kerf validate charts/ -o sarif > kerf.sarif',
    ].join('\n'),
  },
  parameters: {
    ...MANIFEST_PARAMETERS,
    flags: {
      ...MANIFEST_PARAMETERS.flags,
      output: {
        kind: 'enum',
        brief: 'text, json, annotations of GitHub Actions, or SARIF',
        values: VALIDATION_OUTPUTS,
        default: 'text',
      },
      strict: {
        kind: 'boolean',
        brief: 'Exit with code 1 if there are warnings',
        default: false,
        withNegated: false,
      },
    },
  },
  loader: async () => {
    const { runValidate } = await import('./run-validate.ts');
    return function (this: CliContext, flags: ValidateFlags, ...more: string[]) {
      runValidate(this, flags, more);
    };
  },
});
