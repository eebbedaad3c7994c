import { buildCommand, buildRouteMap, type Command, type RouteMap } from '@stricli/core';
import type { CliContext } from '../context.ts';

export interface DeadLettersFlags {
  readonly queue: string;
  readonly region: string | undefined;
  readonly all: boolean;
  readonly output: 'text' | 'json';
}

export type DeadLettersAction = 'list' | 'send' | 'delete';

const DOCS: Readonly<
  Record<DeadLettersAction, { readonly brief: string; readonly all: string; readonly text: string }>
> = {
  list: {
    brief: 'List the dead letters of a queue',
    all: 'Without effect: all are listed',
    text: 'Lists the messages that failed in every delivery, and whether their event is over.',
  },
  send: {
    brief: 'Send the dead letters of a queue again',
    all: 'Also send messages whose event is over',
    text: 'Sends the messages to their queue again, except those whose event is over.',
  },
  delete: {
    brief: 'Delete the dead letters whose event is over',
    all: 'Also delete messages whose event is not over',
    text: 'Deletes the messages whose event is over.',
  },
};

export const deadLettersRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { list: command('list'), send: command('send'), delete: command('delete') },
  docs: { brief: 'Show, send again or delete messages that failed' },
});

function command(action: DeadLettersAction): Command<CliContext> {
  const { brief, all, text } = DOCS[action];
  return buildCommand({
    docs: {
      brief,
      fullDescription: [
        text,
        'A wake is over after a minute, because a tick has replaced it. Uses the AWS',
        'credentials of the shell. See docs/operations.md. Exit code 0: done; 2: bad',
        'input; 3: failure.',
      ].join('\n'),
      customUsage: ['--queue URL [FLAGS]'],
    },
    parameters: {
      flags: {
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
        all: { kind: 'boolean', brief: all, default: false, withNegated: false },
        output: { kind: 'enum', brief: 'Output format', values: ['text', 'json'], default: 'text' },
      },
    },
    loader: async () => {
      const { runDeadLetters } = await import('./run-dead-letters.ts');
      return async function (this: CliContext, flags: DeadLettersFlags) {
        await runDeadLetters(this, { ...flags, action });
      };
    },
  });
}
