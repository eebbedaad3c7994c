import fc from 'fast-check';
import { CAPACITY_TYPES, FAMILIES, ZONES } from './random-instance-types.ts';
import { randomStorageUse } from './random-storage.ts';

/** Random pods, by deployment: with every kind of rule and preference that affects placement. */

export const APPS = ['a', 'b', 'c', 'd', 'e'] as const;
export const NAMESPACES = ['default', 'other'] as const;

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const maybe = <T>(one: fc.Arbitrary<T>, oneIn = 4): fc.Arbitrary<T | undefined> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: oneIn - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: one },
  );
const app = fc.constantFrom(...APPS);
const topologyKey = fc.constantFrom(HOSTNAME, ZONE, 'karpenter.sh/capacity-type', 'tier');

const expression = fc.constantFrom(
  { key: ZONE, operator: 'In', values: [ZONES[0]] },
  { key: ZONE, operator: 'In', values: [ZONES[1], ZONES[2]] },
  { key: ZONE, operator: 'NotIn', values: [ZONES[0]] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: [CAPACITY_TYPES[1]] },
  { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: [FAMILIES[0], FAMILIES[1]] },
  { key: 'karpenter.k8s.aws/instance-family', operator: 'NotIn', values: [FAMILIES[0]] },
  { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['2'] },
  { key: 'karpenter.k8s.aws/instance-gpu-name', operator: 'DoesNotExist' },
  { key: 'team', operator: 'NotIn', values: ['x'] },
  { key: 'tier', operator: 'Exists' },
  { key: 'nowhere', operator: 'Exists' },
);
const nodeTerm = fc
  .uniqueArray(expression, { minLength: 1, maxLength: 2, selector: ({ key }) => key })
  .map((matchExpressions) => ({ matchExpressions }));

const spread = fc
  .record({
    topologyKey,
    maxSkew: fc.constantFrom(1, 2),
    required: fc.constantFrom(true, true, false),
    minDomains: fc.constantFrom(undefined, undefined, 2, 3),
    nodeAffinityPolicy: fc.constantFrom(undefined, 'Honor', 'Ignore'),
    nodeTaintsPolicy: fc.constantFrom(undefined, 'Honor', 'Ignore'),
    matchLabelKeys: fc.constantFrom(undefined, undefined, ['hash']),
    of: maybe(app, 2),
  })
  .map(({ required, minDomains, of, ...rest }) => (own: string) => ({
    ...rest,
    whenUnsatisfiable: required ? 'DoNotSchedule' : 'ScheduleAnyway',
    minDomains: required ? minDomains : undefined,
    labelSelector: { matchLabels: { app: of ?? own } },
  }));

/** A term of affinity or anti-affinity, for itself or for another deployment. */
export const affinityTerm = fc
  .record({
    topologyKey,
    of: maybe(app, 2),
    byExpression: fc.boolean(),
    where: fc.constantFrom<{ namespaces?: readonly string[]; namespaceSelector?: object }>(
      {},
      {},
      { namespaces: ['other'] },
      { namespaceSelector: {} },
      { namespaceSelector: { matchLabels: { tier: 'x' } } },
    ),
  })
  .map(({ topologyKey: key, of, byExpression, where }) => (own: string) => ({
    topologyKey: key,
    labelSelector: byExpression
      ? { matchExpressions: [{ key: 'app', operator: 'In', values: [of ?? own] }] }
      : { matchLabels: { app: of ?? own } },
    ...where,
  }));

