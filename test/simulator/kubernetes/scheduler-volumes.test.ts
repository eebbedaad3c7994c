import { describe, expect, test } from 'vitest';
import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import type { Node, Pod } from '../../../lib/apis/kubernetes.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../lib/apis/storage.ts';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import { kubeScheduler } from '../../../lib/simulator/kubernetes/scheduler/kube-scheduler.ts';
import {
  type KubernetesState,
  kubernetesState,
  removePod,
  writeNode,
  writePod,
} from '../../../lib/simulator/kubernetes/state.ts';
import { reportedByDriver } from '../../../lib/simulator/kubernetes/storage/attachable-volumes.ts';
import { addVolumeClaim } from '../../../lib/simulator/kubernetes/storage/storage-state.ts';
import { volumeController } from '../../../lib/simulator/kubernetes/storage/volume-controller.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { aNode } from '../../builders/nodes.ts';
import { aPod } from '../../builders/pods.ts';
import { aStorageClass, aVolume, aVolumeClaim, inZones } from '../../builders/storage.ts';
import { CLOCK, placesIn } from './cluster-with.ts';

const { facts } = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
const ATTACHABLE = reportedByDriver(facts);
const ZONES = ['zone-a', 'zone-b', 'zone-c'];
/** The emptiest node is in zone a, so that a pod goes elsewhere only if it must. */
const NODES = [
  aNode({ name: 'a', zone: 'zone-a', allocatable: { cpu: '64', memory: '256Gi', pods: '99' } }),
  aNode({ name: 'b', zone: 'zone-b' }),
];

interface World {
  readonly state: KubernetesState;
  /** Runs the volume controllers and the scheduler. */
  readonly pass: () => Readonly<Record<string, string>>;
}

function world(given: Partial<ClusterManifests>, pods: readonly Pod[], nodes: readonly Node[] = NODES): World {
  const storageClasses = given.storageClasses ?? [aStorageClass()];
  const state = kubernetesState(
    someManifests({ nodePools: [], nodeClasses: [], deployments: [], ...given, storageClasses }),
  );
  const controller = volumeController(state, { zones: ZONES, attachable: ATTACHABLE });
  const scheduler = kubeScheduler(state, CLOCK);
  for (const node of nodes) writeNode(state, node);
  for (const pod of pods) writePod(state, pod);
  return {
    state,
    pass: () => {
      controller.reconcile();
      scheduler.pass();
      return placesIn(state);
    },
  };
}

function withClaims(name: string, ...claims: readonly string[]): Pod {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return aPod({ name, owner: 'Job', requests: { cpu: '100m' }, spec: { volumes } });
}

const size = (storage: string) => ({ resources: { requests: { storage } } });

