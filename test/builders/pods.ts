import { formatTime } from '../../lib/apis/formats/time.ts';
import type {
  Affinity,
  Container,
  Labels,
  Pod,
  PodAffinityTerm,
  PodSpec,
  ResourceList,
  TopologySpreadConstraint,
} from '../../lib/apis/kubernetes.ts';
import { optional } from '../../lib/apis/optional.ts';
import { NOW_MS } from './times.ts';

export interface PodOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  /** The requests of its container. */
  readonly requests?: ResourceList;
  readonly containers?: readonly Container[];
  readonly owner?: 'ReplicaSet' | 'DaemonSet' | 'StatefulSet' | 'Job' | 'Node';
  /** @default 'owner' */
  readonly ownerName?: string;
  readonly ownerUid?: string;
  readonly createdAtMs?: number;
  /** The end of its grace period. Set for a terminating pod. */
  readonly deletionMs?: number;
  /** From the first deletion to `deletionMs`. @default that of the pod's spec */
  readonly deletionGraceSeconds?: number;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod['status'];
}

/** A pod of a ReplicaSet that the scheduler has not processed yet. */
export function aPod(options: PodOptions = {}): Pod {
  const {
    name = 'web-1',
    namespace = 'default',
    owner = 'ReplicaSet',
    ownerName = 'owner',
    ownerUid = 'uid-owner',
    requests = { cpu: '500m', memory: '1Gi' },
  } = options;
  return {
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      ...(options.labels === undefined ? {} : { labels: options.labels }),
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: ownerName, uid: ownerUid, controller: true }],
      creationTimestamp: formatTime(options.createdAtMs ?? NOW_MS),
      ...(options.deletionMs === undefined ? {} : { deletionTimestamp: formatTime(options.deletionMs) }),
      ...optional({ deletionGracePeriodSeconds: options.deletionGraceSeconds }),
    },
    spec: { containers: options.containers ?? [{ name: 'main', resources: { requests } }], ...options.spec },
    ...(options.status === undefined ? {} : { status: options.status }),
  };
}

/** A pod that the scheduler marked as unschedulable (B6). */
export function pendingPod(options: PodOptions = {}): Pod {
  return aPod({
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    },
    ...options,
  });
}

/** A pod that runs on the node. */
export function runningPod(node: string, options: PodOptions = {}): Pod {
  return aPod({
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    ...options,
    spec: { nodeName: node, ...options.spec },
  });
}

/** The given number of equal pending pods, named `name-1`, `name-2`, … */
export function pendingPods(count: number, options: PodOptions = {}): readonly Pod[] {
  return Array.from({ length: count }, (_, index) =>
    pendingPod({ ...options, name: `${options.name ?? 'web'}-${index + 1}` }),
  );
}

/** A spread constraint of the pods labelled `app: web` over zones, with maxSkew 1. */
export function spread(over: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
    ...over,
  };
}

/** An affinity term for the pods labelled `app: web`, by zone. */
export function affinityTerm(over: Partial<PodAffinityTerm> = {}): PodAffinityTerm {
  return {
    topologyKey: 'topology.kubernetes.io/zone',
    labelSelector: { matchLabels: { app: 'web' } },
    ...over,
  };
}

export function joining(...terms: readonly PodAffinityTerm[]): Affinity {
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
}

export function avoiding(...terms: readonly PodAffinityTerm[]): Affinity {
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
}
