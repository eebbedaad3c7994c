import {
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  type DescribeInstancesCommandOutput,
  type EC2Client,
  type Instance as Ec2Instance,
  type Filter,
} from '@aws-sdk/client-ec2';
import { SECOND_MS } from '../../../apis/formats/time.ts';
import { NODE_CLAIM_TAG, NODE_CLASS, NODE_POOL } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import { CLUSTER_TAG, ownershipKey } from '../../../core/model/ownership-tags.ts';
import type { DescribedInstance, InstanceOwner } from '../../../ports/cloud-provider.ts';
import { UnreachableError } from '../../../ports/errors.ts';
import { callExcludingRefused } from '../client/call-excluding-refused.ts';
import { awsPortError, isUnknownInstance, translated } from '../client/errors.ts';
import { allPages } from '../client/pages.ts';
import { labelsOf, ownershipFilters } from './tags.ts';

export interface InstanceReader {
  readonly client: EC2Client;
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
  /** How long a call may take, with its second attempt. @default 5 s for instances by id, and 10 s for a page of a list */
  readonly answerWithinMs?: number;
}

type Calls = Pick<InstanceReader, 'client' | 'answerWithinMs'>;

/**
 * Promise 7: a run waits for these calls, and a call without an answer takes 30 s by the limits of the SDK. A drain reads its instance
 * every 5 s, and a spot instance has two minutes. A node that joins waits for the list. The next run repeats a call that is cut off.
 */
const WITHIN_MS = { ids: 5 * SECOND_MS, page: 10 * SECOND_MS };

/** C51: the maximum number of ids per call. */
export const MAX_IDS = 500;

/** C55: all states except terminated. */
export const STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] as const;
const ALIVE: readonly string[] = STATES.slice(0, -1);

/** The states of an instance that EC2 shows when it is asked for its id. */
const SHOWN = [...STATES, 'terminated'] as const;

/** All instances of the cluster, or those with the given ids, also if they do not have the ownership tags (`untagged`). */
export async function describeInstances(
  reader: InstanceReader,
  cluster: string,
  instanceIds?: readonly string[],
): Promise<readonly DescribedInstance[]> {
  const doing = `describe the instances of ${cluster}`;
  const filters = [...ownershipFilters(cluster), { Name: 'instance-state-name', Values: [...STATES] }];
  const instances = await (instanceIds === undefined
    ? listInstances(reader, doing, filters)
    : readInstances(reader, doing, instanceIds));
  return instances
    .map((instance) => describedOf(reader, cluster, instance))
    .filter((instance) => instance !== undefined)
    .filter(({ untagged }) => instanceIds !== undefined || untagged === undefined)
    .toSorted((a, b) => compareText(a.id, b.id));
}

/** Promise 4: those of the instances that are not terminated and have the ownership tags of the cluster. */
export async function describeOwnInstances(
  reader: InstanceReader,
  cluster: string,
  instanceIds: readonly string[],
): Promise<readonly DescribedInstance[]> {
  const found = await describeInstances(reader, cluster, instanceIds);
  return found.filter(({ untagged, state }) => untagged === undefined && state !== 'terminated');
}

/** The owners of instances by their tags. Instances that are shutting down have no owner. */
export async function instanceOwners(
  client: EC2Client,
  instanceIds: readonly string[],
): Promise<readonly InstanceOwner[]> {
  const instances = await readInstances({ client }, 'read the owners of instances', instanceIds);
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
  { client, answerWithinMs = WITHIN_MS.page }: Calls,
  doing: string,
  Filters: Filter[],
): Promise<readonly Ec2Instance[]> {
  const reservations = await allPages(doing, async (token) => {
    const input = { Filters, MaxResults: 1_000, ...optional({ NextToken: token }) };
    const answer = await describe({ client, answerWithinMs }, doing, input);
    return { items: answer.Reservations, next: answer.NextToken };
  });
  return reservations.flatMap((reservation) => reservation.Instances ?? []);
}

/** The maximum number of values of a filter. */
const MAX_VALUES = 200;

/**
 * Reads instances by id, many in one call. Unknown ids are left out. EC2 names them in its refusal; if it does not, the ids that are still
 * unclear when the calls are used up are read by a filter, which ignores unknown ids.
 */