function claim(name: string, spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim {
  return { metadata: { name, namespace: 'default' }, spec: { storageClassName: 'gp3', ...size('10Gi'), ...spec } };
}

function volume(name: string, zone: string, spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume {
  const made = aVolume({ name, terms: [inZones([zone])] });
  return { ...made, spec: { ...made.spec, storageClassName: 'gp3', capacity: { storage: '10Gi' }, ...spec } };
}

function volumeOf({ state }: World, name: string): string | undefined {
  return state.storage.claims.get(`default/${name}`)?.spec.volumeName;
}

describe('a pod stays in the zone of its volume', () => {
  test.each<{
    readonly rule: string;
    readonly claims: readonly PersistentVolumeClaim[];
    readonly volumes: readonly PersistentVolume[];
  }>([
    {
      rule: 'that its claim names',
      claims: [claim('data', { volumeName: 'disk' })],
      volumes: [volume('disk', 'zone-b')],
    },
    {
      rule: 'that is reserved for its claim',
      claims: [claim('data')],
      volumes: [volume('disk', 'zone-b', { claimRef: { namespace: 'default', name: 'data' } })],
    },
    {
      rule: 'that alone has the access mode of its claim',
      claims: [claim('data', { accessModes: ['ReadWriteMany'], storageClassName: '' })],
      volumes: [
        volume('once', 'zone-a', { accessModes: ['ReadWriteOnce'], storageClassName: '' }),
        volume('many', 'zone-b', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'], storageClassName: '' }),
      ],
    },
    {
      rule: 'that alone is large enough',
      claims: [claim('data', { ...size('20Gi'), storageClassName: '' })],
      volumes: [
        volume('small', 'zone-a', { storageClassName: '' }),
        volume('large', 'zone-b', { capacity: { storage: '20Gi' }, storageClassName: '' }),
      ],
    },
    {
      rule: 'that the selector of its claim selects',
      claims: [claim('data', { selector: { matchLabels: { disk: 'b' } } })],
      volumes: [
        volume('other', 'zone-a'),
        { ...volume('b', 'zone-b'), metadata: { name: 'b', labels: { disk: 'b' } } },
      ],
    },
  ])('$rule', ({ claims, volumes }) => {
    const { pass } = world({ persistentVolumeClaims: claims, persistentVolumes: volumes }, [withClaims('db', 'data')]);
    expect(pass()).toEqual({ db: 'b' });
  });

  test('also with the zone label of a volume without node affinity', () => {
    const labelled = { ...aVolume({ name: 'disk', labels: { 'topology.kubernetes.io/zone': 'zone-b' } }) };
    const disk = { ...labelled, spec: { ...labelled.spec, storageClassName: 'gp3', capacity: { storage: '10Gi' } } };
    const claims = [claim('data', { volumeName: 'disk' })];
    const { pass } = world({ persistentVolumeClaims: claims, persistentVolumes: [disk] }, [withClaims('db', 'data')]);
    expect(pass()).toEqual({ db: 'b' });
  });
});

describe('a claim of a class with WaitForFirstConsumer', () => {
  test('gets a volume in the zone of its first pod, and later pods return to this zone', () => {
    const first = withClaims('first', 'data');
    const cluster = world({ persistentVolumeClaims: [claim('data')] }, [first], [NODES[1] ?? aNode()]);
    expect(cluster.pass()).toEqual({ first: 'b' });
    expect(cluster.state.storage.volumes.get(volumeOf(cluster, 'data') ?? '')).toMatchObject({
      spec: { nodeAffinity: { required: { nodeSelectorTerms: [inZones(['zone-b'])] } } },
    });
    removePod(cluster.state, first);
    writeNode(cluster.state, NODES[0] ?? aNode());
    writePod(cluster.state, withClaims('second', 'data'));
    expect(cluster.pass()).toEqual({ second: 'b' });
  });

  test('waits for a pod', () => {
    const cluster = world({ persistentVolumeClaims: [claim('data')] }, []);
    cluster.pass();
    expect(volumeOf(cluster, 'data')).toBeUndefined();
  });

  test('is bound to the smallest existing volume that its node reaches, before one is created', () => {
    const volumes = [
      volume('large', 'zone-a', { capacity: { storage: '30Gi' } }),
      volume('small', 'zone-a'),
      volume('b', 'zone-b'),
    ];
    const cluster = world({ persistentVolumeClaims: [claim('data')], persistentVolumes: volumes }, [
      withClaims('db', 'data'),
    ]);
    expect(cluster.pass()).toEqual({ db: 'a' });
    expect(volumeOf(cluster, 'data')).toBe('small');
  });

  test('keeps its pod in the allowed topologies', () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['zone-b'] }] }];
    const storageClasses = [aStorageClass({ allowedTopologies })];
    const { pass } = world({ persistentVolumeClaims: [claim('data')], storageClasses }, [withClaims('db', 'data')]);
    expect(pass()).toEqual({ db: 'b' });
  });

  test('of a class without a provisioner needs an existing volume', () => {
    const storageClasses = [aStorageClass({ provisioner: 'kubernetes.io/no-provisioner' })];
    const persistentVolumes = [volume('one', 'zone-b')];
    const persistentVolumeClaims = [claim('one'), claim('two')];
    const pods = [withClaims('db-1', 'one'), withClaims('db-2', 'two'), withClaims('both', 'one', 'two')];
    const { pass } = world({ persistentVolumeClaims, storageClasses, persistentVolumes }, pods);
    expect(pass()).toEqual({ 'db-1': 'b', 'db-2': 'none', both: 'none' });
  });
});

