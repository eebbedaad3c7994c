import type { Blocked } from '../../core/model/decision.ts';
import { provision } from '../../core/provisioning/provision.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';
import { ignoredPodNotes } from './ignored-pods.ts';
import type { PlanProvisioningFlags } from './plan-provisioning-command.ts';
import { readPlanned } from './planned-snapshot.ts';
import { provisioningOutput } from './provisioning-output.ts';
import { renderProvisioning } from './render-provisioning.ts';

/** Runs `kerf plan provisioning`. */
export function runPlanProvisioning(context: CliContext, flags: PlanProvisioningFlags, more: readonly string[]): void {
  const planned = readPlanned(context, { flags, more });
  if (planned === undefined) return;
  const { stdout, stderr } = context.process;
  const { snapshot, nowMs } = planned;
  const startMs = performance.now();
  const verdict = provision(snapshot, { decisionId: 'plan', nowMs });
  const durationMs = performance.now() - startMs;
  const notes = [...ignoredPodNotes(snapshot.pods), ...planned.notes, ...verdict.blocked.flatMap(noteOfPool)];
  stderr.write(notes.map((note) => `${printable(note)}\n`).join(''));
  stdout.write(
    flags.output === 'json'
      ? `${JSON.stringify(provisioningOutput(verdict, { durationMs, notes }), null, 2)}\n`
      : renderProvisioning(verdict, context),
  );
  const isIncomplete = flags['fail-on-pending'] && verdict.schedule.unplaced.length > 0;
  context.process.exitCode = isIncomplete ? EXIT.findings : EXIT.fine;
}

/** Why a static NodePool does not get its nodes (D31), or pods do not get nodes of a NodePool (B71). The plan has the refusals of pods. */
function noteOfPool({ subject, nodePool, reason, message }: Blocked): readonly string[] {
  return subject.kind === 'Cluster' && nodePool !== undefined ? [`NodePool/${nodePool}: ${reason}: ${message}`] : [];
}
