import { optional } from '../../apis/optional.ts';
import { type Instance, instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { LISTED_AFTER_MS } from '../../core/node-claim/launch/launch.ts';
import { mapRead, type Observed, read } from '../../core/observed.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import type { InspectsInstances } from '../run/ports.ts';
import { instanceWithId, isAlive } from './find-observed.ts';
import type { Readings } from './readings.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The list of the cluster's instances, and when it was read. */
interface InstanceList {
  readonly listedAtMs: number;
  readonly instances: Observed<readonly DescribedInstance[]>;
  readonly shifted: Observed<ReadonlySet<string>>;
}

interface Missing {
  readonly cluster: string;
  readonly records: readonly NodeClaimRecord[];
  readonly list: InstanceList;
}

/**
 * Reads the instances of claims that the list of the cluster's instances omits: they have ended, or they have lost their tags.
 * *Cost:* no call if the list is complete; otherwise one call for all of them.
 */
export function readMissing(
  log: Readings,
  { cloud }: InspectsInstances,
  { cluster, records, list }: Missing,
): SharedRead<Observed<readonly DescribedInstance[]>> {
  return sharedRead(async () => {
    const ids = records.filter((record) => isMissing(record, list)).flatMap((record) => instanceOf(record)?.id ?? []);
    return log.observe('instances without tags', async () => {
      return (await cloud.describeInstances(cluster, ids)).filter(isAlive);
    });
  });
}

/** Whether EC2 should list the instance of the claim and does not. Instances in shifted zones are not read (C36). */
function isMissing(record: NodeClaimRecord, { listedAtMs, instances, shifted }: InstanceList): boolean {
  const { launch, deletion } = record;
  if (launch.kind !== 'launched' || deletion !== undefined) return false;
  if (instances.kind === 'unread' || shifted.kind === 'unread' || shifted.value.has(launch.instance.zone)) return false;
  const isListed = instanceWithId(instances.value, launch.instance.id) !== undefined;
  return !isListed && listedAtMs - launch.atMs >= LISTED_AFTER_MS;
}

/** An instance of a claim that the list omits. *Shape:* undefined if it has ended. */
export async function missingInstance(
  record: NodeClaimRecord,
  world: InstanceList & { readonly missing: SharedRead<Observed<readonly DescribedInstance[]>> },
): Promise<Observed<DescribedInstance | undefined>> {
  if (!isMissing(record, world)) return read(undefined);
  const missing = await world.missing();
  if (missing.kind === 'unread') return missing;
  return read(instanceWithId(missing.value, instanceOf(record)?.id));
}

interface Listed {
  /** Whether EC2 lists the instance, with or without its tags. */
  readonly contains: Observed<boolean>;
  /** Whether EC2 lists the instance and it does not run. */
  readonly isStopped: boolean;
  readonly nodeName?: string;
}

/** What EC2's list says about the instance of a claim. */
export function listedFacts(
  instances: readonly DescribedInstance[],
  { instance, unlisted }: Pick<Listing, 'instance' | 'unlisted'>,
  { shifted }: Pick<InstanceList, 'shifted'>,
): Listed {
  const found = instanceWithId(instances, instance?.id);
  return {
    contains: contains({ instance, unlisted, isFound: found !== undefined }, shifted),
    isStopped: found?.state === 'stopping' || found?.state === 'stopped',
    ...optional({ nodeName: found?.privateDnsName }),
  };
}

interface Listing {
  readonly instance: Instance | undefined;
  readonly unlisted: Observed<DescribedInstance | undefined>;
  readonly isFound: boolean;
}

function contains({ instance, unlisted, isFound }: Listing, shifted: Observed<ReadonlySet<string>>): Observed<boolean> {
  if (instance === undefined || isFound) return read(isFound);
  if (shifted.kind === 'unread') return shifted;
  return mapRead(unlisted, (found) => found !== undefined || shifted.value.has(instance.zone));
}
