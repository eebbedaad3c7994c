import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';
import { readSources } from '../read-sources.ts';
import { renderValidation } from './render-validation.ts';
import { validate } from './validation.ts';

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
  func: runValidate,
});

function runValidate(this: CliContext, { file = [], output }: ManifestFlags, ...more: string[]): void {
  const { sources, unreadable } = readSources(this, [...file, ...more]);
  const found = validate(sources);
  const all = { ...found, unreadable: [...unreadable.map((one) => ({ ...one, line: 1 })), ...found.unreadable] };
  const { objects } = all;
  const report = { objects, unreadable: all.unreadable };
  this.process.stdout.write(output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : renderValidation(all, this));
  const sound = all.unreadable.length === 0 && objects.every(({ valid }) => valid);
  this.process.exitCode = found.seen === 0 ? EXIT.badInput : sound ? EXIT.fine : EXIT.findings;
}
