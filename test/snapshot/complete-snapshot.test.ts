import { describe, expect, test } from 'vitest';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { snapshotText } from '../../lib/snapshot/write-snapshot.ts';
import { anInstanceType } from '../builders/instance-types.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { aPoolView } from '../builders/node-pools.ts';
import { aSnapshot } from '../builders/snapshots.ts';
import { aVolume, someStorage } from '../builders/storage.ts';
import { NOW_MS } from '../builders/times.ts';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod } from './documents.ts';

function read(text: string) {
  return readSnapshot({ readText: () => text }, { path: 'a.json', nowMs: 0 });
}

describe('a complete snapshot', () => {
  const document = aDocument({ pods: [aGivenPod()], nodes: [aGivenNode()] });
  const complete = read(JSON.stringify({ ...document, complete: true })).snapshot;

  test('is read without defaults: a pod without conditions is not unschedulable', () => {
    expect(complete.pods[0]?.status).toBeUndefined();
    expect(read(JSON.stringify(document)).snapshot.pods[0]?.status).toBeDefined();
  });

  test('has no storage, namespaces and ignored pods by default', () => {
    expect(complete.storage).toBeUndefined();
    expect(complete.namespaces).toBeUndefined();
    expect(complete.ignoreAtZero).toEqual([]);
  });
});

describe('the storage of a complete snapshot', () => {
  const attachment = {
    metadata: { name: 'csi-1' },
    spec: { nodeName: 'node-1', source: { persistentVolumeName: 'pv-1' } },
  };

  test.each([
    ['VolumeAttachments that were read', { volumeAttachments: [attachment] }],
    ['VolumeAttachments that were not read', {}],
  ])('is written and read, with %s', (_, over) => {
    const storage = { ...someStorage({ persistentVolumes: [aVolume()] }), ...over };
    expect(read(snapshotText(aSnapshot({ storage }), NOW_MS)).snapshot.storage).toEqual(storage);
  });
});

describe('instance types that differ between NodePools', () => {
  const shared = anInstanceType({ name: 'b.large' });
  const views = [
    aPoolView({ name: 'one', types: [anInstanceType({ name: 'a.large' }), shared] }),
    aPoolView({
      name: 'two',
      types: [anInstanceType({ name: 'a.large', price: 9 }), shared, anInstanceType({ name: 'c.large' })],
    }),
  ];
  const text = snapshotText(aSnapshot({ nodePools: views }), NOW_MS);

  test('are written once for each variant, with its NodePools', () => {
    const written: { readonly instanceTypes: readonly { readonly name: string; readonly nodePools?: unknown }[] } =
      JSON.parse(text);
    expect(written.instanceTypes.map(({ name, nodePools }) => [name, nodePools])).toEqual([
      ['a.large', ['one']],
      ['a.large', ['two']],
      ['b.large', undefined],
      ['c.large', ['two']],
    ]);
  });

  test('are restored for each NodePool, in their order', () => {
    expect(read(text).snapshot.nodePools).toEqual(views);
  });

  test('are rejected if one NodePool has two with the same name', () => {
    const twice = text.replace('"nodePools":["two"]', '"nodePools":["one"]');
    expect(() => read(twice)).toThrow(/instanceTypes\[1\]\.name: "a\.large" is a duplicate of instanceTypes\[0\]/);
  });
});

test('negative amounts of a type that is smaller than its overhead are kept', () => {
  const type = { ...anInstanceType(), allocatable: { cpu: -5, memory: -1_024, pods: 4 } };
  const views = [aPoolView({ types: [type] })];
  expect(read(snapshotText(aSnapshot({ nodePools: views }), NOW_MS)).snapshot.nodePools).toEqual(views);
});

test('the record of a launched claim without an instance is rejected, with its path', () => {
  const { launch: _, ...claim } = launchedClaim();
  const document = {
    ...aDocument(),
    nodeClaimRecords: [{ ...claim, launch: { kind: 'launched', attempt: 1, atMs: 1 } }],
  };
  expect(() => read(JSON.stringify(document))).toThrow(
    'a.json: nodeClaimRecords[0].launch: kind is launched, but instance is missing; add the instance',
  );
});

test('a refused release of a record without its message is rejected, with its path', () => {
  const deletion = { reason: 'empty', message: '', requestedAtMs: 1, releaseFailed: { sinceMs: 1 } };
  const document = { ...aDocument(), nodeClaimRecords: [{ ...launchedClaim(), deletion }] };
  expect(() => read(JSON.stringify(document))).toThrow(/nodeClaimRecords\[0\]\.deletion\.releaseFailed/);
});

test('a NodeClaim that is both a record and an object is read once, from the record', () => {
  const record = { ...launchedClaim(), name: 'claim-node-1' };
  const document = { ...aDocument({ nodes: [aGivenNode()] }), nodeClaims: [aGivenClaim()], nodeClaimRecords: [record] };
  expect(read(JSON.stringify(document)).snapshot.nodeClaims).toEqual([record]);
});

test('a disruption command of an earlier version has no replacements and is proposed', () => {
  const command = { id: 'a', method: 'emptiness', reason: 'Empty', candidates: [], decidedAtMs: 1, validateAtMs: 2 };
  const { commands } = read(JSON.stringify({ ...aDocument(), commands: [command] })).snapshot;
  expect(commands).toEqual([{ ...command, replacements: [], state: 'proposed' }]);
});

test('what passes of disruption keep is written and read', () => {
  const rejected = [{ method: 'fleet', nodeClaim: 'a', inputs: 'abc', times: 2, untilMs: NOW_MS }] as const;
  const stopped = [{ method: 'fleet', after: 'node-b', evaluated: 2, candidates: 5 }] as const;
  const failing = [
    {
      nodePool: 'general',
      inputs: 'abc',
      failed: 2,
      times: 1,
      launchedAtMs: NOW_MS,
      sinceMs: NOW_MS + 1,
      untilMs: NOW_MS + 2,
    },
  ];
  const again = read(snapshotText(aSnapshot({ passMemory: { rejected, stopped, failing } }), NOW_MS));
  expect(again.snapshot.passMemory).toEqual({ rejected, stopped, failing });
});

test('unused launches are written and read, and a snapshot without them has none', () => {
  const unusedLaunches = [{ pod: 'uid-1', launches: 3, firstMs: 1, lastMs: 2 }];
  expect(read(snapshotText(aSnapshot({ unusedLaunches }), NOW_MS)).snapshot.unusedLaunches).toEqual(unusedLaunches);
  expect(read(snapshotText(aSnapshot(), NOW_MS)).snapshot).not.toHaveProperty('unusedLaunches');
  const broken = JSON.stringify({ ...aDocument(), unusedLaunches: [{ ...unusedLaunches[0], launches: 'three' }] });
  expect(() => read(broken)).toThrow(/unusedLaunches\[0\]\.launches/);
});

test('what consolidation has moved is written and read, and a snapshot without it has none', () => {
  const move = { command: 'a', atMs: 1, untilMs: 2, launched: ['general-a'], evicted: { 'Deployment default/web': 2 } };
  expect(read(snapshotText(aSnapshot({ pastMoves: [move] }), NOW_MS)).snapshot.pastMoves).toEqual([move]);
  expect(read(snapshotText(aSnapshot(), NOW_MS)).snapshot).not.toHaveProperty('pastMoves');
  const broken = JSON.stringify({ ...aDocument(), pastMoves: [{ ...move, evicted: ['web'] }] });
  expect(() => read(broken)).toThrow(/pastMoves\[0\]\.evicted/);
});
