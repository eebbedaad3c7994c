import { buildCommand, buildRouteMap, type Command, type FlagParametersForType, type RouteMap } from '@stricli/core';
import type { CliContext } from '../context.ts';

export interface DeadLettersFlags {
  readonly queue: string;
  readonly region: string | undefined;
  readonly output: 'text' | 'json';
}

interface ChangingFlags extends DeadLettersFlags {
  readonly all: boolean;
}

export type DeadLettersAction = 'list' | 'send' | 'delete';

const QUEUE = '"$QUEUE_URL"';

const OUTPUT = { o: 'output' } as const;

export const deadLettersRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: {
    list: listCommand(),
    send: changingCommand('send', {
      brief: 'Send the dead letters of a queue again',
      all: 'Also send messages whose event is over',
      text: 'Sends the messages to their queue again, except those whose event is over.',
    }),
    delete: changingCommand('delete', {
      brief: 'Delete the dead letters whose event is over',
      all: 'Also delete messages whose event is not over',
      text: 'Deletes the messages whose event is over.',
    }),
  },
  docs: {
    brief: 'Show, send again or delete messages that failed',
    fullDescription: [
      'A message that failed in every delivery is a dead letter. The queue is that of a',
      'function: an output of cdk deploy, such as InterruptionQueueUrl.',
      '',
      'Examples:',
      `  kerf dead-letters list --queue ${QUEUE}`,
      `  kerf dead-letters send --queue ${QUEUE}`,
    ].join('\n'),
  },
});

function listCommand(): Command<CliContext> {
  const text = 'Lists the messages that failed in every delivery, and whether their event is over.';
  return buildCommand({
    docs: docsOf('List the dead letters of a queue', {
      text,
      examples: [
        `  kerf dead-letters list --queue ${QUEUE}`,
        `  kerf dead-letters list --queue ${QUEUE} --output json`,
      ],
    }),
    parameters: { flags: sharedFlags(), aliases: OUTPUT },
    loader: async () => {
      const { runDeadLetters } = await import('./run-dead-letters.ts');
      return async function (this: CliContext, flags: DeadLettersFlags) {
        await runDeadLetters(this, { ...flags, all: false, action: 'list' });
      };
    },
  });
}

function changingCommand(
  action: 'send' | 'delete',
  { brief, all, text }: { readonly brief: string; readonly all: string; readonly text: string },
): Command<CliContext> {
  return buildCommand({
    docs: docsOf(brief, {
      text,
      examples: [
        `  kerf dead-letters ${action} --queue ${QUEUE}`,
        `  kerf dead-letters ${action} --queue ${QUEUE} --all`,
      ],
    }),
    parameters: {
      flags: { ...sharedFlags(), all: { kind: 'boolean', brief: all, default: false, withNegated: false } },
      aliases: OUTPUT,
    },
    loader: async () => {
      const { runDeadLetters } = await import('./run-dead-letters.ts');
      return async function (this: CliContext, flags: ChangingFlags) {
        await runDeadLetters(this, { ...flags, action });
      };
    },
  });
}

interface Described {
  readonly text: string;
  readonly examples: readonly string[];
}

function docsOf(brief: string, { text, examples }: Described): { brief: string; fullDescription: string } {
  const fullDescription = [
    text,
    'A wake is over after a minute, because a tick has replaced it. Uses the AWS',
    'credentials of the shell. See docs/operations.md. Exit code 0: done; 2: bad',
    'input; 3: failure, also of some messages.',
    '',
    'Examples:',
    ...examples,
  ].join('\n');
  return { brief, fullDescription };
}

function sharedFlags(): FlagParametersForType<DeadLettersFlags, CliContext> {
  return {
    queue: {
      kind: 'parsed',
      brief: 'Queue of a function: an output of cdk deploy, such as InterruptionQueueUrl',
      parse: String,
      placeholder: 'URL',
    },
    region: {
      kind: 'parsed',
      brief: 'AWS region (default: that of the queue)',
      parse: String,
      optional: true,
      placeholder: 'REGION',
    },
    output: { kind: 'enum', brief: 'Output format', values: ['text', 'json'], default: 'text' },
  };
}
