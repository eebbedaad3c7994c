import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { LISTED_AFTER_MS } from '../../core/node-claim/launch/launch.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import type { InspectsInstances } from '../run/ports.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The list of the cluster's instances, and when it was read. */
interface InstanceList {
  readonly listedAtMs: number;
  readonly instances: readonly DescribedInstance[];
  readonly shifted: ReadonlySet<string>;
}

/**
 * Reads the instances of claims that the list of the cluster's instances omits: they have ended, or they have lost their tags.
 * *Cost:* no call if the list is complete; otherwise one call for all of them.
 */
export function readMissing(
  { cloud }: InspectsInstances,
  { cluster, records }: { readonly cluster: string; readonly records: readonly NodeClaimRecord[] },
  list: InstanceList,
): SharedRead<readonly DescribedInstance[]> {
  return sharedRead(async () => {
    const ids = records.filter((record) => isMissing(record, list)).flatMap((record) => instanceOf(record)?.id ?? []);
    const found = await cloud.describeInstances(cluster, ids);
    return found.filter(({ state }) => state !== 'shutting-down');
  });
}

/** Whether EC2 should list the instance of the claim and does not. Instances in shifted zones are not read (C36). */
export function isMissing(record: NodeClaimRecord, { listedAtMs, instances, shifted }: InstanceList): boolean {
  const { launch, deletion } = record;
  if (launch.kind !== 'launched' || deletion !== undefined || shifted.has(launch.instance.zone)) return false;
  const isListed = instances.some(({ id }) => id === launch.instance.id);
  return !isListed && listedAtMs - launch.atMs >= LISTED_AFTER_MS;
}
