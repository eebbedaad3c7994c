import { expect, test } from 'vitest';
import { nominatePods } from '../../../lib/controllers/act/nominate-pods.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import type { PodNomination } from '../../../lib/core/cluster/nominated-node.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { clusterWith } from '../../simulator/kubernetes/cluster-with.ts';

function nominations(count: number): readonly PodNomination[] {
  return Array.from({ length: count }, (_, index) => ({
    pod: { namespace: 'default', name: `web-${index}`, uid: `uid-${index}` },
    node: 'node-1',
  }));
}

/** The port with this answer for each pod. */
function world(answer: (name: string) => Promise<boolean>, passMs = 0) {
  let nowMs = 0;
  let [open, mostOpen] = [0, 0];
  const sent: string[] = [];
  const clock = { now: () => nowMs };
  const cluster = {
    ...simulatedCluster(clusterWith({ nodes: [], pods: [] }), clock),
    nominatePod: async ({ pod }: PodNomination) => {
      sent.push(pod.name);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      nowMs += passMs;
      await Promise.resolve();
      open -= 1;
      return answer(pod.name);
    },
  };
  return { ports: { cluster, clock, refusals: reportedRefusals() }, sent, mostOpen: () => mostOpen };
}

test('B66: one request for each nomination, in order, at most 20 at a time, and none for none', async () => {
  const { ports, sent, mostOpen } = world(async () => true);
  expect(await nominatePods(ports, 'demo', nominations(100))).toEqual({ failures: [], hasMore: false });
  expect(sent).toEqual(nominations(100).map(({ pod }) => pod.name));
  expect(mostOpen()).toBe(20);
  await nominatePods(ports, 'demo', []);
  expect(sent).toHaveLength(100);
});

test('B66: one run writes at most 2,000 nominations, for ten seconds at most, and says that there are more', async () => {
  const many = world(async () => true);
  expect(await nominatePods(many.ports, 'demo', nominations(2_001))).toMatchObject({ hasMore: true });
  expect(many.sent).toHaveLength(2_000);
  const slow = world(async () => true, 1_000);
  expect(await nominatePods(slow.ports, 'demo', nominations(100))).toMatchObject({ hasMore: true });
  expect(slow.sent).toHaveLength(10);
});

test('B66: a run that was cut short says that there are more although a write failed, but not if all of them failed', async () => {
  const one = world(async (name) => {
    if (name === 'web-7') throw new UnreachableError('no answer');
    return true;
  });
  expect(await nominatePods(one.ports, 'demo', nominations(5_000))).toMatchObject({ hasMore: true });
  expect(one.sent).toHaveLength(2_000);
  const all = world(async () => {
    throw new UnreachableError('no answer');
  });
  expect(await nominatePods(all.ports, 'demo', nominations(5_000))).toMatchObject({ hasMore: false });
});

test('B66: a role without the permission costs a few requests, never the run, and is reported once', async () => {
  const { ports, sent } = world(async () => {
    throw new RefusedError('403: pods/status');
  });
  const first = await nominatePods(ports, 'demo', nominations(100));
  expect(first).toMatchObject({ failures: [{ message: 'nominate nodes for pods: 403: pods/status' }], hasMore: false });
  expect(sent.length).toBeLessThan(40);
  expect(await nominatePods(ports, 'demo', nominations(100))).toEqual({ failures: [], hasMore: false });
});

test('B66: pods whose nomination is refused do not keep others from theirs', async () => {
  const { ports, sent } = world(async (name) => {
    if (Number(name.slice(4)) < 60) throw new RefusedError('denied by a policy');
    return true;
  });
  for (let run = 0; run < 10; run += 1) await nominatePods(ports, 'demo', nominations(100));
  expect(new Set(sent).size).toBe(100);
});

test('B66: pods whose nomination fails each time do not keep others from theirs', async () => {
  const { ports, sent } = world(async (name) => {
    if (Number(name.slice(4)) < 60) throw new UnreachableError('no answer');
    return true;
  });
  for (let run = 0; run < 10; run += 1) await nominatePods(ports, 'demo', nominations(100));
  expect(new Set(sent).size).toBe(100);
  expect(sent.filter((name) => name === 'web-0').length).toBeGreaterThan(1);
});

test('B66: pods whose nomination gets no answer do not keep others from theirs', async () => {
  const { ports, sent } = world(async (name) => {
    if (Number(name.slice(4)) < 20) throw new UnreachableError('no answer');
    return true;
  }, 500);
  for (let run = 0; run < 5; run += 1) await nominatePods(ports, 'demo', nominations(40));
  expect(new Set(sent).size).toBe(40);
});

test('B66: a lost write is reported and does not fail the run', async () => {
  const { ports } = world(async (name) => {
    if (name === 'web-3') throw new UnreachableError('no answer');
    return true;
  });
  const { failures } = await nominatePods(ports, 'demo', nominations(10));
  expect(failures.map(({ message }) => message)).toEqual(['nominate nodes for pods: no answer']);
});
