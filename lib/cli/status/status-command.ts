import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, type HistoryFlags, textFlag } from '../decisions/history.ts';

export interface StatusFlags extends Omit<HistoryFlags, 'bucket'> {
  readonly output: 'text' | 'json' | 'prometheus';
}

const { records, table, profile, region } = HISTORY_FLAGS;

/** `kerf status`: whether Kerf is alive. */
export const statusCommand: Command<CliContext> = buildCommand<StatusFlags, [], CliContext>({
  docs: {
    brief: 'Show whether Kerf is alive, and what is wrong',
    fullDescription: [
      'Shows for each cluster when each function last ran and what it fails to do, whether Kerf is on standby',
      'or in shadow, open decisions, the webhook and open problems; and for the',
      'deployment its dead letters and the age of the prices. Without --cluster, it scans',
      'the table for the clusters, and only names those that were removed from the',
      'deployment. --output prometheus writes metrics that can be scraped',
      '(docs/signals.md). With --records, it shows the end of a simulation.',
      'Exit code 0: healthy, as far as it was read; 1: something is wrong; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf status --table Kerf-Table --cluster demo',
      '  kerf status --table Kerf-Table --output prometheus',
    ].join('\n'),
  },
  parameters: {
    flags: {
      records,
      table,
      cluster: textFlag('Only this cluster (default: all)', 'NAME'),
      profile,
      region,
      output: { kind: 'enum', brief: 'Output format', values: ['text', 'json', 'prometheus'], default: 'text' },
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runStatus } = await import('./run-status.ts');
    return async function (this: CliContext, flags: StatusFlags) {
      await runStatus(this, flags);
    };
  },
});
