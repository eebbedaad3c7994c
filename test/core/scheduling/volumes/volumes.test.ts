import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { NodeSelectorTerm, OwnerReference, Pod, PodSpec } from '../../../../lib/apis/kubernetes.ts';
import type { Storage, StorageClass } from '../../../../lib/apis/storage.ts';
import { MAX_ALTERNATIVES } from '../../../../lib/core/scheduling/volumes/requirement-alternatives.ts';
import { storageIndex } from '../../../../lib/core/scheduling/volumes/storage-index.ts';
import { volumeNeeds } from '../../../../lib/core/scheduling/volumes/volumes.ts';
import { aPod } from '../../../builders/pods.ts';
import { aStorageClass, aVolume, aVolumeClaim, inZones, someStorage } from '../../../builders/storage.ts';
import {
  allowing,
  boundTo,
  labelled,
  mounting,
  needsOf,
  placesOf,
  refusalOf,
  waitingFor,
  withScratch,
  ZONE,
} from './volume-answers.ts';

type Volumes = NonNullable<PodSpec['volumes']>;

function claimOfClass(storageClass: string | null): Pick<Storage, 'persistentVolumeClaims'> {
  return { persistentVolumeClaims: [aVolumeClaim({ storageClass })] };
}

/** A default class that allows one zone. */
function byDefault(name: string, zone: string, creationTimestamp = '2026-01-01T00:00:00Z'): StorageClass {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  return { ...aStorageClass(allowing({ [ZONE]: [zone] })), metadata: { name, creationTimestamp, annotations } };
}

function podOwner(uid: string): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid, controller: true };
}

describe('volumes without requirements', () => {
  test.each<[string, Volumes | undefined]>([
    ['no volumes', undefined],
    ['an emptyDir', [{ name: 'cache' }]],
  ])('a pod with %s may go anywhere and attaches nothing, even where no storage was read (B42)', (_, volumes) => {
    const answer = volumeNeeds(aPod({ spec: volumes === undefined ? {} : { volumes } }), storageIndex(undefined));
    expect(answer).toEqual({ kind: 'needs', needs: { alternatives: [new Map()], attachments: new Map() } });
  });

  test('a volume of a class without topologies can be created in any zone (B42)', () => {
    expect(placesOf(mounting('data'), waitingFor({}))).toEqual([[]]);
  });

  test('a bound volume without node affinity can be reached from every node (B42)', () => {
    const storage = someStorage({
      persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
      persistentVolumes: [aVolume()],
    });
    expect(placesOf(mounting('data'), storage)).toEqual([[]]);
  });
});

describe('the requirements of a volume', () => {
  test('a bound volume uses its node affinity, not the topologies of its class (B42)', () => {
    const storage = { ...boundTo([inZones(['b'])]), storageClasses: [aStorageClass(allowing({ [ZONE]: ['c'] }))] };
    expect(placesOf(mounting('v0'), storage)).toEqual([['zone In b']]);
  });

  test('an unbound volume uses the topologies of its class (B42)', () => {
    expect(placesOf(mounting('data'), waitingFor(allowing({ [ZONE]: ['b', 'c'] })))).toEqual([['zone In b,c']]);
  });

  test('each term is an alternative (B42)', () => {
    const terms = [inZones(['a'], labelled('rack', '1')), inZones(['b'], labelled('rack', '2'))];
    expect(placesOf(mounting('v0'), boundTo(terms))).toEqual([
      ['rack In 1', 'zone In a'],
      ['rack In 2', 'zone In b'],
    ]);
    const storage = waitingFor(allowing({ [ZONE]: ['a'], rack: ['1'] }, { [ZONE]: ['b'], rack: ['2'] }));
    expect(placesOf(mounting('data'), storage)).toHaveLength(2);
  });

  test('terms that differ in one label only are merged (B42)', () => {
    expect(placesOf(mounting('v0'), boundTo([inZones(['a']), inZones(['b']), inZones(['c'])]))).toEqual([
      ['zone In a,b,c'],
    ]);
  });

  test('a term that another one includes adds nothing (B42)', () => {
    const terms = [inZones(['a'], labelled('rack', '1')), inZones(['a', 'b']), inZones(['b'])];
    expect(placesOf(mounting('v0'), boundTo(terms))).toEqual([['zone In a,b']]);
  });

  test.each(['topology.ebs.csi.aws.com/zone', 'failure-domain.beta.kubernetes.io/zone'])(
    'the topology key %s is the zone (B42)',
    (key) => {
      const affinity = boundTo([{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }]);
      expect(placesOf(mounting('v0'), affinity)).toEqual([['zone In a']]);
      expect(placesOf(mounting('data'), waitingFor(allowing({ [key]: ['a'] })))).toEqual([['zone In a']]);
    },
  );

  test('the zone labels of a volume apply too, as in the kube-scheduler', () => {
    const storage = someStorage({
      persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
      persistentVolumes: [aVolume({ labels: { 'failure-domain.beta.kubernetes.io/zone': 'a__b', app: 'db' } })],
    });
    expect(placesOf(mounting('data'), storage)).toEqual([['zone In a,b']]);
  });

  test.each(['local', 'hostPath'])(
    'the hostname of a %s volume does not bind the pod to its old node (B42)',
    (kind) => {
      const host = labelled('kubernetes.io/hostname', 'node-1');
      const storageWith = (term: NodeSelectorTerm) =>
        someStorage({
          persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
          persistentVolumes: [aVolume({ source: { [kind]: {} }, terms: [term] })],
        });
      expect(placesOf(mounting('data'), storageWith(inZones(['a'], host)))).toEqual([['zone In a']]);
      expect(placesOf(mounting('data'), storageWith({ matchExpressions: [host] }))).toEqual([[]]);
    },
  );

  test('the hostname of other volumes applies (B42)', () => {
    const host = labelled('kubernetes.io/hostname', 'node-1');
    expect(placesOf(mounting('v0'), boundTo([{ matchExpressions: [host] }]))).toEqual([
      ['kubernetes.io/hostname In node-1'],
    ]);
  });

  test.each<[string, readonly NodeSelectorTerm[]]>([
    ['there is no term', []],
    ['every term is empty', [{}, { matchExpressions: [] }]],
    ['every term names nodes', [{ matchFields: [labelled('metadata.name', 'node-1')] }]],
    ['a term contradicts itself', [inZones(['a'], labelled(ZONE, 'b'))]],
  ])('a volume is out of reach where %s (B9)', (_, terms) => {
    expect(refusalOf(mounting('v0'), boundTo(terms))?.reason).toBe('VolumeUnreachable');
    expect(placesOf(mounting('v0'), boundTo([...terms, inZones(['c'])]))).toEqual([['zone In c']]);
  });

  test('a class whose topologies are all empty allows none (B9)', () => {
    expect(refusalOf(mounting('data'), waitingFor({ allowedTopologies: [{}] }))?.reason).toBe('VolumeUnreachable');
  });
});

