/** A cluster with the usual add-ons goes to zero nodes, stays there, and comes back with its first pod. */
import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';
import type { TimelineEntry } from '../../lib/simulator/timeline.ts';
import { aDeployment, aPool, coreDns, coreDnsBudget, someManifests } from '../builders/cluster-manifests.ts';
import { live } from './life.ts';

const scaled = (atMs: number, replicas: number) =>
  ({ kind: 'scale', atMs, deployment: 'default/web', replicas }) as const;

test('no node is launched for add-ons alone; they run with the first pod, and are removed with the last', async () => {
  const result = await live({
    manifests: someManifests({ deployments: [coreDns, aDeployment('web', 0)], podDisruptionBudgets: [coreDnsBudget] }),
    scenario: {
      name: 'zero',
      events: [scaled(20 * MINUTE_MS, 3), scaled(40 * MINUTE_MS, 0), scaled(80 * MINUTE_MS, 1)],
    },
    durationMs: 2 * HOUR_MS,
  });
  const minutes = (kind: TimelineEntry['kind']) =>
    result.timeline.flatMap((entry) => (entry.kind === kind ? [entry.at / 60] : []));
  const launched = minutes('instance-launched');
  const first = launched.filter((minute) => minute < 40);
  expect(first.every((minute) => minute >= 20)).toBe(true);
  expect(minutes('instance-terminated').filter((minute) => minute > 40 && minute < 45)).toHaveLength(first.length);
  expect(launched.filter((minute) => minute > 40 && minute < 80)).toEqual([]);
  expect(result).toMatchObject({ podsRunning: 3, podsPending: [], nodesAtEnd: 1 });
});

test('when a user deletes the last node, the PodDisruptionBudgets of add-ons, which cannot be satisfied, do not block it', async () => {
  const kept = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '100%' }] } as const;
  const result = await live({
    manifests: someManifests({
      nodePools: [aPool({ disruption: kept })],
      deployments: [coreDns, aDeployment('web', 3)],
      podDisruptionBudgets: [coreDnsBudget],
    }),
    scenario: {
      name: 'deleted',
      events: [scaled(20 * MINUTE_MS, 0), { kind: 'deleteNode', atMs: 30 * MINUTE_MS, node: { kind: 'any' } }],
    },
  });
  expect(result).toMatchObject({ nodesAtEnd: 0, nodesLaunched: 1, podsRunning: 0 });
});

test('if no pods are ignored at zero, add-ons keep a node', async () => {
  const result = await live({
    manifests: someManifests({ deployments: [coreDns], podDisruptionBudgets: [coreDnsBudget] }),
    scenario: { name: 'held', events: [] },
    settings: { ...DEFAULT_SETTINGS, ignoreAtZero: [] },
  });
  expect(result).toMatchObject({ podsRunning: 2, podsPending: [] });
  expect(result.nodesAtEnd).toBeGreaterThan(0);
});
