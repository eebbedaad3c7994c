import { ALL_METHODS } from '../../../core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../../core/disruption/plan-disruption.ts';
import type { CliContext } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { printable } from '../../render/render-lines.ts';
import type { IgnoredKinds } from '../manifest-objects.ts';
import type { PlanFlags } from '../plan-parameters.ts';
import { readPlanned } from '../planned-snapshot.ts';
import { disruptionOutput } from './disruption-output.ts';
import { withDriftFromPools } from './drift-from-pools.ts';
import { renderDisruption } from './render-disruption.ts';

const PODS = 'ignored: pods come from the snapshot';

/** What runs in the cluster is not changed by manifests: pods that are pending in place of running pods would empty their nodes. */
export const IGNORED_BY_DISRUPTION: IgnoredKinds = new Map([
  ['Pod', PODS],
  ['Deployment', PODS],
  ['ReplicaSet', PODS],
  ['StatefulSet', PODS],
  ['Job', PODS],
  [
    'PodDisruptionBudget',
    'ignored: PodDisruptionBudgets come from the snapshot, with the status that Kubernetes computed',
  ],
]);

/** Runs `kerf plan disruption`. */
export function runPlanDisruption(context: CliContext, flags: PlanFlags, more: readonly string[]): void {
  const planned = readPlanned(context, { flags, more, ignored: IGNORED_BY_DISRUPTION });
  if (planned === undefined) return;
  const { stdout, stderr } = context.process;
  const { nowMs, notes, givenPools } = planned;
  const snapshot = withDriftFromPools(planned.snapshot, givenPools, nowMs);
  stderr.write(notes.map((note) => `${printable(note)}\n`).join(''));
  const startMs = performance.now();
  const plan = planDisruption(ALL_METHODS, snapshot, nowMs);
  const durationMs = performance.now() - startMs;
  stdout.write(
    flags.output === 'json'
      ? `${JSON.stringify(disruptionOutput(plan, { durationMs, notes }), null, 2)}\n`
      : renderDisruption(plan, snapshot, context),
  );
  context.process.exitCode = EXIT.fine;
}
