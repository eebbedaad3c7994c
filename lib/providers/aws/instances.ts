import {
  DescribeInstancesCommand,
  type EC2Client,
  type Instance as Ec2Instance,
  type Filter,
} from '@aws-sdk/client-ec2';
import { NODE_CLAIM_TAG, NODE_CLASS, NODE_POOL } from '../../apis/labels.ts';
import { compareText } from '../../core/compare-text.ts';
import { CLUSTER_TAG, ownershipKey } from '../../core/node-claim/ownership-tags.ts';
import type { DescribedInstance, InstanceOwner } from '../../ports/cloud-provider.ts';
import { apart } from './apart.ts';
import { isUnknownInstance, portErrorOf, translated } from './errors.ts';
import { allPages } from './pages.ts';
import { labelsOf, ownershipFilters } from './tags.ts';

export interface InstanceReader {
  readonly client: EC2Client;
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
}

/** C51: as many as one call is given. */
export const MOST_IDS = 500;

/** C55: all states but terminated. */
export const STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] as const;
const ALIVE: readonly string[] = STATES.slice(0, -1);

/** Every instance of the cluster, or those of the ids that are. */
export async function describeInstances(
  reader: InstanceReader,
  cluster: string,
  instanceIds?: readonly string[],
): Promise<readonly DescribedInstance[]> {
  const doing = `describe the instances of ${cluster}`;
  const filters = [...ownershipFilters(cluster), { Name: 'instance-state-name', Values: [...STATES] }];
  const instances = await (instanceIds === undefined
    ? listInstances(reader.client, doing, filters)
    : readInstances(reader.client, doing, instanceIds));
  return instances
    .map((instance) => describedOf(reader, cluster, instance))
    .filter((instance) => instance !== undefined)
    .toSorted((a, b) => compareText(a.id, b.id));
}

/** Whose the instances are by their tags; one that is ending is nobody's any more. */
export async function instanceOwners(
  client: EC2Client,
  instanceIds: readonly string[],
): Promise<readonly InstanceOwner[]> {
  const instances = await readInstances(client, 'look whose instances these are', instanceIds);
  return instances.flatMap(({ InstanceId: instanceId, Tags, State }) => {
    if (!ALIVE.includes(State?.Name ?? '')) return [];
    const tags = labelsOf(Tags);
    const cluster = tags[CLUSTER_TAG];
    const nodeClaim = tags[NODE_CLAIM_TAG];
    if (instanceId === undefined || cluster === undefined || nodeClaim === undefined) return [];
    return tags[ownershipKey(cluster)] === 'owned' ? [{ instanceId, cluster, nodeClaim }] : [];
  });
}

export async function listInstances(
  client: EC2Client,
  doing: string,
  Filters: Filter[],
): Promise<readonly Ec2Instance[]> {
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

/** By id, many in a call; those that EC2 does not know are left out. */
async function readInstances(
  client: EC2Client,
  doing: string,
  instanceIds: readonly string[],
): Promise<readonly Ec2Instance[]> {
  const ids = [...new Set(instanceIds)];
  const found: Ec2Instance[] = [];
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    const asked = ids.slice(from, from + MOST_IDS);
    const { answers, refused } = await translated(doing, () =>
      apart(doing, asked, async (InstanceIds) =>
        client.send(new DescribeInstancesCommand({ InstanceIds: [...InstanceIds] })),
      ),
    );
    const refusal = [...refused.values()].find((thrown) => !isUnknownInstance(thrown));
    if (refusal !== undefined) throw portErrorOf(refusal, doing);
    const instances = answers.flatMap(({ Reservations = [] }) => Reservations.flatMap((one) => one.Instances ?? []));
    // An answer about another instance than those asked for is not believed.
    found.push(...instances.filter(({ InstanceId }) => InstanceId !== undefined && asked.includes(InstanceId)));
  }
  return found;
}

/** *Shape:* undefined where it is terminated or not the cluster's. */
function describedOf(reader: InstanceReader, cluster: string, instance: Ec2Instance): DescribedInstance | undefined {
  const tags = labelsOf(instance.Tags);
  const state = STATES.find((each) => each === instance.State?.Name);
  const nodeClaim = tags[NODE_CLAIM_TAG];
  if (state === undefined || nodeClaim === undefined || tags[ownershipKey(cluster)] !== 'owned') return undefined;
  // EC2 does not say what an instance costs; the on-demand price is the most that a spot instance may (C29).
  const facts = factsOf(instance, reader.onDemandUsdPerHour.get(instance.InstanceType ?? '') ?? 0);
  return facts === undefined ? undefined : { ...facts, nodeClaim, state };
}

/** What it is and what its tags say launched it; undefined where it has no id. */
export function factsOf(
  instance: Ec2Instance,
  priceUsdPerHour: number,
): Omit<DescribedInstance, 'nodeClaim' | 'state'> | undefined {
  if (instance.InstanceId === undefined) return undefined;
  const tags = labelsOf(instance.Tags);
  const reservation = reservationOf(instance);
  return {
    id: instance.InstanceId,
    instanceType: instance.InstanceType ?? '',
    zone: instance.Placement?.AvailabilityZone ?? '',
    capacityType: capacityTypeOf(instance),
    imageId: instance.ImageId ?? '',
    priceUsdPerHour,
    nodePool: tags[NODE_POOL] ?? '',
    nodeClass: tags[NODE_CLASS] ?? '',
    launchedAtMs: instance.LaunchTime?.getTime() ?? 0,
    ...(reservation === undefined ? {} : { reservation }),
  };
}

/** C60: what is launched on demand keeps away from reservations, so what is in one was launched into it. */
function capacityTypeOf(instance: Ec2Instance): DescribedInstance['capacityType'] {
  if (instance.InstanceLifecycle === 'spot') return 'spot';
  return instance.CapacityReservationId === undefined ? 'on-demand' : 'reserved';
}

/** The one that it is in just now: an instance outlives its reservation (C83). */
function reservationOf({
  CapacityReservationId: id,
  InstanceLifecycle,
}: Ec2Instance): DescribedInstance['reservation'] {
  if (id === undefined) return undefined;
  if (InstanceLifecycle === 'capacity-block') return { id, kind: 'capacity-block' };
  return { id, kind: InstanceLifecycle === 'interruptible-capacity-reservation' ? 'interruptible' : 'default' };
}
