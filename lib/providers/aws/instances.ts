import {
  DescribeInstancesCommand,
  type EC2Client,
  type Instance as Ec2Instance,
  type Filter,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { NODE_CLAIM_TAG } from '../../apis/labels.ts';
import { ownershipKey } from '../../core/node-claim/ownership-tags.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import { isUnknownInstance, translated } from './errors.ts';
import { allPages } from './pages.ts';
import { labelsOf, ownershipFilters } from './tags.ts';

export interface InstanceReader {
  readonly client: EC2Client;
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
}

/** C55: all states but terminated. */
const STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] as const;

export async function describeInstances(
  reader: InstanceReader,
  cluster: string,
): Promise<readonly DescribedInstance[]> {
  const filters = [...ownershipFilters(cluster), { Name: 'instance-state-name', Values: [...STATES] }];
  const instances = await listInstances(reader.client, `describe the instances of ${cluster}`, filters);
  return instances
    .map((instance) => describedOf(reader, cluster, instance))
    .filter((instance) => instance !== undefined)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export async function describeInstance(
  reader: InstanceReader,
  cluster: string,
  instanceId: string,
): Promise<DescribedInstance | undefined> {
  const answer = await translated(`describe ${instanceId}`, async () => {
    try {
      return await reader.client.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
    } catch (thrown) {
      if (isUnknownInstance(thrown)) return undefined;
      throw thrown;
    }
  });
  const instances = (answer?.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []);
  const instance = instances.find((each) => each.InstanceId === instanceId);
  return instance === undefined ? undefined : describedOf(reader, cluster, instance);
}

/** Promise 4: looked at before it is touched; an instance that is not the cluster's counts as gone. */
export async function terminate(reader: InstanceReader, cluster: string, instanceId: string): Promise<void> {
  const instance = await describeInstance(reader, cluster, instanceId);
  if (instance === undefined || instance.state === 'shutting-down') return;
  await translated(`terminate ${instanceId}`, async () => {
    try {
      await reader.client.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
    } catch (thrown) {
      if (!isUnknownInstance(thrown)) throw thrown;
    }
  });
}

async function listInstances(client: EC2Client, doing: string, Filters: Filter[]): Promise<readonly Ec2Instance[]> {
  const reservations = await allPages(doing, async (token) => {
    const answer = await client.send(
      new DescribeInstancesCommand({
        Filters,
        MaxResults: 1_000,
        ...(token === undefined ? {} : { NextToken: token }),
      }),
    );
    return { items: answer.Reservations, next: answer.NextToken };
  });
  return reservations.flatMap((reservation) => reservation.Instances ?? []);
}

/** *Shape:* undefined where it is terminated or not the cluster's. */
function describedOf(reader: InstanceReader, cluster: string, instance: Ec2Instance): DescribedInstance | undefined {
  const tags = labelsOf(instance.Tags);
  const state = STATES.find((each) => each === instance.State?.Name);
  const nodeClaim = tags[NODE_CLAIM_TAG];
  if (instance.InstanceId === undefined || state === undefined) return undefined;
  if (nodeClaim === undefined || tags[ownershipKey(cluster)] !== 'owned') return undefined;
  const instanceType = instance.InstanceType ?? '';
  return {
    id: instance.InstanceId,
    instanceType,
    zone: instance.Placement?.AvailabilityZone ?? '',
    capacityType: instance.InstanceLifecycle === 'spot' ? 'spot' : 'on-demand',
    imageId: instance.ImageId ?? '',
    // EC2 does not say what an instance costs; the on-demand price is the most that a spot instance may (C29).
    priceUsdPerHour: reader.onDemandUsdPerHour.get(instanceType) ?? 0,
    nodeClaim,
    state,
  };
}
