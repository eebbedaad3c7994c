import { BadInputError } from '../../apis/bad-input-error.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { withDriftFromPools } from '../plan/disruption/drift-from-pools.ts';
import { IGNORED_BY_DISRUPTION } from '../plan/disruption/run-plan-disruption.ts';
import { asDecided, manifestsOf, readBefore, withGiven } from '../plan/planned-snapshot.ts';
import { printable } from '../render/render-lines.ts';
import { compare, isDifferent } from './compare.ts';
import type { DiffFlags } from './diff-command.ts';
import { withOpenBudgets } from './open-budgets.ts';
import { type Decided, outcomeOf } from './outcome.ts';
import { renderDifference } from './render-diff.ts';
import { differenceMarkdown } from './render-markdown.ts';

/** Runs `kerf diff`. *Errors:* BadInputError without manifests. */
export function runDiff(context: CliContext, flags: DiffFlags, more: readonly string[]): void {
  const decided = readBoth(context, flags, [...(flags.file ?? []), ...more]);
  if (decided === undefined) {
    context.process.exitCode = EXIT.badInput;
    return;
  }
  const difference = compare(outcomeOf(decided.before), outcomeOf(decided.after));
  const isChanged = isDifferent(difference);
  const output = {
    json: () => `${JSON.stringify({ changed: isChanged, ...difference, notes: decided.notes }, null, 2)}\n`,
    markdown: () => differenceMarkdown(difference),
    text: () => renderDifference(difference, context),
  }[flags.output];
  context.process.stdout.write(output());
  context.process.exitCode = isChanged ? EXIT.findings : EXIT.fine;
}

interface Both {
  readonly before: Decided;
  readonly after: Decided;
  readonly notes: readonly string[];
}

/** Each file is read once, so that one of them may be standard input. *Shape:* undefined if the manifests have problems. */
function readBoth(context: CliContext, flags: DiffFlags, paths: readonly string[]): Both | undefined {
  if (paths.length === 0)
    throw new BadInputError('a difference needs changed manifests: add -f PATH, for example -f nodepool.yaml');
  const read = readBefore(context, flags.snapshot, paths);
  const { stderr } = context.process;
  const manifests = manifestsOf(context, { paths });
  if (manifests === undefined) return undefined;
  const { nowMs } = read;
  const objects = manifests.objects.filter(({ kind }) => !IGNORED_BY_DISRUPTION.has(kind));
  const given = withGiven(read, manifests);
  const ofDisruption = withGiven(read, { ...manifests, objects });
  const drifted = withDriftFromPools(ofDisruption.snapshot, given.givenPools, nowMs);
  const opened = (snapshot: ClusterSnapshot): ClusterSnapshot =>
    flags['ignore-budgets'] ? withOpenBudgets(snapshot) : snapshot;
  const now = asDecided(read).snapshot;
  stderr.write(given.notes.map((note) => `${printable(note)}\n`).join(''));
  return {
    before: { provisioning: now, disruption: opened(now), nowMs },
    after: { provisioning: given.snapshot, disruption: opened(drifted), nowMs },
    notes: given.notes,
  };
}
