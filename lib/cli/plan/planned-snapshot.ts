import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { applyOverlays } from '../../core/instance-type/overlays/overlays.ts';
import type { ClusterSnapshot, NodePoolView } from '../../core/model/cluster-snapshot.ts';
import { bufferPods } from '../../core/provisioning/buffer-pods.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { type ReadSnapshot, readSnapshot } from '../../snapshot/read-snapshot.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { ManifestFlags } from '../manifest-parameters.ts';
import { readAllSources } from '../read-sources.ts';
import { emptyCluster } from './empty-cluster.ts';
import { pastPodNotes } from './ignored-pods.ts';
import { type IgnoredKinds, type ManifestObjects, readManifestObjects } from './manifest-objects.ts';
import { withManifests } from './overlay-manifests.ts';

export interface PlanInput {
  /** Without a snapshot, the manifests are the whole cluster, in this region. */
  readonly flags: ManifestFlags & { readonly snapshot: string | undefined; readonly region?: string | undefined };
  /** The plain arguments, which are manifests too. */
  readonly more: readonly string[];
  /** Kinds of manifests that have no effect on this plan, with notes. @default all kinds that a plan reads have an effect */
  readonly ignored?: IgnoredKinds;
}

/** A snapshot in the form in which the functions decide on it. */
export interface PlannedSnapshot {
  readonly snapshot: ClusterSnapshot;
  readonly nowMs: number;
  /** The names of the NodePools that manifests add or replace. */
  readonly givenPools: ReadonlySet<string>;
  /** Notes on objects without an effect: for stderr, and for the plan as JSON. */
  readonly notes: readonly string[];
}

/**
 * Reads the snapshot and the manifests of a plan, and writes warnings and problems to stderr. *Shape:* undefined if the manifests
 * have problems; the exit code is set then. *Errors:* BadInputError if the snapshot or a file cannot be read.
 */
export function readPlanned(context: CliContext, { flags, more, ignored }: PlanInput): PlannedSnapshot | undefined {
  const paths = [...(flags.file ?? []), ...more];
  if (flags.snapshot === undefined) return planOfManifests(context, { paths, region: flags.region });
  if (flags.region !== undefined)
    throw new BadInputError('--region is for manifests without a snapshot, which names its own: leave out --region');
  const read = readBefore(context, flags.snapshot, paths);
  if (paths.length === 0) return { ...asDecided(read), givenPools: new Set() };
  const manifests = manifestsOf(context, { paths, ignored });
  if (manifests === undefined) {
    context.process.exitCode = EXIT.badInput;
    return undefined;
  }
  return withGiven(read, manifests);
}

interface PlannedManifests {
  readonly paths: readonly string[];
  readonly region: string | undefined;
}

/** The same for manifests alone: a cluster without nodes. *Errors:* BadInputError, also without manifests. */
function planOfManifests(context: CliContext, { paths, region }: PlannedManifests): PlannedSnapshot | undefined {
  if (paths.length === 0)
    throw new BadInputError(
      'nothing to plan: name manifests with a NodePool and workloads, or a snapshot of a cluster with --snapshot FILE (kerf snapshot writes one)',
    );
  const manifests = manifestsOf(context, { paths, isWholeCluster: true });
  if (manifests === undefined) {
    context.process.exitCode = EXIT.badInput;
    return undefined;
  }
  const { read, gaps } = emptyCluster(manifests, region);
  const planned = withGiven(read, manifests);
  return { ...planned, notes: [...gaps, ...planned.notes] };
}

/** Reads the snapshot, and writes warnings to stderr. *Errors:* BadInputError, also if manifests are to come from standard input too. */
export function readBefore(context: CliContext, path: string, manifests: readonly string[]): ReadSnapshot {
  if (path === '-' && manifests.includes('-'))
    throw new BadInputError(
      'the snapshot and the manifests both come from standard input: write one of them to a file',
    );
  const read = readSnapshot(context, { path, nowMs: Date.now() });
  context.process.stderr.write(read.warnings.map((warning) => `${warning}\n`).join(''));
  return read;
}

/** The snapshot with manifests applied to it. */
export function withGiven(read: ReadSnapshot, manifests: ManifestObjects): PlannedSnapshot {
  const pools = manifests.objects.flatMap(({ kind, object }) => (kind === 'NodePool' ? [object.metadata.name] : []));
  const { applied, assumptions } = withManifests(read, manifests);
  const planned = asDecided(applied);
  const given = manifests.objects.flatMap((one) => (one.kind === 'Pod' ? [one.object] : []));
  const notes = [...manifests.notes, ...pastPodNotes(given, planned.snapshot.nodes), ...assumptions, ...planned.notes];
  return { ...planned, notes, givenPools: new Set(pools) };
}

interface ManifestFiles {
  readonly paths: readonly string[];
  /** @default none */
  readonly ignored?: IgnoredKinds | undefined;
  /** True without a snapshot. @default false */
  readonly isWholeCluster?: boolean;
}

/** Reads manifests, and writes warnings to stderr. *Shape:* undefined if they have problems, which are written too. */
export function manifestsOf(context: CliContext, { paths, ...reading }: ManifestFiles): ManifestObjects | undefined {
  const { stderr } = context.process;
  const manifests = readManifestObjects(readAllSources(context, paths), reading);
  const { problems, warnings, notes } = manifests;
  stderr.write([...warnings, ...problems].map((problem) => `${formatProblem(problem)}\n`).join(''));
  if (problems.length > 0) {
    stderr.write(`\n${counted(problems.length, 'problem')}: nothing was planned.\n`);
    return undefined;
  }
  const hasNoEffect = manifests.objects.length === 0 && notes.length === 0;
  return hasNoEffect
    ? { ...manifests, notes: [`${paths.join(', ')}: no objects with an effect on the plan`] }
    : manifests;
}

/** The snapshot with NodeOverlays and CapacityBuffers applied, and notes on those that are ignored. */
export function asDecided({
  snapshot,
  nodeOverlays,
  buffers,
  nowMs,
}: ReadSnapshot): Omit<PlannedSnapshot, 'givenPools'> {
  const { views, conflicts } = applyOverlays(snapshot.nodePools, nodeOverlays);
  const { pods, unready } = bufferPods(buffers.capacityBuffers, buffers, nowMs);
  return {
    snapshot: { ...snapshot, nodePools: views, bufferPods: [...(snapshot.bufferPods ?? []), ...pods] },
    nowMs,
    notes: [
      ...(snapshot.ignoredObjects ?? []).map(
        ({ subject, reason, message }) => `${subject.kind}/${subject.name}: ${reason}: ${message}`,
      ),
      ...conflicts.map(({ overlay, reason, message }) => `NodeOverlay/${overlay}: ${reason}: ${message}`),
      ...(snapshot.options?.staticCapacity === true ? [] : snapshot.nodePools.flatMap(unsupportedNote)),
      ...unready.map(({ buffer, reason, message }) => `CapacityBuffer/${buffer.metadata.name}: ${reason}: ${message}`),
    ],
  };
}

/** D31: a static NodePool launches nothing if the feature gate is off in the snapshot. */
function unsupportedNote({ nodePool: { metadata, spec } }: NodePoolView): readonly string[] {
  if (spec.replicas === undefined) return [];
  return [
    `NodePool/${metadata.name}: StaticCapacityNotSupported: it has spec.replicas (${spec.replicas}), and options.staticCapacity of the snapshot is off: it launches nothing`,
  ];
}
