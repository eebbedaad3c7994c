import { counted } from '../../apis/counted.ts';
import { applyOverlays } from '../../core/instance-type/overlays/overlays.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { bufferPods } from '../../core/provisioning/buffer-pods.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { type ReadSnapshot, readSnapshot } from '../../snapshot/read-snapshot.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readAllSources } from '../read-sources.ts';
import { type IgnoredKinds, readManifestObjects } from './manifest-objects.ts';
import { withManifests } from './overlay-manifests.ts';
import type { PlanFlags } from './plan-parameters.ts';

export interface PlanInput {
  readonly flags: PlanFlags;
  /** The plain arguments, which are manifests too. */
  readonly more: readonly string[];
  /** Kinds of manifests that have no effect on this plan, with notes. @default all kinds that a plan reads have an effect */
  readonly ignored?: IgnoredKinds;
}

/** A snapshot in the form in which the functions decide on it. */
export interface PlannedSnapshot {
  readonly snapshot: ClusterSnapshot;
  readonly nowMs: number;
  /** Notes on objects without an effect. */
  readonly notes: readonly string[];
}

/**
 * Reads the snapshot and the manifests of a plan, and writes warnings and problems to stderr. *Shape:* undefined if the manifests
 * have problems; the exit code is set then. *Errors:* BadInputError if the snapshot or a file cannot be read.
 */
export function readPlanned(context: CliContext, { flags, more, ignored }: PlanInput): PlannedSnapshot | undefined {
  const read = readSnapshot(context, { path: flags.snapshot, nowMs: Date.now() });
  context.process.stderr.write(read.warnings.map((warning) => `${warning}\n`).join(''));
  const paths = [...(flags.file ?? []), ...more];
  const planned = paths.length === 0 ? read : overlaid(context, read, { paths, ignored });
  if (planned === undefined) {
    context.process.exitCode = EXIT.badInput;
    return undefined;
  }
  return asDecided(planned);
}

interface Manifests {
  readonly paths: readonly string[];
  readonly ignored: IgnoredKinds | undefined;
}

/** The snapshot with the manifests; undefined if they have problems, which are written to stderr. */
function overlaid(context: CliContext, read: ReadSnapshot, { paths, ignored }: Manifests): ReadSnapshot | undefined {
  const { stderr } = context.process;
  const sources = readAllSources(context, paths);
  const manifests = readManifestObjects(sources, ignored);
  const { problems, warnings, notes } = manifests;
  stderr.write([...warnings, ...problems].map((problem) => `${formatProblem(problem)}\n`).join(''));
  if (problems.length > 0) {
    stderr.write(`\n${counted(problems.length, 'problem')}: nothing was planned.\n`);
    return undefined;
  }
  const hasNoEffect = manifests.objects.length === 0 && manifests.templates.length === 0 && notes.length === 0;
  const shown = hasNoEffect ? [`${paths.join(', ')}: no objects with an effect on the plan`] : notes;
  stderr.write(shown.map((note) => `${note}\n`).join(''));
  return withManifests(read, manifests);
}

/** The snapshot with NodeOverlays and CapacityBuffers applied, and notes on those that are ignored. */
function asDecided({ snapshot, nodeOverlays, buffers, nowMs }: ReadSnapshot): PlannedSnapshot {
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
      ...unready.map(({ buffer, reason, message }) => `CapacityBuffer/${buffer.metadata.name}: ${reason}: ${message}`),
    ],
  };
}
