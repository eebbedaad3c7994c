import { counted } from '../../apis/counted.ts';
import { applyOverlays } from '../../core/instance-type/overlays/overlays.ts';
import { bufferPods } from '../../core/provisioning/buffer-pods.ts';
import { provision } from '../../core/provisioning/provision.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { type ReadSnapshot, readSnapshot } from '../../snapshot/read-snapshot.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readAllSources } from '../read-sources.ts';
import { printable } from '../render/render-lines.ts';
import { ignoredPodNotes } from './ignored-pods.ts';
import { readManifestObjects } from './manifest-objects.ts';
import { withManifests } from './overlay-manifests.ts';
import type { PlanProvisioningFlags } from './plan-provisioning-command.ts';
import { provisioningOutput } from './provisioning-output.ts';
import { renderProvisioning } from './render-provisioning.ts';

/** Runs `kerf plan provisioning`. */
export function runPlanProvisioning(context: CliContext, flags: PlanProvisioningFlags, more: readonly string[]): void {
  const { stdout, stderr } = context.process;
  const read = readSnapshot(context, { path: flags.snapshot, nowMs: Date.now() });
  stderr.write(read.warnings.map((warning) => `${warning}\n`).join(''));
  const planned = overlaid(context, read, [...(flags.file ?? []), ...more]);
  if (planned === undefined) {
    context.process.exitCode = EXIT.badInput;
    return;
  }
  const { snapshot, notes } = asDecided(planned);
  stderr.write(notes.map((note) => `${printable(note)}\n`).join(''));
  const startMs = performance.now();
  const verdict = provision(snapshot, { decisionId: 'plan', nowMs: read.nowMs });
  const durationMs = performance.now() - startMs;
  stdout.write(
    flags.output === 'json'
      ? `${JSON.stringify(provisioningOutput(verdict, durationMs), null, 2)}\n`
      : renderProvisioning(verdict.schedule, context),
  );
  const isIncomplete = flags['fail-on-unplaced'] && verdict.schedule.unplaced.length > 0;
  context.process.exitCode = isIncomplete ? EXIT.findings : EXIT.fine;
}

/** The snapshot with the manifests; undefined if they have problems, which are written to stderr. */
function overlaid(context: CliContext, read: ReadSnapshot, paths: readonly string[]): ReadSnapshot | undefined {
  if (paths.length === 0) return read;
  const { stderr } = context.process;
  const sources = readAllSources(context, paths);
  const manifests = readManifestObjects(sources);
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
function asDecided({ snapshot, nodeOverlays, buffers, nowMs }: ReadSnapshot): {
  readonly snapshot: ReadSnapshot['snapshot'];
  readonly notes: readonly string[];
} {
  const { views, conflicts } = applyOverlays(snapshot.nodePools, nodeOverlays);
  const { pods, unready } = bufferPods(buffers.capacityBuffers, buffers, nowMs);
  return {
    snapshot: { ...snapshot, nodePools: views, bufferPods: [...(snapshot.bufferPods ?? []), ...pods] },
    notes: [
      ...ignoredPodNotes(snapshot.pods),
      ...(snapshot.ignoredObjects ?? []).map(
        ({ subject, reason, message }) => `${subject.kind}/${subject.name}: ${reason}: ${message}`,
      ),
      ...conflicts.map(({ overlay, reason, message }) => `NodeOverlay/${overlay}: ${reason}: ${message}`),
      ...unready.map(({ buffer, reason, message }) => `CapacityBuffer/${buffer.metadata.name}: ${reason}: ${message}`),
    ],
  };
}
