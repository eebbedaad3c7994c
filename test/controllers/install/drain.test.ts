import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { PodDisruptionBudget } from '../../../lib/apis/kubernetes.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { live } from '../life.ts';

/** Requires four pods of three, so that no eviction is allowed. */
const budget: PodDisruptionBudget = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { minAvailable: 4, selector: { matchLabels: { app: 'web' } } },
};

describe('a drain that a PodDisruptionBudget blocks', () => {
  const result = live({
    manifests: someManifests({ deployments: [aDeployment('web', 3)], podDisruptionBudgets: [budget] }),
    scenario: { name: 'blocked', events: [{ kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } }] },
  });

  test('waits while it is blocked, and reports the pods and the budget', async () => {
    const { timeline, podsRunning } = await result;
    expect(podsRunning).toBe(3);
    expect(timeline).toContainEqual(
      expect.objectContaining({ kind: 'blocked', controller: 'termination', reason: 'PDB' }),
    );
    expect(timeline.some((entry) => entry.kind === 'instance-terminated')).toBe(false);
    expect(
      timeline.filter((entry) => entry.kind === 'evict-pod').length,
      'noted once for each pod',
    ).toBeLessThanOrEqual(3);
  });

  test('launches one new node for the pods, and keeps it', async () => {
    expect((await result).nodesLaunched).toBe(2);
  });
});

test('a new deployment with an empty table continues the drain of a node that the removal of the first one left', async () => {
  const newAtMs = 10 * MINUTE_MS;
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => {
    const installedAtMs = ports.clock.now() + newAtMs;
    const empty = memoryNodeClaimStore();
    return {
      ...ports,
      get store() {
        return ports.clock.now() < installedAtMs ? ports.store : empty;
      },
    };
  };
  const { timeline, ...result } = await live({
    manifests: someManifests({ deployments: [aDeployment('web', 3)], podDisruptionBudgets: [budget] }),
    scenario: {
      name: 'left',
      events: [
        { kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } },
        { kind: 'scale', atMs: 40 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
      ],
    },
    wrapPorts,
    durationMs: 90 * MINUTE_MS,
  });
  const secondsOf = (kind: string): readonly number[] =>
    timeline.flatMap((entry) => (entry.kind === kind ? [entry.at] : []));
  expect(secondsOf('evict-pod')).toEqual([]);
  expect(Math.min(...secondsOf('pod-ended'))).toBeGreaterThan(40 * 60);
  expect(secondsOf('instance-terminated')).toEqual([expect.closeTo(40 * 60 + 14, -1), expect.any(Number)]);
  expect(result).toMatchObject({ nodesAtEnd: 0, podsPending: [], ended: 'settled' });
});
