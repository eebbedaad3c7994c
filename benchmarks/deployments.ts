import type { Pod, PodSpec, TopologySpreadConstraint } from '../lib/apis/kubernetes.ts';
import type { Random } from '../lib/simulator/random.ts';
import { CREATED, HOSTNAME, type MakeWorkload, numbered, pickFrom, pod, someRequests, ZONE } from './workload.ts';

/** A few large deployments and many small ones, each with its own constraint, and two daemons on every node. */
export const deployments: MakeWorkload = (random, pods) => ({
  daemonSets: [daemonSet('network', '50m', '64Mi'), daemonSet('logs', '100m', '200Mi')],
  pods: deploymentPods(random, pods),
});

/** Only the pods. */
export function deploymentPods(random: Random, count: number): readonly Pod[] {
  const pods: Pod[] = [];
  for (let at = 0; pods.length < count; at += 1) {
    const app = numbered('app', at);
    const size = Math.min(replicas(random), count - pods.length);
    const requests = someRequests(random);
    const spec = pickFrom(random, SHARES)(app, size, random);
    for (let replica = 0; replica < size; replica += 1) {
      pods.push(pod({ name: numbered(app, replica), labels: { app }, requests, spec }));
    }
  }
  return pods;
}

/** A power law: half of all deployments have one or two pods, one in a hundred has a hundred or more. */
function replicas(random: Random): number {
  return Math.min(Math.floor(1_000 / random.between(1, 1_001)), 400);
}

type Constrain = (app: string, size: number, random: Random) => Partial<PodSpec>;

const plain: Constrain = () => ({});
const zonal: Constrain = (app) => ({ topologySpreadConstraints: [spread(app, ZONE, 1)] });
const apart: Constrain = (app) => ({
  topologySpreadConstraints: [
    spread(app, HOSTNAME, 5),
    { ...spread(app, ZONE, 1), whenUnsatisfiable: 'ScheduleAnyway' },
  ],
});
/** Only for small deployments: a large one would need one host for each pod. */
const alone: Constrain = (app, size) => {
  const term = { topologyKey: HOSTNAME, labelSelector: { matchLabels: { app } } };
  return size > 20 ? {} : { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
};
const steady: Constrain = () => ({ nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } });
const arm: Constrain = () => ({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } });
const pinned: Constrain = (_, __, random) => ({
  nodeSelector: { [ZONE]: pickFrom(random, ['us-east-1a', 'us-east-1b', 'us-east-1c']) },
});

/** Twenty equal shares. */
const SHARES: readonly Constrain[] = [
  ...Array.from({ length: 9 }, () => plain),
  ...Array.from({ length: 3 }, () => zonal),
  ...Array.from({ length: 3 }, () => apart),
  alone,
  alone,
  steady,
  arm,
  pinned,
];

function spread(app: string, topologyKey: string, maxSkew: number): TopologySpreadConstraint {
  return { maxSkew, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app } } };
}

export function daemonSet(name: string, cpu: string, memory: string): object {
  const labels = { daemon: name };
  return {
    metadata: { name, namespace: 'kube-system', creationTimestamp: CREATED },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'main', resources: { requests: { cpu, memory } } }],
          tolerations: [{ operator: 'Exists' }],
        },
      },
    },
  };
}