function immediate(over: Partial<StorageClass> = {}): readonly StorageClass[] {
  return [aStorageClass({ volumeBindingMode: 'Immediate', ...over })];
}

describe('a claim of a class with Immediate binding', () => {
  test('gets a volume at once, each claim in the next zone of the NodePools', () => {
    const persistentVolumeClaims = ['one', 'two', 'three', 'four'].map((name) => claim(name));
    const pools = someManifests().nodePools.map((pool) => {
      const requirements = [
        { key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: ['zone-a', 'zone-c'] },
      ];
      return {
        ...pool,
        spec: { ...pool.spec, template: { ...pool.spec.template, spec: { ...pool.spec.template.spec, requirements } } },
      };
    });
    const cluster = world({ persistentVolumeClaims, storageClasses: immediate(), nodePools: pools }, []);
    cluster.pass();
    const zones = ['four', 'one', 'three', 'two'].map(
      (name) => cluster.state.storage.volumes.get(volumeOf(cluster, name) ?? '')?.spec.nodeAffinity?.required,
    );
    expect(zones).toMatchObject(
      ['zone-a', 'zone-c', 'zone-a', 'zone-c'].map((zone) => ({ nodeSelectorTerms: [inZones([zone])] })),
    );
  });

  test('keeps to the allowed topologies, and its pod follows the volume', () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['zone-b'] }] }];
    const storageClasses = immediate({ allowedTopologies });
    const { pass } = world({ persistentVolumeClaims: [claim('data')], storageClasses }, [withClaims('db', 'data')]);
    expect(pass()).toEqual({ db: 'b' });
  });
});

describe('a pod waits, with a reason', () => {
  test.each<{ readonly rule: string; readonly given: Partial<ClusterManifests>; readonly says: string }>([
    {
      rule: 'without its claim',
      given: { persistentVolumeClaims: [claim('other')] },
      says: 'PersistentVolumeClaim data does not exist',
    },
    {
      rule: 'without the class of its claim',
      given: { persistentVolumeClaims: [claim('data', { storageClassName: 'fast' })] },
      says: 'StorageClass fast of PersistentVolumeClaim data does not exist',
    },
    {
      rule: 'for a volume that is too small',
      given: {
        persistentVolumeClaims: [claim('data', { ...size('11Gi'), volumeName: 'disk' })],
        persistentVolumes: [volume('disk', 'zone-a')],
      },
      says: 'PersistentVolumeClaim data cannot be bound to PersistentVolume disk: compare their sizes, classes and access modes',
    },
    {
      rule: 'for a volume of the empty class',
      given: { persistentVolumeClaims: [claim('data', { storageClassName: '' })] },
      says: 'no PersistentVolume matches PersistentVolumeClaim data, and none is provisioned for it',
    },
  ])('$rule', ({ given, says }) => {
    const { state, pass } = world(given, [withClaims('db', 'data')]);
    expect(pass()).toEqual({ db: 'none' });
    expect(state.pods.get('default/db')?.status?.conditions).toMatchObject([
      { reason: 'Unschedulable', message: says },
    ]);
  });

  test('until its claim is added', () => {
    const { state, pass } = world({ persistentVolumeClaims: [claim('other')] }, [withClaims('db', 'data')]);
    expect(pass()).toEqual({ db: 'none' });
    addVolumeClaim(state, claim('data'));
    expect(pass()).toEqual({ db: 'a' });
  });

  test('while another pod uses its claim with ReadWriteOncePod', () => {
    const persistentVolumeClaims = [claim('data', { accessModes: ['ReadWriteOncePod'] })];
    const first = withClaims('first', 'data');
    const { state, pass } = world({ persistentVolumeClaims }, [first, withClaims('second', 'data')]);
    expect(pass()).toEqual({ first: 'a', second: 'none' });
    removePod(state, first);
    expect(pass()).toEqual({ second: 'a' });
  });
});