test('pods of one class share one list of alternatives, so that they can be compared by identity (B42)', () => {
  const storage = storageIndex({
    ...waitingFor(allowing({ [ZONE]: ['a'] })),
    persistentVolumeClaims: [aVolumeClaim({ name: 'v0' }), aVolumeClaim({ name: 'v1' })],
  });
  const [first, second] = ['v0', 'v1'].map((name) => volumeNeeds(mounting(name), storage));
  if (first?.kind !== 'needs' || second?.kind !== 'needs') throw new Error('refused');
  expect(first.needs.alternatives).toBe(second.needs.alternatives);
});

describe('several volumes', () => {
  test('only combinations that all volumes allow remain (B42)', () => {
    const storage = boundTo([inZones(['a', 'b'])], [inZones(['b', 'c'])], []);
    expect(placesOf(mounting('v0', 'v1'), storage)).toEqual([['zone In b']]);
  });

  test('all combinations of alternatives are used, except those that contradict each other (B42)', () => {
    const storage = boundTo(
      [inZones(['a'], labelled('rack', '1')), inZones(['b'], labelled('rack', '2'))],
      [inZones(['a'], labelled('disk', 'fast')), inZones(['b'], labelled('disk', 'slow'))],
    );
    expect(placesOf(mounting('v0', 'v1'), storage)).toEqual([
      ['disk In fast', 'rack In 1', 'zone In a'],
      ['disk In slow', 'rack In 2', 'zone In b'],
    ]);
  });

  test('volumes in two zones are refused, and both are named (B42)', () => {
    const storage = boundTo([inZones(['a'])], [inZones(['a', 'b'])], [inZones(['c'])]);
    expect(refusalOf(mounting('v0', 'v1', 'v2'), storage)).toEqual({
      reason: 'VolumesApart',
      message:
        'no node can reach all volumes: default/v0 requires topology.kubernetes.io/zone In [a]; default/v2 requires ' +
        'topology.kubernetes.io/zone In [c]. Move one of them with a volume snapshot, or split the pod',
      numbers: { volumes: 2 },
    });
  });

  test('three volumes that are compatible in pairs but not together are all named (B42)', () => {
    const storage = boundTo([inZones(['a', 'b'])], [inZones(['b', 'c'])], [inZones(['c', 'a'])]);
    const refused = refusalOf(mounting('v0', 'v1', 'v2'), storage);
    expect(refused?.reason).toBe('VolumesApart');
    expect(refused?.numbers).toEqual({ volumes: 3 });
    for (const name of ['default/v0', 'default/v1', 'default/v2']) expect(refused?.message).toContain(name);
  });

  test('twenty volumes with a term for each of three zones have three zones (B42)', () => {
    const terms = Array.from({ length: 20 }, () => ['a', 'b', 'c'].map((zone) => inZones([zone])));
    const claims = terms.map((_, index) => `v${index}`);
    expect(placesOf(mounting(...claims), boundTo(...terms))).toEqual([['zone In a,b,c']]);
  });

  test('too many combinations are refused with the limit, and not computed (B42)', () => {
    const terms = Array.from({ length: 20 }, (_, index) =>
      ['x', 'y', 'z'].map((value) => ({
        matchExpressions: [labelled(`rack-${index}`, value), labelled(`row-${index}`, value)],
      })),
    );
    const refused = refusalOf(mounting(...terms.map((_, index) => `v${index}`)), boundTo(...terms));
    // 3 × 3 × 3 = 27 combinations are allowed, 81 are not.
    expect(refused?.reason).toBe('TooManyVolumeAlternatives');
    expect(refused?.numbers).toEqual({ volumes: 4, allowed: MAX_ALTERNATIVES });
  });
});

