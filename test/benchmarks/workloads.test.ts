import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chooseCases } from '../../benchmarks/cases.ts';
import { type SnapshotDocument, snapshotDocument, WORKLOADS } from '../../benchmarks/snapshot-document.ts';
import { isProvisionable } from '../../lib/core/cluster/pods.ts';
import { schedulePods } from '../../lib/core/provisioning/schedule-pods.ts';
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
  expect(() => chooseCases({ names: ['diverse'] })).toThrow(
    /^--cases: there is no case diverse: write some of generic-2000,/,
  );
});

function folderWith(content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-requests-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'lists.json'), JSON.stringify(content));
  return folder;
}

test('a list of requests is a case with a pod for each, on on-demand nodes of three families', () => {
  const requests = folderWith({
    small: [
      [100, 256],
      [1_500, 1_024],
    ],
  });
  const [one] = chooseCases({ requests, names: ['requests-small'] });
  const text = JSON.stringify(one?.kind === 'generated' ? one.document() : undefined);
  const { snapshot, warnings } = readSnapshot({ readText: () => text }, { path: 'snapshot.json', nowMs: NOW_MS });
  expect(warnings).toEqual([]);
  expect(snapshot.pods.map(({ spec }) => spec.containers[0]?.resources?.requests)).toEqual([
    { cpu: '100m', memory: '256Mi' },
    { cpu: '1500m', memory: '1024Mi' },
  ]);
  const claims = schedulePods(snapshot, NOW_MS).newClaims;
  expect(claims.map(({ cheapest: { type, offering } }) => [type.name.split('.')[0], offering.capacityType])).toEqual([
    ['c7i', 'on-demand'],
  ]);
});

test('a list with anything else is refused by the name of its file', () => {
  const requests = folderWith({ small: [[100]] });
  expect(() => chooseCases({ requests })).toThrow('lists.json: small is not a list of [millicores, MiB]');
});
