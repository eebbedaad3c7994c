import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { optional } from '../../apis/optional.ts';
import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import { decideAgain, type ValueDifference, verdictDifferences } from '../../core/decisions/replay.ts';
import { type ReadSnapshot, readSnapshot } from '../../snapshot/read-snapshot.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { type ManifestObjects } from '../plan/manifest-objects.ts';
import { manifestsOf, withGiven } from '../plan/planned-snapshot.ts';
import { printable } from '../render/render-lines.ts';
import type { ReplayFlags } from './decisions-commands.ts';
import { type History, openHistory, recordNamed, recordsFrom, snapshotOf } from './history.ts';
import { showReplay } from './show-replay.ts';

/** A decision that was made again. */
interface Replayed {
  readonly record: DecisionRecord;
  readonly differences: readonly ValueDifference[];
}

/** Runs `kerf replay`. *Errors:* BadInputError if a decision or its snapshot is missing. */
export async function runReplay(context: CliContext, flags: ReplayFlags, name: string | undefined): Promise<void> {
  if (flags.web || flags.report !== undefined) {
    if (name !== undefined || flags.file !== undefined)
      throw new BadInputError('--web and --report show all that is recorded: leave out DECISION and -f');
    await showReplay(context, flags);
    return;
  }
  const paths = flags.file ?? [];
  const manifests = paths.length === 0 ? undefined : manifestsOf(context, { paths });
  if (paths.length > 0 && manifests === undefined) {
    context.process.exitCode = EXIT.badInput;
    return;
  }
  const history = await openHistory(flags, context);
  const records = name === undefined ? await storedRecords(history, flags) : [await recordNamed(history, flags, name)];
  const different: Replayed[] = [];
  for (const record of records) {
    const differences = await replay(history, record, manifests);
    if (differences.length > 0) different.push({ record, differences });
  }
  context.process.stdout.write(
    flags.output === 'json' ? json(records, different) : text(records, different, manifests !== undefined),
  );
  context.process.exitCode = different.length === 0 ? EXIT.fine : EXIT.findings;
}

async function storedRecords(history: History, flags: ReplayFlags): Promise<readonly DecisionRecord[]> {
  const all = await recordsFrom(history, flags, flags.since ?? { atMs: 0 });
  const stored = all.filter(({ snapshot }) => snapshot !== undefined);
  if (stored.length === 0)
    throw new BadInputError(`none of ${counted(all.length, 'record')} of cluster ${history.cluster} has a snapshot`);
  return stored;
}

async function replay(
  history: History,
  record: DecisionRecord,
  manifests: ManifestObjects | undefined,
): Promise<readonly ValueDifference[]> {
  const content = await snapshotOf(history, record);
  const read = readSnapshot({ readText: () => content }, { path: record.snapshot ?? '', nowMs: record.atMs });
  const { decided, nowMs } = read;
  if (decided === undefined || (decided.function !== 'provisioning' && decided.function !== 'disruption'))
    throw new BadInputError(`the snapshot of record ${record.id} has no decision: another program may have written it`);
  const { function: name, decisionId, refused, refusedTaints, taints, verdict } = decided;
  const snapshot = snapshotWith(read, manifests);
  return verdictDifferences(
    verdict,
    decideAgain({
      function: name,
      snapshot,
      context: { decisionId, nowMs, refused, taints, ...optional({ refusedTaints }) },
    }),
  );
}

/** Without manifests, the snapshot is not touched. */
function snapshotWith(read: ReadSnapshot, manifests: ManifestObjects | undefined): ReadSnapshot['snapshot'] {
  return manifests === undefined ? read.snapshot : withGiven(read, manifests).snapshot;
}

function json(records: readonly DecisionRecord[], different: readonly Replayed[]): string {
  const changed = different.map(({ record: { id }, differences }) => ({ id, differences }));
  return `${JSON.stringify({ formatVersion: 1, replayed: records.length, different: changed }, null, 2)}\n`;
}

/** The number of differences of one decision that are printed. */
const MAX_SHOWN = 20;

function text(records: readonly DecisionRecord[], different: readonly Replayed[], isChanged: boolean): string {
  const because = isChanged ? ' with these manifests' : '';
  const lines = different.flatMap(({ record, differences }) => [
    record.id,
    ...differences.slice(0, MAX_SHOWN).flatMap(differenceLines),
    ...(differences.length > MAX_SHOWN ? [`  and ${differences.length - MAX_SHOWN} more (--output json has all)`] : []),
  ]);
  const equal = records.length - different.length;
  return [
    ...lines,
    `${counted(records.length, 'decision')} replayed${because}: ${equal} equal, ${different.length} different`,
  ]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

function differenceLines({ path, before, after }: ValueDifference): readonly string[] {
  return [
    `  ${path}`,
    ...(before === undefined ? [] : [`    - ${valueText(before)}`]),
    ...(after === undefined ? [] : [`    + ${valueText(after)}`]),
  ];
}

const MAX_VALUE = 200;

function valueText(value: unknown): string {
  const whole = JSON.stringify(value);
  return whole.length > MAX_VALUE ? `${whole.slice(0, MAX_VALUE)}…` : whole;
}