async function readInstances(
  { client, answerWithinMs = WITHIN_MS.ids }: Calls,
  doing: string,
  instanceIds: readonly string[],
): Promise<readonly Ec2Instance[]> {
  const ids = [...new Set(instanceIds)];
  const found: Ec2Instance[] = [];
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const asked = ids.slice(from, from + MAX_IDS);
    const { answers, refused, unclear } = await translated(doing, () =>
      callExcludingRefused(doing, asked, async (some) =>
        describe({ client, answerWithinMs }, doing, { InstanceIds: [...some] }),
      ),
    );
    const refusal = [...refused.values()].find((thrown) => !isUnknownInstance(thrown));
    if (refusal !== undefined) throw awsPortError(refusal, doing);
    const instances = answers.flatMap(({ Reservations = [] }) => Reservations.flatMap((one) => one.Instances ?? []));
    for (let rest = [...unclear]; rest.length > 0; rest = rest.slice(MAX_VALUES)) {
      const Values = rest.slice(0, MAX_VALUES);
      instances.push(...(await listInstances({ client, answerWithinMs }, doing, [{ Name: 'instance-id', Values }])));
    }
    // Instances that were not requested are ignored.
    found.push(...instances.filter(({ InstanceId }) => InstanceId !== undefined && asked.includes(InstanceId)));
  }
  return found;
}

/**
 * *Errors:* UnreachableError without an answer in time, and for an answer without a list, as from a proxy: the instances of an
 * empty list have ended.
 */
async function describe(
  { client, answerWithinMs }: { readonly client: EC2Client; readonly answerWithinMs: number },
  doing: string,
  input: DescribeInstancesCommandInput,
): Promise<DescribeInstancesCommandOutput> {
  const abortSignal = AbortSignal.timeout(answerWithinMs);
  try {
    const answer = await client.send(new DescribeInstancesCommand(input), { abortSignal });
    if (answer.Reservations !== undefined) return answer;
    throw new UnreachableError(`${doing}: the answer of EC2 has no list of instances; try again later`);
  } catch (cause) {
    if (!abortSignal.aborted) throw cause;
    throw new UnreachableError(`${doing}: EC2 did not answer within ${answerWithinMs} ms; try again later`, { cause });
  }
}

/** *Shape:* undefined for an instance in an unknown state. */
function describedOf(reader: InstanceReader, cluster: string, instance: Ec2Instance): DescribedInstance | undefined {
  const tags = labelsOf(instance.Tags);
  const state = SHOWN.find((each) => each === instance.State?.Name);
  if (state === undefined) return undefined;
  const nodeClaim = tags[NODE_CLAIM_TAG];
  const isOwned = nodeClaim !== undefined && tags[ownershipKey(cluster)] === 'owned';
  // EC2 does not return the price of an instance. The on-demand price is the maximum for a spot instance (C29).
  const facts = instanceFactsOf(instance, reader.onDemandUsdPerHour.get(instance.InstanceType ?? '') ?? 0);
  return facts && { ...facts, nodeClaim: nodeClaim ?? '', state, ...(!isOwned && { untagged: true }) };
}

/** The facts of an instance from its description and tags; undefined where it has no id. */
export function instanceFactsOf(
  instance: Ec2Instance,
  priceUsdPerHour: number,
): Omit<DescribedInstance, 'nodeClaim' | 'state'> | undefined {
  if (instance.InstanceId === undefined) return undefined;
  const tags = labelsOf(instance.Tags);
  const reservation = reservationOf(instance);
  const { SubnetId: subnetId, SecurityGroups: groups = [], PrivateDnsName } = instance;
  // Empty for an instance that is being launched.
  const privateDnsName = PrivateDnsName === '' ? undefined : PrivateDnsName;
  const securityGroupIds = groups.flatMap(({ GroupId }) => GroupId ?? []);
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
    ...optional({ reservation, subnetId, privateDnsName }),
    ...(securityGroupIds.length > 0 && { securityGroupIds }),
  };
}

/** C60: on-demand launches do not use reservations, so an instance in a reservation was launched into it. */
function capacityTypeOf(instance: Ec2Instance): DescribedInstance['capacityType'] {
  if (instance.InstanceLifecycle === 'spot') return 'spot';
  return instance.CapacityReservationId === undefined ? 'on-demand' : 'reserved';
}

/** The present reservation of an instance. An instance may outlive its reservation (C83). */
function reservationOf({
  CapacityReservationId: id,
  InstanceLifecycle,
}: Ec2Instance): DescribedInstance['reservation'] {
  if (id === undefined) return undefined;
  if (InstanceLifecycle === 'capacity-block') return { id, kind: 'capacity-block' };
  return { id, kind: InstanceLifecycle === 'interruptible-capacity-reservation' ? 'interruptible' : 'default' };
}
