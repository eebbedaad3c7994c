import { BadInputError } from '../../apis/bad-input-error.ts';
import { deploymentStatus, isHealthy } from '../../core/status/deployment-status.ts';
import type { StatusSource } from '../../ports/status-source.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { recordFiles } from '../decisions/record-files.ts';
import { EXIT } from '../exit-codes.ts';
import { userPath } from '../shell-context.ts';
import { prometheusText } from './prometheus.ts';
import { renderStatus, statusOutput } from './render-status.ts';
import type { StatusFlags } from './status-command.ts';

interface Opened {
  readonly source: StatusSource;
  readonly nowMs: number;
}

type Open = (flags: StatusFlags) => Promise<Opened>;

/** Runs `kerf status`. *Errors:* BadInputError if it is not clear what to read, or there is no cluster. */
export async function runStatus(context: CliContext, flags: StatusFlags, open: Open = opened): Promise<void> {
  const { source, nowMs } = await open(flags);
  const names = flags.cluster === undefined ? await source.clusters() : [flags.cluster];
  if (names.length === 0)
    throw new BadInputError(
      `no function of Kerf has run for a cluster in ${flags.records ?? flags.table ?? ''}: check the name, or wait two minutes after a deployment`,
    );
  const [facts, ...clusters] = await Promise.all([
    source.deployment(),
    ...names.map(async (name) => source.cluster(name)),
  ]);
  const status = deploymentStatus(clusters, facts, nowMs);
  const text = {
    text: () => renderStatus(status, context),
    json: () => `${JSON.stringify(statusOutput(status), null, 2)}\n`,
    prometheus: () => prometheusText(status),
  };
  context.process.stdout.write(text[flags.output]());
  context.process.exitCode = isHealthy(status) ? EXIT.fine : EXIT.findings;
}

async function opened(flags: StatusFlags): Promise<Opened> {
  const { records, table, region, profile } = flags;
  if ((records === undefined) === (table === undefined))
    throw new BadInputError('name what to read: --table NAME of a deployment, or --records DIR of a simulation');
  if (records !== undefined) return openedFolder(userPath(records));
  // Loaded only when it is needed, because the SDK loads slowly.
  const { wireStatus } = await import('../../operator/wiring/records/status.ts');
  const source = await checkingOptions(async () => await wireStatus({ table: table ?? '', region, profile }));
  return { source, nowMs: Date.now() };
}

/** The end of a simulation: its last record or mark is now. */
async function openedFolder(folder: string): Promise<Opened> {
  const { clusters, log } = recordFiles(folder);
  const marks = await Promise.all(clusters().map(async (name) => log.marks(name)));
  const lists = await Promise.all(clusters().map(async (name) => log.list(name, { fromMs: 0, untilMs: Infinity })));
  const nowMs = Math.max(0, ...[...marks.flat(), ...lists.flat()].map(({ atMs }) => atMs));
  return {
    nowMs,
    source: {
      clusters: async () => clusters(),
      cluster: async (cluster) => ({ cluster, marks: await log.marks(cluster) }),
      deployment: async () => ({
        unread: [
          'open decisions, dead letters and the age of prices: a folder of records has none of them (use --table)',
        ],
      }),
    },
  };
}
