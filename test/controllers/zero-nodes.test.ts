/** A cluster with what every EKS cluster has in it goes to zero nodes, stays there, and comes back with its first pod. */
import { expect, test } from 'vitest';
import type { Deployment, PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import { HOUR_MS, MINUTE_MS } from '../../lib/apis/time.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/cluster/settings.ts';
import type { TimelineEntry } from '../../lib/simulator/timeline.ts';
import { live } from './life.ts';
import { aDeployment, someManifests } from './manifests.ts';

const labels = { 'k8s-app': 'kube-dns' };

/** As EKS installs it: two replicas, of which one may be missing. */
const coreDns: Deployment = {
  metadata: { name: 'coredns', namespace: 'kube-system' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        priorityClassName: 'system-cluster-critical',
        containers: [{ name: 'coredns', resources: { requests: { cpu: '100m', memory: '70Mi' } } }],
      },
    },
  },
};
const budget: PodDisruptionBudget = {
  metadata: { name: 'coredns', namespace: 'kube-system' },
  spec: { selector: { matchLabels: labels }, maxUnavailable: 1 },
};

const scaled = (atMs: number, replicas: number) =>
  ({ kind: 'scale', atMs, deployment: 'default/web', replicas }) as const;

test('nothing is launched for add-ons alone; they run with the first pod, and go with the last', async () => {
  const result = await live({
    manifests: someManifests({ deployments: [coreDns, aDeployment('web', 0)], podDisruptionBudgets: [budget] }),
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

test('with nothing to be ignored they hold a node of their own', async () => {
  const result = await live({
    manifests: someManifests({ deployments: [coreDns], podDisruptionBudgets: [budget] }),
    scenario: { name: 'held', events: [] },
    settings: { ...DEFAULT_SETTINGS, ignoreAtZero: [] },
  });
  expect(result).toMatchObject({ podsRunning: 2, podsPending: [] });
  expect(result.nodesAtEnd).toBeGreaterThan(0);
});
