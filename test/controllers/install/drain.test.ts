import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { PodDisruptionBudget } from '../../../lib/apis/kubernetes.ts';
import { live } from '../life.ts';
import { aDeployment, someManifests } from '../manifests.ts';

/** Lets one pod go, as long as four of them run: with three there are never enough. */
const budget: PodDisruptionBudget = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { minAvailable: 4, selector: { matchLabels: { app: 'web' } } },
};

describe('a drain that a PodDisruptionBudget forbids', () => {
  const result = live({
    manifests: someManifests({ deployments: [aDeployment('web', 3)], podDisruptionBudgets: [budget] }),
    scenario: { name: 'blocked', events: [{ kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } }] },
  });

  test('waits for as long as it is forbidden, and says what it waits for', async () => {
    const { timeline, podsRunning } = await result;
    expect(podsRunning).toBe(3);
    expect(timeline).toContainEqual(
      expect.objectContaining({ kind: 'blocked', controller: 'termination', reason: 'PDB' }),
    );
    expect(timeline.some((entry) => entry.kind === 'instance-terminated')).toBe(false);
    expect(timeline.filter((entry) => entry.kind === 'evict-pod').length, 'told once a pod').toBeLessThanOrEqual(3);
  });

  test('prepares one new place for the pods, and keeps it: no storm of nodes', async () => {
    expect((await result).nodesLaunched).toBe(2);
  });
});
