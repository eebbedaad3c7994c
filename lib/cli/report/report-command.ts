import { buildCommand, buildRouteMap, type Command, type RouteMap } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { HISTORY_FLAGS, type HistoryFlags, type Moment, sinceFlag } from '../decisions/history.ts';

export interface ShadowFlags extends HistoryFlags {
  readonly since: Moment | undefined;
  readonly output: 'markdown' | 'html' | 'json';
}

const shadowCommand: Command<CliContext> = buildCommand<ShadowFlags, [], CliContext>({
  docs: {
    brief: 'Compare what Karpenter ran with what Kerf would have run',
    fullDescription: [
      'For a cluster in shadow: what the other autoscaler ran and paid, and what Kerf',
      'would have run and paid. Each launch is compared with the decision of Kerf for',
      'the same pods. A look at the cluster is stored each hour while it is in shadow,',
      'for 14 days, and the plan of disruption is made for each. Writes Markdown, or',
      'one HTML page without script. Exit code 0: written; 2: bad input; 3: failure.',
      '',
      'Examples:',
      '  kerf report shadow --since 7d --table TABLE --bucket BUCKET --cluster demo',
      '  kerf report shadow --records DIR --output html > report.html',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...HISTORY_FLAGS,
      since: sinceFlag('7d; of a folder, all'),
      output: {
        kind: 'enum',
        brief: 'markdown, html or json',
        values: ['markdown', 'html', 'json'],
        default: 'markdown',
      },
    },
    aliases: { o: 'output' },
  },
  loader: async () => {
    const { runReportShadow } = await import('./run-report-shadow.ts');
    return async function (this: CliContext, flags: ShadowFlags) {
      await runReportShadow(this, flags);
    };
  },
});

/** `kerf report …`: reports for people who decide. */
export const reportRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { shadow: shadowCommand },
  docs: {
    brief: 'Write a report from the records of decisions',
    fullDescription: [
      'The records are those of a deployment, or of a simulation.',
      '',
      'Examples:',
      '  kerf report shadow --table TABLE --bucket BUCKET --cluster demo --since 7d',
      '  kerf report shadow --records DIR --output html > report.html',
    ].join('\n'),
  },
});
