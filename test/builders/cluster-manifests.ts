import type { ClusterManifests } from '../../lib/apis/cluster-manifests.ts';
import type { Deployment, PodDisruptionBudget, PodTemplate } from '../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import {
  type CronJob,
  type Job,
  type JobSpec,
  SIMULATED_DURATION,
  type StatefulSet,
} from '../../lib/apis/workloads.ts';
import { aNodeClass, aNodePool, asking } from './node-pools.ts';

/** A pool with c7g and m7g, spot and on-demand, in one zone. All its nodes may be disrupted at once. */
export function aPool(spec: Partial<NodePool['spec']> = {}): NodePool {
  const pool = aNodePool({
    requirements: [
      asking('karpenter.sh/capacity-type', 'In', 'spot', 'on-demand'),
      asking('karpenter.k8s.aws/instance-family', 'In', 'c7g', 'm7g'),
      asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
    ],
    disruption: { budgets: [{ nodes: '100%' }] },
  });
  return { ...pool, spec: { ...pool.spec, ...spec } };
}

export function aDeployment(name: string, replicas: number, cpu = '1'): Deployment {
  return {
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name, resources: { requests: { cpu } } }] },
      },
    },
  };
}

export function aStatefulSet(name: string, spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  const { metadata, spec: base } = aDeployment(name, 3);
  return { metadata, spec: { ...base, ...spec } };
}

/** A template of pods with one container, which run for this time in a simulation. */
export function aJobTemplate(duration: string | undefined, cpu = '1'): PodTemplate {
  return {
    metadata: duration === undefined ? {} : { annotations: { [SIMULATED_DURATION]: duration } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', resources: { requests: { cpu } } }] },
  };
}

/** A Job of one pod that runs for five minutes. */
export function aJob(name: string, spec: Partial<JobSpec> = {}): Job {
  return { metadata: { name, namespace: 'default' }, spec: { template: aJobTemplate('5m'), ...spec } };
}

/** A CronJob whose Jobs have one pod that runs for five minutes. */
export function aCronJob(name: string, schedule: string, spec: Partial<CronJob['spec']> = {}): CronJob {
  const { metadata, spec: jobSpec } = aJob(name);
  return { metadata, spec: { schedule, jobTemplate: { spec: jobSpec }, ...spec } };
}

export function someManifests(over: Partial<ClusterManifests> = {}): ClusterManifests {
  return {
    nodePools: [aPool()],
    nodeClasses: [aNodeClass()],
    deployments: [aDeployment('web', 3)],
    replicaSets: [],
    statefulSets: [],
    jobs: [],
    cronJobs: [],
    horizontalPodAutoscalers: [],
    daemonSets: [],
    pods: [],
    podDisruptionBudgets: [],
    nodeOverlays: [],
    capacityBuffers: [],
    podTemplates: [],
    priorityClasses: [],
    runtimeClasses: [],
    namespaces: [],
    limitRanges: [],
    persistentVolumes: [],
    persistentVolumeClaims: [],
    storageClasses: [],
    ...over,
  };
}

const dnsLabels = { 'k8s-app': 'kube-dns' };

/** As EKS installs it: two replicas, one of which may be unavailable. */
export const coreDns: Deployment = {
  metadata: { name: 'coredns', namespace: 'kube-system' },
  spec: {
    replicas: 2,
    selector: { matchLabels: dnsLabels },
    template: {
      metadata: { labels: dnsLabels },
      spec: {
        priorityClassName: 'system-cluster-critical',
        containers: [{ name: 'coredns', resources: { requests: { cpu: '100m', memory: '70Mi' } } }],
      },
    },
  },
};
export const coreDnsBudget: PodDisruptionBudget = {
  metadata: { name: 'coredns', namespace: 'kube-system' },
  spec: { selector: { matchLabels: dnsLabels }, maxUnavailable: 1 },
};

/** One pod a node: the types of the pool have two CPUs. */
export function manyNodes(count: number): ClusterManifests {
  const pool = aPool();
  const { template } = pool.spec;
  const requirements = [...template.spec.requirements, asking('karpenter.k8s.aws/instance-cpu', 'Lt', '3')];
  const small = { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } };
  return someManifests({ nodePools: [{ ...pool, spec: small }], deployments: [aDeployment('web', count)] });
}
