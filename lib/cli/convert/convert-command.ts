import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

/** `kerf convert -f PATH…`: converts manifests of older Karpenter versions to v1, and workloads that use their names. */
export const convertCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Convert manifests of older Karpenter versions to v1',
    fullDescription: [
      'Prints Provisioners, AWSNodeTemplates and v1beta1 kinds as v1 NodePools and',
      'EC2NodeClasses, and workloads with current labels and annotations. Comments are',
      'kept where possible, and documents that need no change are printed unchanged.',
      'Changed meanings, assumed defaults and removed fields are reported on standard',
      'error. Exit code 0: everything was converted; 1: some text could not be read;',
      '2: nothing could be read.',
      '',
      'Examples:',
      '  kerf convert -f provisioners.yaml > v1.yaml',
      '  helm template charts/karpenter-pools | kerf convert -',
    ].join('\n'),
  },
  parameters: MANIFEST_PARAMETERS,
  loader: async () => {
    const { runConvert } = await import('./run-convert.ts');
    return function (this: CliContext, flags: ManifestFlags, ...more: string[]) {
      runConvert(this, flags, more);
    };
  },
});
