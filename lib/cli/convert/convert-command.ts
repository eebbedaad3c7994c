import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';
import { readSources } from '../read-sources.ts';
import { type ConversionOutput, convertSources } from './conversion-output.ts';

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
  func: runConvert,
});

function runConvert(this: CliContext, { file = [], output }: ManifestFlags, ...more: string[]): void {
  const { sources, unreadable } = readSources(this, [...file, ...more]);
  const found = convertSources(sources);
  const all = { ...found, unreadable: [...unreadable.map((one) => ({ ...one, line: 1 })), ...found.unreadable] };
  const { objects, warnings } = all;
  this.process.stderr.write(notesOf(all));
  this.process.stdout.write(
    output === 'json' ? `${JSON.stringify({ objects, warnings, unreadable: all.unreadable }, null, 2)}\n` : all.yaml,
  );
  const read = objects.length > 0;
  this.process.exitCode = !read ? EXIT.badInput : all.unreadable.length > 0 ? EXIT.findings : EXIT.fine;
}

function notesOf({ warnings, unreadable, converted, objects }: ConversionOutput): string {
  const lines = [
    ...unreadable.map(({ file, line, message }) => `${file}:${line}  error  ${message}`),
    ...warnings.map(({ file, line, path, message, fix }) => {
      const what = path === '' ? message : `${path}: ${message}`;
      return `${file}:${line}  warning  ${what}\n    → ${fix}`;
    }),
    `${converted} of ${objects.length} ${objects.length === 1 ? 'document' : 'documents'} converted`,
  ];
  return `${lines.join('\n')}\n`;
}
