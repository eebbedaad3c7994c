import type { Pod } from '../lib/apis/kubernetes.ts';
import { typeRequirements } from '../lib/core/instance-type/type-requirements.ts';
import type { InstanceType } from '../lib/core/model/instance-type.ts';
import { singleValues } from '../lib/core/requirements/requirements.ts';
import { formatResources } from '../lib/core/resources/resources.ts';
import type { Random } from '../lib/simulator/random.ts';
import { deploymentPods } from './deployments.ts';
import { NODE_CLASS_REF, POOL } from './node-pool.ts';
import { CREATED, HOSTNAME, type MakeWorkload, numbered, pickFrom, pod, type Workload, ZONE } from './workload.ts';

const NODES = 500;
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** Nodes of 4 to 16 CPUs, half of which are in use, and the pods of new deployments. */
export function existing(types: readonly InstanceType[], count = NODES): MakeWorkload {
  const usual = types.filter(
    ({ name, capacity: { cpu = 0 } }) => /^[mcr][67][ia]\./.test(name) && cpu >= 4_000 && cpu <= 16_000,
  );
  return (random, pods) => {
    const nodes = Array.from({ length: count }, (_, at) => halfFullNode(numbered('node', at), usual, random));
    return {
      nodes: nodes.flatMap((one) => one.nodes ?? []),
      nodeClaims: nodes.flatMap((one) => one.nodeClaims ?? []),
      pods: [...nodes.flatMap((one) => one.pods), ...deploymentPods(random, pods)],
    };
  };
}

function halfFullNode(name: string, types: readonly InstanceType[], random: Random): Workload {
  const type = pickFrom(random, types);
  const zone = pickFrom(random, ZONES);
  const providerID = `aws:///${zone}/i-${name}`;
  const labels = {
    ...singleValues(typeRequirements(type)),
    [ZONE]: zone,
    'karpenter.sh/capacity-type': 'on-demand',
    'karpenter.sh/nodepool': POOL,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  const size = { capacity: formatResources(type.capacity), allocatable: formatResources(type.allocatable) };
  return {
    nodes: [
      {
        metadata: { name, creationTimestamp: CREATED, labels: { ...labels, [HOSTNAME]: name } },
        spec: { providerID },
        status: size,
      },
    ],
    nodeClaims: [
      {
        metadata: { name: `claim-${name}`, creationTimestamp: CREATED, labels },
        spec: { nodeClassRef: NODE_CLASS_REF, requirements: [], expireAfter: '720h' },
        status: { providerID, nodeName: name, ...size },
      },
    ],
    pods: runningPods(name, type),
  };
}

/** Pods of a quarter of a CPU that fill half of the node. */
function runningPods(nodeName: string, { allocatable: { cpu = 0 } }: InstanceType): readonly Pod[] {
  return Array.from({ length: Math.floor(cpu / 2 / 250) }, (_, at) => ({
    ...pod({
      name: `run-${nodeName}-${at}`,
      labels: { app: `run-${at % 20}` },
      requests: { cpu: '250m', memory: '512Mi' },
      spec: { nodeName },
    }),
    status: { phase: 'Running' as const },
  }));
}
