import { describe, expect, test } from 'vitest';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { snapshotText } from '../../lib/snapshot/write-snapshot.ts';
import { anInstanceType } from '../builders/instance-types.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { aPoolView } from '../builders/node-pools.ts';
import { aSnapshot } from '../builders/snapshots.ts';
import { NOW_MS } from '../builders/times.ts';
import { aDocument, aGivenNode, aGivenPod } from './documents.ts';

function read(text: string) {
  return readSnapshot({ readText: () => text }, { path: 'a.json', nowMs: 0 });
}

describe('a snapshot that says that it is complete', () => {
  const document = aDocument({ pods: [aGivenPod()], nodes: [aGivenNode()] });
  const complete = read(JSON.stringify({ ...document, complete: true })).snapshot;

  test('is read as it is: a pod that the scheduler has not tried is not taken to be unschedulable', () => {
    expect(complete.pods[0]?.status).toBeUndefined();
    expect(read(JSON.stringify(document)).snapshot.pods[0]?.status).toBeDefined();
  });

  test('has no storage, namespaces and ignored pods where none are in it', () => {
    expect(complete.storage).toBeUndefined();
    expect(complete.namespaces).toBeUndefined();
    expect(complete.ignoreAtZero).toEqual([]);
  });
});

describe('instance types that NodePools see in different ways', () => {
  const shared = anInstanceType({ name: 'b.large' });
  const views = [
    aPoolView({ name: 'one', types: [anInstanceType({ name: 'a.large' }), shared] }),
    aPoolView({
      name: 'two',
      types: [anInstanceType({ name: 'a.large', price: 9 }), shared, anInstanceType({ name: 'c.large' })],
    }),
  ];
  const text = snapshotText(aSnapshot({ nodePools: views }), NOW_MS);

  test('are written once for each way, with the NodePools that see it', () => {
    const written: { readonly instanceTypes: readonly { readonly name: string; readonly nodePools?: unknown }[] } =
      JSON.parse(text);
    expect(written.instanceTypes.map(({ name, nodePools }) => [name, nodePools])).toEqual([
      ['a.large', ['one']],
      ['a.large', ['two']],
      ['b.large', undefined],
      ['c.large', ['two']],
    ]);
  });

  test('are those of each NodePool again, in their order', () => {
    expect(read(text).snapshot.nodePools).toEqual(views);
  });

  test('are refused where one NodePool would see two of one name', () => {
    const twice = text.replace('"nodePools":["two"]', '"nodePools":["one"]');
    expect(() => read(twice)).toThrow(/instanceTypes\[1\]\.name: "a\.large" is the name of instanceTypes\[0\] as well/);
  });
});

test('amounts below zero, as of a type that is too small for its overhead, survive', () => {
  const type = { ...anInstanceType(), allocatable: { cpu: -5, memory: -1_024, pods: 4 } };
  const views = [aPoolView({ types: [type] })];
  expect(read(snapshotText(aSnapshot({ nodePools: views }), NOW_MS)).snapshot.nodePools).toEqual(views);
});

test('the record of a launched claim without its instance is refused, with its place', () => {
  const { launch: _, ...claim } = launchedClaim();
  const document = {
    ...aDocument(),
    nodeClaimRecords: [{ ...claim, launch: { kind: 'launched', attempt: 1, atMs: 1 } }],
  };
  expect(() => read(JSON.stringify(document))).toThrow(
    'a.json: nodeClaimRecords[0].launch: has kind launched and no instance; write the instance',
  );
});
