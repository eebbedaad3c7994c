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
import { allPages, type Page } from '../client/pages.ts';
import { omitInterfaces } from './omit-interfaces.ts';
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

/** C51: the maximum number of instances per call, by id and in a page of a list: 22 MB where each has 8 interfaces of 30 addresses. */
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
  const project = (instance: Ec2Instance): DescribedInstance | undefined => describedOf(reader, cluster, instance);
  const instances = await (instanceIds === undefined
    ? listInstances(reader, { doing, filters, project })
    : readInstances(reader, { doing, instanceIds, project }));
  return instances
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
  return await readInstances({ client }, { doing: 'read the owners of instances', instanceIds, project: ownerOf });
}

function ownerOf({ InstanceId: instanceId, Tags, State }: Ec2Instance): InstanceOwner | undefined {
  if (!ALIVE.includes(State?.Name ?? '')) return undefined;
  const tags = labelsOf(Tags);
  const cluster = tags[CLUSTER_TAG];
  const nodeClaim = tags[NODE_CLAIM_TAG];
  if (instanceId === undefined || cluster === undefined || nodeClaim === undefined) return undefined;
  return tags[ownershipKey(cluster)] === 'owned' ? { instanceId, cluster, nodeClaim } : undefined;
}

interface Reading<T> {
  readonly doing: string;
  /** What is kept of an instance. */
  readonly project: (instance: Ec2Instance) => T | undefined;
}

/** *Shape:* without those that `project` leaves out. Each page is reduced before the next one is read. */
export async function listInstances<T>(
  { client, answerWithinMs = WITHIN_MS.page }: Calls,
  { doing, filters: Filters, project }: Reading<T> & { readonly filters: Filter[] },
): Promise<readonly T[]> {
  return await allPages(doing, async (token) => {
    const input = { Filters, MaxResults: MAX_IDS, ...optional({ NextToken: token }) };
    return reduced(await describe({ client, answerWithinMs }, doing, input), project);
  });
}

/** A copy, because a text of the answer is a part of the whole answer, which would stay in memory. */
function reduced<T>(
  { Reservations = [], NextToken: next }: DescribeInstancesCommandOutput,
  project: (instance: Ec2Instance) => T | undefined,
): Page<T> {
  const instances = Reservations.flatMap((reservation) => reservation.Instances ?? []);
  return structuredClone({ items: instances.map(project).filter((kept) => kept !== undefined), next });
}

/** The maximum number of values of a filter. */
const MAX_VALUES = 200;

/**
 * Reads instances by id, many in one call. Unknown ids are left out. EC2 names them in its refusal; if it does not, the ids that are still
 * unclear when the calls are used up are read by a filter, which ignores unknown ids.
 */
async function readInstances<T>(
  { client, answerWithinMs = WITHIN_MS.ids }: Calls,
  { doing, instanceIds, project }: Reading<T> & { readonly instanceIds: readonly string[] },
): Promise<readonly T[]> {
  const ids = [...new Set(instanceIds)];
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const asked = ids.slice(from, from + MAX_IDS);
    // Instances that were not requested are ignored.
    const ofAsked = (instance: Ec2Instance): T | undefined =>
      asked.includes(instance.InstanceId ?? '') ? project(instance) : undefined;
    const { answers, refused, unclear } = await translated(doing, () =>
      callExcludingRefused(doing, asked, async (some) => {
        const answer = await describe({ client, answerWithinMs }, doing, { InstanceIds: [...some] });
        return reduced(answer, ofAsked).items ?? [];
      }),
    );
    const refusal = [...refused.values()].find((thrown) => !isUnknownInstance(thrown));
    if (refusal !== undefined) throw awsPortError(refusal, doing);
    found.push(...answers.flat());
    for (let rest = [...unclear]; rest.length > 0; rest = rest.slice(MAX_VALUES)) {
      const filters = [{ Name: 'instance-id', Values: rest.slice(0, MAX_VALUES) }];
      found.push(...(await listInstances({ client, answerWithinMs }, { doing, filters, project: ofAsked })));
    }
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
    const answer = await client.send(omitInterfaces(new DescribeInstancesCommand(input)), { abortSignal });
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
  const other = instance.InstanceLifecycle === 'spot' ? 'spot' : 'on-demand';
  const { SubnetId: subnetId, SecurityGroups: groups = [], PrivateDnsName } = instance;
  // Empty for an instance that is being launched.
  const privateDnsName = PrivateDnsName === '' ? undefined : PrivateDnsName;
  const securityGroupIds = groups.flatMap(({ GroupId }) => GroupId ?? []);
  return {
    id: instance.InstanceId,
    instanceType: instance.InstanceType ?? '',
    zone: instance.Placement?.AvailabilityZone ?? '',
    capacityType: reservation === undefined ? other : 'reserved',
    imageId: instance.ImageId ?? '',
    priceUsdPerHour,
    nodePool: tags[NODE_POOL] ?? '',
    nodeClass: tags[NODE_CLASS] ?? '',
    launchedAtMs: instance.LaunchTime?.getTime() ?? 0,
    ...optional({ reservation, subnetId, privateDnsName }),
    ...(securityGroupIds.length > 0 && { securityGroupIds }),
  };
}

/**
 * The reservation for which an instance was launched. An instance may outlive it (C83). C60: EC2 puts other on-demand instances into
 * reservations that are open, and takes them out again.
 */
function reservationOf({
  CapacityReservationId: id,
  CapacityReservationSpecification: specification,
  InstanceLifecycle,
}: Ec2Instance): DescribedInstance['reservation'] {
  const isReserved = specification?.CapacityReservationPreference === 'capacity-reservations-only';
  if (id === undefined || !isReserved) return undefined;
  if (InstanceLifecycle === 'capacity-block') return { id, kind: 'capacity-block' };
  return { id, kind: InstanceLifecycle === 'interruptible-capacity-reservation' ? 'interruptible' : 'default' };
}
