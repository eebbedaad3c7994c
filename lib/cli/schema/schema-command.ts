import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';

export interface SchemaFlags {
  readonly output: 'json';
}

/** `kerf schema [KIND]`: prints a JSON schema for editors. */
export const schemaCommand: Command<CliContext> = buildCommand<SchemaFlags, [string?], CliContext>({
  docs: {
    brief: 'Print the JSON schema of a kind, for editors and kubeconform',
    fullDescription: [
      'Prints the JSON schema of NodePool, NodeClaim, NodeOverlay, EC2NodeClass,',
      'CapacityBuffer or Scenario. Without KIND, the schema has all of them, and accepts',
      'any other kind. Editors with the YAML language server use it for a file whose',
      'first line is this comment:',
      '',
      '  # yaml-language-server: $schema=karpenter.schema.json',
      '',
      'The schema has fields, types and allowed values. kerf validate also checks the',
      'rules over several fields. Exit code 0: printed; 2: no such kind.',
      '',
      'Examples:',
      '  kerf schema > karpenter.schema.json',
      '  kerf schema NodePool > nodepool_v1.json',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Kind (default: all)', placeholder: 'KIND', parse: String, optional: true }],
    },
    flags: { output: { kind: 'enum', brief: 'A schema is always JSON', values: ['json'], default: 'json' } },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runSchema } = await import('./run-schema.ts');
    return function (this: CliContext, _: SchemaFlags, kind?: string) {
      runSchema(this, kind);
    };
  },
});
