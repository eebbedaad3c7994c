import type { Labels, NodeSelectorTerm, PodSpec } from '../lib/apis/kubernetes.ts';
import type { Random } from '../lib/simulator/random.ts';
import { HOSTNAME, type MakeWorkload, numbered, pickFrom, pod, someRequests, ZONE } from './workload.ts';

/** Pods without constraints, to measure packing only. */
export const generic: MakeWorkload = (random, pods) => ({
  pods: Array.from({ length: pods }, (_, at) => pod({ name: numbered('plain', at), requests: someRequests(random) })),
});

/** A fifth each: unconstrained, spread over zones, spread over hosts, with zone affinity, with host anti-affinity. */
export const diverse: MakeWorkload = (random, pods) => ({
  pods: Array.from({ length: pods }, (_, at) => {
    const kind = DIVERSE[Math.floor((at * DIVERSE.length) / pods)] ?? 'plain';
    const group = pickFrom(random, GROUPS);
    return pod({
      name: numbered(kind, at),
      labels: labelsOf(kind, group),
      requests: someRequests(random),
      spec: constraintOf(kind, group, random),
    });
  }),
});

const DIVERSE = ['plain', 'zone-spread', 'host-spread', 'zone-affinity', 'alone'] as const;
type Kind = (typeof DIVERSE)[number];
const GROUPS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** The labels of a pod. A spread counts the pods of a group that have neither affinity nor anti-affinity. */
function labelsOf(kind: Kind, group: string): Labels {
  switch (kind) {
    case 'plain':
    case 'zone-spread':
    case 'host-spread':
      return { group };
    case 'zone-affinity':
      return { near: group };
    case 'alone':
      return { role: 'alone' };
  }
}

function constraintOf(kind: Kind, group: string, random: Random): Partial<PodSpec> {
  switch (kind) {
    case 'plain':
      return {};
    case 'zone-spread':
      return spreadOfAnyGroup(ZONE, random);
    case 'host-spread':
      return spreadOfAnyGroup(HOSTNAME, random);
    case 'zone-affinity': {
      const term = { topologyKey: ZONE, labelSelector: { matchLabels: { near: group } } };
      return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    }
    case 'alone': {
      const term = { topologyKey: HOSTNAME, labelSelector: { matchLabels: { role: 'alone' } } };
      return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    }
  }
}

/** A spread may select a group that does not contain its pod: here in six of seven cases. */
function spreadOfAnyGroup(topologyKey: string, random: Random): Partial<PodSpec> {
  const labelSelector = { matchLabels: { group: pickFrom(random, GROUPS) } };
  return {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector }],
  };
}

/** Pods with a preferred zone and preferred anti-affinity by zone and by host; half of them prefer a zone that does not exist. */
export const preferences: MakeWorkload = (random, pods) => ({
  pods: Array.from({ length: pods }, (_, at) =>
    pod({
      name: numbered('picky', at),
      labels: { app: 'picky' },
      requests: someRequests(random),
      spec:
        at % 2 === 0
          ? preferring([inZone(5, 'us-east-1b')])
          : preferring([inZone(50, 'none'), inZone(5, 'us-east-1b')]),
    }),
  ),
});

interface WeightedTerm {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

function preferring(zones: readonly WeightedTerm[]): Partial<PodSpec> {
  return {
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: zones },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [fromLike(20, ZONE), fromLike(2, HOSTNAME)] },
    },
  };
}

function inZone(weight: number, zone: string): WeightedTerm {
  return { weight, preference: { matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] } };
}

function fromLike(weight: number, topologyKey: string) {
  return { weight, podAffinityTerm: { topologyKey, labelSelector: { matchLabels: { app: 'picky' } } } };
}
