/** Simulates a kubelet for each running instance of the cluster: it joins when the instance runs and stops with it. */
import { setTimeout } from 'node:timers/promises';
import { DescribeInstancesCommand, EC2Client, type Instance } from '@aws-sdk/client-ec2';
import type { InstanceTypeFacts } from '../../lib/core/instance-type/facts.ts';
import { type FakeKubelet, startFakeKubelet, type Timing } from '../rig/fake-kubelet.ts';
import { machineNode } from '../rig/machine-node.ts';

export interface Machines {
  /** All instances that the cluster ever had. */
  readonly instances: () => Promise<readonly Instance[]>;
  /** Requests of the nodes that the API server refused. */
  readonly refusals: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface MachinesPlan {
  readonly cluster: string;
  readonly facts: readonly InstanceTypeFacts[];
  readonly timing?: Timing;
}

const LOOK_EVERY_MS = 300;

export function playMachines({ cluster, facts, timing = {} }: MachinesPlan): Machines {
  const ec2 = new EC2Client({});
  const kubelets = new Map<string, FakeKubelet>();
  const stopped = new AbortController();
  const instances = async (): Promise<readonly Instance[]> => {
    const Filters = [{ Name: 'tag-key', Values: [`kubernetes.io/cluster/${cluster}`] }];
    const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters, MaxResults: 1_000 }));
    return Reservations.flatMap(({ Instances = [] }) => Instances);
  };
  // While a test throttles EC2, running machines keep running.
  const seenInstances = async (): Promise<readonly Instance[]> => {
    try {
      return await instances();
    } catch (error) {
      if (error instanceof Error && error.name === 'RequestLimitExceeded') return [];
      throw error;
    }
  };
  const look = async (): Promise<void> => {
    for (const instance of await seenInstances()) {
      const { InstanceId: id = '', State } = instance;
      if (State?.Name === 'running' && !kubelets.has(id)) {
        kubelets.set(id, startFakeKubelet({ ...timing, ...nodeOf(instance, facts) }));
      }
      if (State?.Name === 'shutting-down' || State?.Name === 'terminated') await kubelets.get(id)?.die();
    }
  };
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      await look();
      await setTimeout(LOOK_EVERY_MS);
    }
  })();
  return {
    instances,
    refusals: () => [...kubelets.values()].flatMap(({ refusals }) => refusals),
    close: async () => {
      stopped.abort();
      await watching;
      await Promise.all([...kubelets.values()].map((kubelet) => kubelet.die()));
      ec2.destroy();
    },
  };
}

function nodeOf(instance: Instance, facts: readonly InstanceTypeFacts[]) {
  const { InstanceId = '', InstanceType = '', Placement, Tags = [], PrivateDnsName = '' } = instance;
  return machineNode(
    {
      instanceId: InstanceId,
      instanceType: InstanceType,
      zone: Placement?.AvailabilityZone ?? '',
      nodePool: Tags.find(({ Key }) => Key === 'karpenter.sh/nodepool')?.Value ?? '',
      privateDnsName: PrivateDnsName,
    },
    facts,
  );
}