describe('the default class', () => {
  test('applies to a claim without a class, as in Kubernetes (B9)', () => {
    const storageClasses = [aStorageClass(), byDefault('usual', 'b')];
    expect(placesOf(mounting('data'), someStorage({ ...claimOfClass(null), storageClasses }))).toEqual([['zone In b']]);
    expect(refusalOf(mounting('data'), someStorage(claimOfClass(null)))?.reason).toBe('StorageClassUnset');
  });

  test('does not apply to a claim with an empty class (B9)', () => {
    const storage = someStorage({ ...claimOfClass(''), storageClasses: [byDefault('usual', 'b')] });
    expect(refusalOf(mounting('data'), storage)?.reason).toBe('StorageClassUnset');
  });

  test('is the newest of several; ties by name (B9)', () => {
    const newer = '2026-02-01T00:00:00Z';
    const storageClasses = [byDefault('a', 'a'), byDefault('c', 'c', newer), byDefault('b', 'b', newer)];
    for (const order of [storageClasses, storageClasses.toReversed()]) {
      expect(placesOf(mounting('data'), someStorage({ ...claimOfClass(null), storageClasses: order }))).toEqual([
        ['zone In b'],
      ]);
    }
  });
});

describe('ephemeral volumes', () => {
  test('the claim POD-VOLUME is used if it exists (B11)', () => {
    const storage = someStorage({
      persistentVolumeClaims: [
        aVolumeClaim({ name: 'web-1-scratch', volume: 'pv-1', owner: podOwner('uid-default-web-1') }),
      ],
      persistentVolumes: [aVolume({ terms: [inZones(['b'])] })],
    });
    expect(placesOf(withScratch('gp3'), storage)).toEqual([['zone In b']]);
  });

  test('otherwise, the class of the template is used (B11)', () => {
    const storageClasses = [aStorageClass(allowing({ [ZONE]: ['c'] }))];
    const storage = someStorage({ storageClasses });
    expect(placesOf(withScratch('gp3'), storage)).toEqual([['zone In c']]);
    expect(needsOf(withScratch('gp3'), storage).attachments).toEqual(
      new Map([['ebs.csi.aws.com', new Set(['default/web-1-scratch'])]]),
    );
  });

  test('a template without a class gets the default class, and is refused if there is none (B11)', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const storageClasses = [{ ...aStorageClass(allowing({ [ZONE]: ['c'] })), metadata: { name: 'gp3', annotations } }];
    expect(placesOf(withScratch(), someStorage({ storageClasses }))).toEqual([['zone In c']]);
    expect(refusalOf(withScratch(), someStorage())?.reason).toBe('StorageClassUnset');
    expect(refusalOf(withScratch('io9'), someStorage())?.reason).toBe('StorageClassMissing');
  });

  test('the claim of another pod is not used (B11)', () => {
    const storage = someStorage({
      persistentVolumeClaims: [aVolumeClaim({ name: 'web-1-scratch', owner: podOwner('uid-of-the-former') })],
    });
    expect(refusalOf(withScratch('gp3'), storage)?.reason).toBe('PersistentVolumeClaimOfAnother');
  });
});

const SCENARIO = new URL('../../../../../shared/scenarios/s29-pvc-zones.json', import.meta.url);

interface ScenarioFile {
  readonly pods: readonly Pod[];
  readonly pvcs: Storage['persistentVolumeClaims'];
  readonly pvs: Storage['persistentVolumes'];
  readonly storageClasses: Storage['storageClasses'];
}

test.skipIf(!existsSync(SCENARIO))(
  'scenario s29: bound in zone b, allowed in zone c, free, and missing (B9, B42; needs the shared scenarios next to the repository)',
  () => {
    const file: ScenarioFile = JSON.parse(readFileSync(SCENARIO, 'utf8'));
    const storage = {
      persistentVolumeClaims: file.pvcs,
      persistentVolumes: file.pvs,
      storageClasses: file.storageClasses,
      csiNodes: [],
    };
    const answers = file.pods.map((pod) => [
      pod.metadata.name,
      refusalOf(pod, storage)?.reason ?? placesOf(pod, storage).flat().join(),
    ]);
    expect(Object.fromEntries(answers)).toEqual({
      bound: 'zone In us-east-1b',
      wffc: 'zone In us-east-1c',
      free: '',
      missing: 'PersistentVolumeClaimMissing',
    });
  },
);
