import type { NodeClaim } from '../../apis/node-claim.ts';
import { optional } from '../../apis/optional.ts';
import { type Instance, instanceIdOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { instanceOfNodeClaim } from '../../core/node-claim/adoption/claim-object.ts';
import { mapRead, type Observed, read, readOr } from '../../core/observed.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import { instanceTaggedWith, nodeClaimNamed } from '../observe/find-observed.ts';
import type { ReadsClaims } from '../run/ports.ts';

interface SeenInstances {
  readonly mirrors: Observed<readonly NodeClaim[]>;
  readonly instances: Observed<readonly DescribedInstance[]>;
  /** The IDs of the instances of the claims of the run. */
  readonly claimed: ReadonlySet<string>;
  /** Undefined in a run for a single claim. */
  readonly takeTurns: boolean | undefined;
}

/** Instances that may be that of a claim, although its record has none. */
export interface FoundInstances {
  /** The instance in the status of the NodeClaim object. */
  readonly shown: Observed<Instance | undefined>;
  /** The instance with the claim's name in its tags. */
  readonly tagged?: Instance;
}

/**
 * The instances that the NodeClaim object and the tags show, for a record without a launch. Others can write both, so an instance of another
 * claim does not count. *Cost:* in a run for a single claim, a read for each instance that is found.
 */
export async function foundInstances(
  { store }: ReadsClaims,
  { name, cluster, launch }: NodeClaimRecord,
  { mirrors, instances, claimed, takeTurns }: SeenInstances,
): Promise<FoundInstances> {
  if (launch.kind === 'launched') return { shown: read(undefined) };
  const isFree = async ({ id }: Instance): Promise<boolean> => {
    if (claimed.has(id)) return false;
    if (takeTurns !== undefined) return true;
    const owner = await store.findNodeClaim(id, (one) => one === cluster);
    return owner === undefined || (owner !== 'not-served' && owner.name === name);
  };
  const shown = mapRead(mirrors, (nodeClaims) => shownInstance(nodeClaimNamed(nodeClaims, name)));
  const instance = readOr(shown, undefined);
  return {
    shown: instance === undefined || (await isFree(instance)) ? shown : read(undefined),
    ...optional({ tagged: await taggedInstance(readOr(instances, []), name, isFree) }),
  };
}

function shownInstance(mirror: NodeClaim | undefined): Instance | undefined {
  const id = instanceIdOf(mirror?.status?.providerID ?? '');
  return mirror === undefined || id === undefined ? undefined : instanceOfNodeClaim(mirror);
}

async function taggedInstance(
  instances: readonly DescribedInstance[],
  name: string,
  isFree: (instance: Instance) => Promise<boolean>,
): Promise<Instance | undefined> {
  const first = instanceTaggedWith(instances, name);
  if (first === undefined || (await isFree(first))) return first;
  const others = instances.filter((one) => one !== first && one.nodeClaim === name);
  const areFree = await Promise.all(others.map(isFree));
  return others.find((_, index) => areFree[index]);
}
