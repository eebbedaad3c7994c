import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

export interface ConvertFlags extends ManifestFlags {
  readonly write: boolean;
  readonly strict: boolean;
}

/** `kerf convert -f PATH…`: converts manifests of older Karpenter versions to v1, and workloads that use their names. */
export const convertCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Convert manifests of older Karpenter versions to v1',
    fullDescription: [
      'Prints Provisioners, AWSNodeTemplates and v1beta1 kinds as v1 NodePools and',
      'EC2NodeClasses, and workloads with current labels and annotations. Comments are',
      'kept where possible, and documents that need no change are printed unchanged.',
      'With --write, the files are changed in place, and other files are not touched.',
      'Patches, and files of a folder that are not Kubernetes objects, are passed over.',
      'Changed meanings, assumed defaults and removed fields are reported on standard',
      'error. Exit code 0: everything was converted; 1: some text could not be read,',
      'or, with --strict, there are warnings; 2: nothing could be read.',
      '',
      'Examples:',
      '  kerf convert -f provisioners.yaml > v1.yaml',
      '  kerf convert clusters/ --write && git diff',
      '  helm template charts/karpenter-pools | kerf convert -',
    ].join('\n'),
  },
  parameters: {
    ...MANIFEST_PARAMETERS,
    flags: {
      ...MANIFEST_PARAMETERS.flags,
      write: {
        kind: 'boolean',
        brief: 'Write the converted text into each file, instead of printing it',
        default: false,
        withNegated: false,
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
    const { runConvert } = await import('./run-convert.ts');
    return function (this: CliContext, flags: ConvertFlags, ...more: string[]) {
      runConvert(this, flags, more);
    };
  },
});
