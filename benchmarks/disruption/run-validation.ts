/**
 * Measures the runs that validate many commands, in this process, and writes the figures to stdout as JSON: `node
 * benchmarks/disruption/run-validation.ts FILE`. All nodes of the snapshot have drifted, and budgets allow a tenth of them.
 */
import { readFileSync } from 'node:fs';
import { afterActions } from '../../lib/core/disruption/command/after-actions.ts';
import { disrupt } from '../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import type { Action } from '../../lib/core/model/decision.ts';
import type { DisruptionCommand } from '../../lib/core/model/disruption-command.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';

export interface MeasuredValidation {
  readonly nodes: number;
  readonly commands: number;
  /** Until all commands are validated. */
  readonly runs: number;
  /** CPU time of the run that proposes the commands. */
  readonly proposeMs: number;
  /** CPU time of the longest run that validates. */
  readonly longestMs: number;
}

const NOW_MS = Date.parse('2026-02-01T00:00:00Z');
const SECOND_MS = 1_000;

const [file] = process.argv.slice(2);
if (file === undefined) throw new RangeError('usage: run-validation.ts FILE');
console.log(JSON.stringify(measure(drifted(file))));

function measure(before: ClusterSnapshot): MeasuredValidation {
  const proposal = timed(before, NOW_MS);
  const commands = proposal.actions.flatMap((one) => (one.kind === 'start-disruption' ? [one.command] : []));
  let snapshot: ClusterSnapshot = { ...before, commands };
  let [runs, longestMs] = [0, 0];
  while (snapshot.commands.some(isProposed)) {
    runs += 1;
    const nowMs = NOW_MS + runs * SECOND_MS;
    const run = timed(snapshot, nowMs);
    snapshot = afterActions(snapshot, run.actions, nowMs);
    longestMs = Math.max(longestMs, run.ms);
  }
  return { nodes: before.nodes.length, commands: commands.length, runs, proposeMs: proposal.ms, longestMs };
}

function isProposed({ state }: DisruptionCommand): boolean {
  return state === 'proposed';
}

function timed(snapshot: ClusterSnapshot, nowMs: number): { readonly actions: readonly Action[]; readonly ms: number } {
  const start = threadMs();
  const { actions } = disrupt(snapshot, { decisionId: `at-${nowMs}`, nowMs });
  return { actions, ms: threadMs() - start };
}

function drifted(path: string): ClusterSnapshot {
  const { snapshot } = readSnapshot({ readText: (name) => readFileSync(name, 'utf8') }, { path, nowMs: NOW_MS });
  const drift = { reason: 'AMIDrift', message: 'another AMI', sinceMs: 0 } as const;
  const nodeClaims = snapshot.nodeClaims.map((record) => ({ ...record, drift }));
  const nodePools = snapshot.nodePools.map((view) => {
    const { nodePool } = view;
    const disruption = { ...nodePool.spec.disruption, budgets: [{ nodes: '10%' }] };
    return { ...view, nodePool: { ...nodePool, spec: { ...nodePool.spec, disruption } } };
  });
  return { ...snapshot, nodeClaims, nodePools };
}

/** CPU time of this thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
