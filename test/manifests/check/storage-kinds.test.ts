import { expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { expectProblems } from './expect-problems.ts';
import { edit } from './texts.ts';

const CLAIM = `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: shop
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: gp3
  resources: {requests: {storage: 10Gi}}
  selector: {matchLabels: {disk: a}}
`;

const VOLUME = `apiVersion: v1
kind: PersistentVolume
metadata:
  name: disk-a
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 10Gi}
  storageClassName: gp3
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1, fsType: ext4}
  nodeAffinity:
    required:
      nodeSelectorTerms:
        - matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1b]}]
`;

const CLASS = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: gp3
provisioner: ebs.csi.aws.com
parameters: {type: gp3}
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
  - matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [us-east-1a]}]
`;

const PRIORITY = `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: high
value: 1000
preemptionPolicy: Never
`;

const LIMIT_RANGE = `apiVersion: v1
kind: LimitRange
metadata:
  name: defaults
  namespace: shop
spec:
  limits:
    - type: Container
      defaultRequest: {cpu: 250m}
      max: {memory: 1Gi}
`;

test.each([
  ['persistentVolumeClaims', CLAIM, { name: 'data', namespace: 'shop' }],
  ['persistentVolumes', VOLUME, { name: 'disk-a' }],
  ['storageClasses', CLASS, { name: 'gp3' }],
  ['priorityClasses', PRIORITY, { name: 'high' }],
  ['limitRanges', LIMIT_RANGE, { name: 'defaults', namespace: 'shop' }],
] as const)('%s take part in a simulation', (list, text, metadata) => {
  const { problems, manifests } = readManifests([{ file: 'a.yaml', text }]);
  expect(problems.map(formatProblem)).toEqual([]);
  expect(manifests[list]).toMatchObject([{ metadata }]);
  expect(manifests.ignored).toEqual([]);
});

const claim = (from: string, to: string): string => edit(CLAIM, from, to);
const volume = (from: string, to: string): string => edit(VOLUME, from, to);
const storageClass = (from: string, to: string): string => edit(CLASS, from, to);
const priority = (from: string, to: string): string => edit(PRIORITY, from, to);
const limitRange = (from: string, to: string): string => edit(LIMIT_RANGE, from, to);

expectProblems('a broken storage object, PriorityClass or LimitRange is a problem with its line and field', [
  [limitRange('250m', 'some'), 9, 'spec.limits[0].defaultRequest.cpu', '"some" is not allowed; write a quantity'],
  [claim('[ReadWriteOnce]', '[ReadWriteOne]'), 7, 'spec.accessModes[0]', 'did you mean ReadWriteOnce?'],
  [claim('[ReadWriteOnce]', '[ReadWriteOnce, ReadWriteOncePod]'), 7, 'spec.accessModes', 'ReadWriteOncePod and other'],
  [claim('10Gi', '10GB'), 9, 'spec.resources.requests.storage', '"10GB" is not allowed; write a quantity'],
  [claim('  accessModes: [ReadWriteOnce]\n', ''), 6, 'spec.accessModes', 'is missing'],
  [claim('storageClassName', 'storageClasName'), 8, 'spec.storageClasName', 'did you mean storageClassName?'],
  [volume('  csi:', '  hostPath: {path: /data}\n  csi:'), 5, 'spec', 'has 2 types: hostPath, csi'],
  [volume('volumeHandle: vol-1', 'handle: vol-1'), 9, 'spec.csi.volumeHandle', 'is missing'],
  [volume('  capacity: {storage: 10Gi}\n', ''), 5, 'spec.capacity', 'is missing'],
  [
    volume('values: [us-east-1b]', 'values: []'),
    13,
    'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values',
    'In has no values',
  ],
  [storageClass('WaitForFirstConsumer', 'WaitForConsumer'), 7, 'volumeBindingMode', 'WaitForFirstConsumer'],
  [storageClass('provisioner: ebs.csi.aws.com\n', ''), 1, 'provisioner', 'is missing'],
  [priority('1000', '2000000000'), 5, 'value', 'at most 1000000000'],
  [priority('name: high', 'name: system-high'), 4, 'metadata.name', 'reserved for Kubernetes'],
  [priority('scheduling.k8s.io/v1', 'scheduling.k8s.io/v1beta1'), 1, 'apiVersion', 'write scheduling.k8s.io/v1'],
]);
