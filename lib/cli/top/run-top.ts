import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { formatTime, MINUTE_MS } from '../../apis/formats/time.ts';
import { describeRecord } from '../../core/decisions/action-words.ts';
import { suggest } from '../../core/suggest.ts';
import { readSnapshot } from '../../snapshot/read-snapshot.ts';
import type { CliContext } from '../context.ts';
import { type History, openHistory } from '../decisions/history.ts';
import { EXIT } from '../exit-codes.ts';
import { asDecided } from '../plan/planned-snapshot.ts';
import { printable } from '../render/render-lines.ts';
import { connectedReader, type LiveReader, readLive } from '../snapshot/run-snapshot.ts';
import { frame, styledLines } from './frame.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import type { TopFlags } from './top-command.ts';
import { type TopState, topState } from './top-state.ts';
import type { View } from './view.ts';
import { watch } from './watch.ts';

/** A pipe has lines as long as they are. */
const PIPE_COLUMNS = Number.POSITIVE_INFINITY;

interface TopPorts {
  readonly terminal: () => Terminal | undefined;
  readonly connect: (flags: TopFlags) => Promise<LiveReader>;
  readonly openLog: (flags: TopFlags) => Promise<Pick<History, 'log' | 'cluster'>>;
}

const PORTS: TopPorts = { terminal: processTerminal, connect: connectedReader, openLog: historyOf };

/** Runs `kerf top`. *Errors:* BadInputError if the flags or the snapshot cannot be used; those of the API server. */
export async function runTop(context: CliContext, flags: TopFlags, ports: Partial<TopPorts> = {}): Promise<void> {
  const { terminal, connect, openLog } = { ...PORTS, ...ports };
  const { snapshot, once, output, sort, pool, every } = flags;
  checkSource(flags);
  const view: View = { sort, pool, offset: 0, paused: false, help: false };
  const source = snapshot === undefined ? await liveSource(flags, connect) : fileSource(context, snapshot);
  const latest = flags.table === undefined ? undefined : latestDecisions(await openLog(flags));
  // Standard input is read only once, and has no keys then.
  const isOnce = once || output === 'json' || snapshot === '-' || context.columns === undefined;
  const live = isOnce ? undefined : terminal();
  const read = async (): Promise<TopState> => {
    const { state: found, warnings } = await source();
    const state = latest === undefined ? found : { ...found, latest: await latest() };
    checkPool(state, pool);
    if (live === undefined) context.process.stderr.write(warnings.map((text) => `${printable(text)}\n`).join(''));
    return state;
  };
  if (live !== undefined) {
    context.process.exitCode = await watch(context, { terminal: live, read, everyMs: every * 1_000, view });
    return;
  }
  const state = await read();
  const { columns = PIPE_COLUMNS, color } = context;
  const lines =
    output === 'json' ? [JSON.stringify(state, null, 2)] : styledLines(frame(state, { ...view, columns }), color);
  context.process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  context.process.exitCode = EXIT.fine;
}

function checkSource({ snapshot, table, cluster, bucket, ...flags }: TopFlags): void {
  if ((table === undefined) !== (cluster === undefined))
    throw new BadInputError('the latest decisions need both: --table NAME and --cluster NAME');
  if (bucket !== undefined && table === undefined)
    throw new BadInputError('--bucket has records of the latest decisions: add --table NAME and --cluster NAME');
  const given = (['kubeconfig', 'context', 'region'] as const).find((name) => flags[name] !== undefined);
  if (snapshot !== undefined && given !== undefined)
    throw new BadInputError(`--snapshot is read in place of a cluster: leave out --${given}`);
}

function checkPool({ nodePools }: TopState, pool: string | undefined): void {
  if (pool === undefined || nodePools.includes(pool)) return;
  const nearest = suggest(pool, nodePools);
  const hint = nearest === undefined ? `it has ${counted(nodePools.length, 'NodePool')}` : `did you mean ${nearest}?`;
  throw new BadInputError(`--pool: the cluster has no NodePool ${pool}: ${hint}`);
}

async function historyOf(flags: TopFlags): Promise<Pick<History, 'log' | 'cluster'>> {
  return await openHistory({ ...flags, records: undefined });
}

/** *Shape:* a function that reads a line for each record of the last minutes. */
function latestDecisions({ log, cluster }: Pick<History, 'log' | 'cluster'>): () => Promise<readonly string[]> {
  return async () => {
    const untilMs = Date.now() + MINUTE_MS;
    const records = await log.list(cluster, { fromMs: untilMs - LATEST_MS, untilMs });
    return records.map(
      (record) => `${formatTime(record.atMs).slice(11, 19)}  ${record.function.padEnd(12)} ${describeRecord(record)}`,
    );
  };
}

const LATEST_MS = 15 * MINUTE_MS;

type Source = () => Promise<{ readonly state: TopState; readonly warnings: readonly string[] }>;

function fileSource(context: CliContext, path: string): Source {
  return async () => {
    const read = readSnapshot(context, { path, nowMs: Date.now() });
    return { state: topState(asDecided(read)), warnings: read.warnings };
  };
}

/** The client is kept, and the lists are read again. */
async function liveSource(flags: TopFlags, connect: TopPorts['connect']): Promise<Source> {
  const cluster = await connect(flags);
  return async () => {
    const { text, warnings } = await readLive(cluster, { ...flags, name: undefined });
    const read = readSnapshot({ readText: () => text }, { path: 'the cluster', nowMs: Date.now() });
    return {
      state: topState(asDecided(read)),
      warnings: [...warnings.map((warning) => `warning: ${warning}`), ...read.warnings],
    };
  };
}
