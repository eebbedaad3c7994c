import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

/** `kerf validate -f PATH…`: whether the API server and Karpenter would accept these manifests, without a cluster. */
export const validateCommand: Command<CliContext> = buildCommand({
  docs: {
    brief: 'Check Karpenter manifests without a cluster',
    fullDescription: [
      'Reads NodePools, EC2NodeClasses, NodeClaims, NodeOverlays and CapacityBuffers of any API version from files, from',
      'folders and from standard input ("-"), and says of each what the API server and Karpenter would refuse and what is',
      'legal but surely not meant. Exit code 0: all valid; 1: some are not, or cannot be read; 2: nothing could be read.',
    ].join('\n'),
  },
  parameters: MANIFEST_PARAMETERS,
  loader: async () => {
    const { runValidate } = await import('./run-validate.ts');
    return function (this: CliContext, flags: ManifestFlags, ...more: string[]) {
      runValidate(this, flags, more);
    };
  },
});