const weighted = fc.tuple(affinityTerm, fc.constantFrom(1, 50, 100));
const toleration = fc.constantFrom(
  { key: 'team', operator: 'Exists' },
  { key: 'team', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
  { operator: 'Exists' },
);

const deployment = fc.record({
  replicas: fc.integer({ min: 1, max: 5 }),
  namespace: fc.constantFrom(NAMESPACES[0], NAMESPACES[0], NAMESPACES[0], NAMESPACES[1]),
  cpu: fc.constantFrom('100m', '500m', '900m', '1500m', '3', '9'),
  memory: fc.constantFrom('128Mi', '1Gi', '3Gi', '12Gi'),
  gpu: maybe(fc.constant('1'), 8),
  initContainer: maybe(fc.record({ sidecar: fc.boolean(), cpu: fc.constantFrom('200m', '2') }), 8),
  overhead: maybe(fc.constant({ cpu: '150m' }), 8),
  ofPod: maybe(fc.constant({ cpu: '1', memory: '1Gi' }), 12),
  nodeSelector: maybe(
    fc.constantFrom<Record<string, string>>(
      { [ZONE]: ZONES[0] },
      { 'kubernetes.io/arch': 'amd64' },
      { 'karpenter.sh/capacity-type': CAPACITY_TYPES[0] },
      { team: 'x' },
      { tier: 'gold' },
    ),
  ),
  required: maybe(fc.array(nodeTerm, { minLength: 1, maxLength: 2 })),
  preferred: maybe(fc.array(fc.tuple(nodeTerm, fc.constantFrom(1, 50, 100)), { minLength: 1, maxLength: 2 }), 6),
  spreads: maybe(fc.array(spread, { minLength: 1, maxLength: 2 }), 3),
  affinity: maybe(affinityTerm, 8),
  antiAffinity: maybe(affinityTerm),
  likes: maybe(weighted, 6),
  dislikes: maybe(weighted, 6),
  hostPort: maybe(
    fc.constantFrom({ hostPort: 80 }, { hostPort: 81, protocol: 'UDP' }, { hostPort: 80, hostIP: '10.0.0.1' }),
    6,
  ),
  tolerations: fc.uniqueArray(toleration, { maxLength: 1 }),
  storage: maybe(randomStorageUse, 6),
});

export type DrawnDeployment = typeof deployment extends fc.Arbitrary<infer T> ? T : never;

export const randomDeployments = fc.array(deployment, { minLength: 1, maxLength: 5 });

/** The pending pods of a deployment. */
export function pendingPods(of: DrawnDeployment, index: number) {
  const name = appOf(index);
  const { replicas, namespace } = of;
  return Array.from({ length: replicas }, (_, replica) => ({
    metadata: {
      name: `${name}-${replica}`,
      namespace,
      creationTimestamp: `2026-01-01T00:0${replica}:00Z`,
      labels: { app: name, hash: String(replica % 2) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: `uid-${name}`, controller: true }],
    },
    spec: podSpec(of, index),
  }));
}

export function appOf(index: number): string {
  return APPS[index] ?? 'a';
}

function podSpec(of: DrawnDeployment, index: number) {
  const { cpu, memory, gpu, initContainer, hostPort, ofPod } = of;
  const own = appOf(index);
  const gpus = gpu === undefined ? undefined : { 'nvidia.com/gpu': gpu };
  return {
    containers: [
      {
        name: 'main',
        resources: { requests: { cpu, memory, ...gpus }, limits: gpus },
        ports: hostPort === undefined ? undefined : [hostPort],
      },
    ],
    initContainers:
      initContainer === undefined
        ? undefined
        : [
            {
              name: 'first',
              restartPolicy: initContainer.sidecar ? 'Always' : undefined,
              resources: { requests: { cpu: initContainer.cpu } },
            },
          ],
    overhead: of.overhead,
    resources: ofPod === undefined ? undefined : { requests: ofPod },
    nodeSelector: of.nodeSelector,
    tolerations: of.tolerations,
    affinity: affinityOf(of, own),
    topologySpreadConstraints: of.spreads?.map((constraint) => constraint(own)),
    volumes: of.storage === undefined ? undefined : [of.storage.volumeOf(own)],
  };
}

function affinityOf(of: DrawnDeployment, own: string) {
  const { required, preferred, affinity, antiAffinity, likes, dislikes } = of;
  const weightedTerm = (one: typeof likes) =>
    one === undefined ? undefined : [{ weight: one[1], podAffinityTerm: one[0](own) }];
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution:
        required === undefined ? undefined : { nodeSelectorTerms: required },
      preferredDuringSchedulingIgnoredDuringExecution: preferred?.map(([preference, weight]) => ({
        weight,
        preference,
      })),
    },
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: affinity === undefined ? undefined : [affinity(own)],
      preferredDuringSchedulingIgnoredDuringExecution: weightedTerm(likes),
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: antiAffinity === undefined ? undefined : [antiAffinity(own)],
      preferredDuringSchedulingIgnoredDuringExecution: weightedTerm(dislikes),
    },
  };
}