describe('ephemeral volumes', () => {
  const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'gp3' } } } }];

  test('have a claim of the pod, which is deleted with it, and with its volume', () => {
    const pod = aPod({ name: 'job', spec: { volumes } });
    const { state, pass } = world({}, [pod]);
    expect(pass()).toEqual({ job: 'a' });
    expect(state.storage.claims.get('default/job-scratch')).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Pod', name: 'job', uid: pod.metadata.uid }] },
      status: { phase: 'Bound' },
    });
    expect(state.storage.volumes.size).toBe(1);
    removePod(state, pod);
    expect(state.storage).toMatchObject({ claims: new Map(), volumes: new Map() });
  });

  test('keep the volume if the class retains it', () => {
    const pod = aPod({ name: 'job', spec: { volumes } });
    const { state, pass } = world({ storageClasses: [aStorageClass({ reclaimPolicy: 'Retain' })] }, [pod]);
    pass();
    removePod(state, pod);
    expect([state.storage.claims.size, state.storage.volumes.size]).toEqual([0, 1]);
  });
});

describe('a node attaches a limited number of EBS volumes', () => {
  test.each([
    ['m5.large', 25],
    ['m7i.large', 31],
    ['m8g.16xlarge', 47],
    ['i3en.24xlarge', 17],
    ['g5.48xlarge', 7],
    ['unknown.large', 25],
  ])('%s: %i', (type, limit) => {
    const names = Array.from({ length: limit + 1 }, (_, at) => `data-${at}`);
    const node = aNode({
      name: 'a',
      labels: { 'node.kubernetes.io/instance-type': type },
      allocatable: { cpu: '64', pods: '99' },
    });
    const { pass } = world(
      { persistentVolumeClaims: names.map((name) => claim(name)) },
      names.map((name) => withClaims(name, name)),
      [node],
    );
    expect(Object.values(pass()).filter((place) => place === 'a')).toHaveLength(limit);
  });

  test('a volume that two pods share counts once', () => {
    const names = Array.from({ length: 25 }, (_, at) => `data-${at}`);
    const pods = [...names.map((name) => withClaims(name, name)), withClaims('beside', 'data-0')];
    const node = aNode({ name: 'a', allocatable: { cpu: '64', pods: '99' } });
    const { pass } = world({ persistentVolumeClaims: names.map((name) => claim(name)) }, pods, [node]);
    expect(pass()['beside']).toBe('a');
  });
});

/** Collects what is assumed. */
function assumptions(state: KubernetesState): readonly string[] {
  const lines: string[] = [];
  state.onAssumption = (text, subject) => void lines.push(`${subject}: ${text}`);
  return lines;
}

describe('manifests without storage objects', () => {
  test('without claims, those that pods name stand in, and are named', () => {
    const { state, pass } = world({ storageClasses: [] }, [withClaims('db', 'data')]);
    const lines = assumptions(state);
    expect(pass()).toEqual({ db: 'a' });
    expect(lines).toEqual([
      'PersistentVolumeClaim default/data: no file has a PersistentVolumeClaim: a claim of the default class stands in, bound to a new volume in the zone of its first pod',
      'The default StorageClass: it is not in the files: a class of ebs.csi.aws.com with WaitForFirstConsumer stands in',
    ]);
  });

  test('without classes, those that claims name stand in, and are named', () => {
    const given = { storageClasses: [], persistentVolumeClaims: [aVolumeClaim({ storageClass: 'fast' })] };
    const { state, pass } = world(given, [withClaims('db', 'data')]);
    const lines = assumptions(state);
    expect(pass()).toEqual({ db: 'a' });
    expect(lines).toEqual([
      'StorageClass fast: it is not in the files: a class of ebs.csi.aws.com with WaitForFirstConsumer stands in',
    ]);
  });

  test('no class stands in for one that a volume of the files has', () => {
    const given = {
      storageClasses: [],
      persistentVolumeClaims: [claim('data', { storageClassName: 'manual' })],
      persistentVolumes: [volume('disk', 'zone-b', { storageClassName: 'manual' })],
    };
    const { state, pass } = world(given, [withClaims('db', 'data')]);
    const lines = assumptions(state);
    expect(pass()).toEqual({ db: 'b' });
    expect(lines).toEqual([]);
  });
});
