import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { PAGE_FLAGS } from '../live/page-flags.ts';
import { MANIFEST_PARAMETERS } from '../manifest-parameters.ts';
import { HISTORY_FLAGS, type HistoryFlags, type Moment, sinceFlag, textFlag } from './history.ts';

interface OutputFlags extends HistoryFlags {
  readonly output: 'text' | 'json';
}

export interface DecisionsFlags extends OutputFlags {
  readonly since: Moment | undefined;
  readonly pool: string | undefined;
  readonly reason: string | undefined;
  readonly pod: string | undefined;
  readonly node: string | undefined;
}

export type ShowFlags = OutputFlags;

export interface ReplayFlags extends OutputFlags {
  readonly since: Moment | undefined;
  readonly file: readonly string[] | undefined;
  readonly web: boolean;
  readonly report: string | undefined;
  readonly port: number | undefined;
}

const SOURCES = [
  'Records are read from a folder that kerf simulate --records has written, or from',
  'the table of a deployment (--table and --cluster, with the AWS credentials of the',
  'shell).',
];

/** `kerf decisions`: lists what the functions decided. */
export const decisionsCommand: Command<CliContext> = buildCommand<DecisionsFlags, [], CliContext>({
  docs: {
    brief: 'List what the functions decided and refused',
    fullDescription: [
      'Lists the records of decisions, oldest first: what woke the function, what it',
      'did, what it refused for the first time, and the cost an hour afterwards.',
      ...SOURCES,
      'Exit code 0: listed; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf decisions --table Kerf-Table --cluster demo --since 2h --pod shop/web-1',
      '  kerf decisions --records DIR --reason InsufficientResources',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...HISTORY_FLAGS,
      since: sinceFlag('24h'),
      pool: textFlag('Only decisions on this NodePool', 'NAME'),
      reason: textFlag('Only refusals and actions with this reason', 'NAME'),
      pod: textFlag('Only decisions on this pod: NAMESPACE/NAME or NAME', 'NAME'),
      node: textFlag('Only decisions on this node or NodeClaim', 'NAME'),
      output: MANIFEST_PARAMETERS.flags.output,
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runDecisions } = await import('./run-decisions.ts');
    return async function (this: CliContext, flags: DecisionsFlags) {
      await runDecisions(this, flags);
    };
  },
});

/** `kerf show DECISION`: shows one record, with what led to it and what followed. */
export const showCommand: Command<CliContext> = buildCommand<ShowFlags, [string], CliContext>({
  docs: {
    brief: 'Show one decision: actions, refusals, cost, causes and results',
    fullDescription: [
      'Shows the record of one decision, what led to it and what followed. DECISION is',
      'the id of the record, the part after its last -, or the id of the decision that',
      'a NodeClaim or an event has.',
      ...SOURCES,
      'Exit code 0: shown; 2: bad input, or no such record; 3: failure.',
      '',
      'Examples:',
      '  kerf show 3tahvb --table Kerf-Table --cluster demo',
      '  kerf show 3tahvb --records DIR --output json',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the decision', placeholder: 'DECISION', parse: String }],
    },
    flags: { ...HISTORY_FLAGS, output: MANIFEST_PARAMETERS.flags.output },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runShow } = await import('./run-show.ts');
    return async function (this: CliContext, flags: ShowFlags, name: string) {
      await runShow(this, flags, name);
    };
  },
});

/** `kerf replay [DECISION]`: decides again on the stored snapshot. */
export const replayCommand: Command<CliContext> = buildCommand<ReplayFlags, [string?], CliContext>({
  docs: {
    brief: 'Decide again on a stored snapshot, and compare',
    fullDescription: [
      'Loads the snapshot of a decision, decides again with the code of this version,',
      'and compares the result with the recorded one, value by value. Without DECISION,',
      'all decisions with a snapshot are replayed. With -f PATH, manifests are applied to',
      'the snapshot first, so that the difference is their effect.',
      '',
      '--web shows the recorded time as a page on 127.0.0.1 until Ctrl-C, with the nodes,',
      'the pending pods, the decisions with their reasons, and the cost; --report writes',
      'it as one file. Nothing is decided again then.',
      '',
      ...SOURCES,
      'Exit code 0: equal; 1: differences; 2: bad input, or no snapshot; 3: failure.',
      '',
      'Examples:',
      '  kerf replay 3tahvb --records DIR',
      '  kerf replay 3tahvb --records DIR -f nodepool.yaml',
      '  kerf replay --records DIR --web',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the decision', placeholder: 'DECISION', parse: String, optional: true }],
    },
    flags: {
      ...HISTORY_FLAGS,
      since: sinceFlag('all'),
      file: MANIFEST_PARAMETERS.flags.file,
      ...PAGE_FLAGS,
      output: MANIFEST_PARAMETERS.flags.output,
    },
    aliases: { o: 'output', f: 'file' },
  },
  loader: async () => {
    const { runReplay } = await import('./run-replay.ts');
    return async function (this: CliContext, flags: ReplayFlags, name?: string) {
      await runReplay(this, flags, name);
    };
  },
});
