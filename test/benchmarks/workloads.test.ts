import { expect, test } from 'vitest';
import { chooseCases } from '../../benchmarks/cases.ts';
import { type SnapshotDocument, snapshotDocument, WORKLOADS } from '../../benchmarks/snapshot-document.ts';
import { isProvisionable } from '../../lib/core/cluster/pods.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { NOW_MS } from '../builders/times.ts';

const pendingIn = ({ pods }: SnapshotDocument) => pods.filter(({ spec }) => spec.nodeName === undefined);

test.each(WORKLOADS)('the workload %s is the same whenever it is made', (workload) => {
  const make = () => JSON.stringify(snapshotDocument({ workload, pods: 300 }));
  expect(make()).toBe(make());
});

test.each(WORKLOADS)('the workload %s has the number of pending pods in its name', (workload) => {
  expect(pendingIn(snapshotDocument({ workload, pods: 300 }))).toHaveLength(300);
});

test.each(WORKLOADS)('the workload %s is a snapshot that the reader takes as it is', (workload) => {
  const text = JSON.stringify(snapshotDocument({ workload, pods: 50 }));
  const { snapshot, warnings } = readSnapshot({ readText: () => text }, { path: 'snapshot.json', nowMs: NOW_MS });
  expect(warnings).toEqual([]);
  expect(snapshot.pods.filter(isProvisionable)).toHaveLength(50);
  expect(snapshot.nodePools.map(({ unusable }) => unusable)).toEqual([undefined]);
});

test('a fifth of the diverse pods is of each kind', () => {
  const names = JSON.stringify(pendingIn(snapshotDocument({ workload: 'diverse', pods: 500 })));
  const count = (kind: string) => names.split(`"name":"${kind}-`).length - 1;
  expect(['plain', 'zone-spread', 'host-spread', 'zone-affinity', 'alone'].map(count)).toEqual([
    100, 100, 100, 100, 100,
  ]);
});

const chosen = (...names: readonly string[]) => chooseCases({ names }).map(({ name }) => name);

test('cases are chosen by name or by how the name begins', () => {
  expect(chosen('existing-5000')).toEqual(['existing-5000']);
  expect(chosen('preferences*', 'diverse-500')).toEqual(['diverse-500', 'preferences-500', 'preferences-2000']);
});

test('a name that no case has is refused, with those that there are', () => {
  expect(() => chooseCases({ names: ['diverse'] })).toThrow(/no case is called diverse; allowed: generic-2000, /);
});
