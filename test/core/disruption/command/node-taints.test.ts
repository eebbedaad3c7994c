import { describe, expect, test } from 'vitest';
import { stateNodes } from '../../../../lib/core/cluster/state-node.ts';
import { taintChanges } from '../../../../lib/core/disruption/command/node-taints.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import { emptiness } from '../../../../lib/core/disruption/methods/emptiness.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { aCommand, aReplacingCommand, candidatesNamed } from '../../../builders/decisions.ts';
import { CORDONED } from '../../../builders/nodes.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';

function changes(snapshot: ClusterSnapshot) {
  return taintChanges(stateNodes(snapshot), snapshot.commands);
}

const TEAM = { key: 'team', effect: 'NoSchedule' } as const;

describe('the taint of nodes that a command replaces (E1, E33)', () => {
  test('a candidate gets the taint if it lacks it, only on the version that was read', () => {
    const node = initializedNode({ name: 'a', taints: [TEAM], resourceVersion: '7' });
    const commands = [aReplacingCommand({ candidates: candidatesNamed('a') })];
    expect(changes(snapshotOf([node], { commands }))).toEqual([
      {
        kind: 'cordon-node',
        nodeClaim: 'claim-a',
        node: { name: 'a', resourceVersion: '7' },
        patch: { taints: [TEAM, ...CORDONED.taints] },
      },
    ]);
  });

  test('a candidate that has the taint, and a node without either, do not change', () => {
    const nodes = [initializedNode({ name: 'a', taints: CORDONED.taints }), initializedNode({ name: 'b' })];
    const commands = [aReplacingCommand({ candidates: candidatesNamed('a') })];
    expect(changes(snapshotOf(nodes, { commands }))).toEqual([]);
  });

  test('a node of Kerf in no command that replaces it loses the taint and the label of a drain', () => {
    const node = initializedNode({ name: 'a', taints: [TEAM, ...CORDONED.taints], labels: CORDONED.labels });
    const commands = [aCommand({ candidates: candidatesNamed('a') })];
    expect(changes(snapshotOf([node], { commands }))).toEqual([
      {
        kind: 'uncordon-node',
        nodeClaim: 'claim-a',
        node: { name: 'a' },
        patch: { taints: [TEAM], labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': null } },
      },
    ]);
  });

  test('nodes that are being deleted, and nodes without a record, do not change', () => {
    const deletion = { reason: 'empty', message: 'test', requestedAtMs: NOW_MS } as const;
    const nodes = [
      initializedNode({ name: 'a', ...CORDONED }, { deletion }),
      initializedNode({ name: 'b', ...CORDONED, deletionTimestamp: '2026-01-31T08:00:00Z' }),
    ];
    const unknown = initializedNode({ name: 'c', ...CORDONED }).node;
    const snapshot = snapshotOf(nodes);
    expect(changes({ ...snapshot, nodes: [...snapshot.nodes, unknown] })).toEqual([]);
  });

  test('the function does both, but not in shadow, where the taint is of another autoscaler', () => {
    const snapshot = snapshotOf([initializedNode({ name: 'a', ...CORDONED })], {
      pods: [runningPod('a', { name: 'web' })],
    });
    const context = { decisionId: 'decision-1', nowMs: NOW_MS };
    expect(disruptBy([emptiness], snapshot, context).actions.map(({ kind }) => kind)).toEqual(['uncordon-node']);
    expect(disruptBy([emptiness], snapshot, { ...context, taints: false }).actions).toEqual([]);
  });
});
