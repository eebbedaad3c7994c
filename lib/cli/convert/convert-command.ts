import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

/** `kerf convert -f PATH…`: manifests for Karpenter before v1, and the workloads beside them, as they are written today. */
export const convertCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Rewrite manifests for Karpenter before v1',
    fullDescription: [
      'Prints Provisioners, AWSNodeTemplates and the v1beta1 kinds as NodePools and EC2NodeClasses of v1, and workloads with',
      "today's labels and annotations; comments stay where they can, and what needs no change is printed as it was.",
      'What had to change its meaning, was taken for granted or has no place any more is said on standard error.',
      'Exit code 0: all converted; 1: some text cannot be read; 2: nothing could be read.',
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
