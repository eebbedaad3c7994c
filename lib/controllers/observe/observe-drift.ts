import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { lastFor, onceFor } from '../../core/kept-answers.ts';
import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { DriftView } from '../../core/node-claim/drift/drift.ts';
import { type DriftTarget, driftTarget } from '../../core/node-claim/drift/drift-target.ts';
import { nodePoolHash } from '../../core/node-pool/node-pool-hash.ts';
import { type Observed, readOr } from '../../core/observed.ts';
import { whyInvalid } from '../../core/validation/node-pool.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import { instanceWithId, nodeClaimNamed } from './find-observed.ts';
import type { SharedRead } from './shared-read.ts';

/** What drift detection uses of the lists that all claims of a run share. */
export interface ObservedDrift {
  readonly nodePools: Observed<readonly NodePool[]>;
  readonly nodeClasses: Observed<readonly EC2NodeClass[]>;
  readonly mirrors: Observed<readonly NodeClaim[]>;
  readonly instances: Observed<readonly DescribedInstance[]>;
  /** Otherwise the list may be older than the finding of another run, and is not compared. */
  readonly isListNew: boolean;
  readonly catalogue: SharedRead<Observed<Catalogue | undefined>>;
}

/** D34: Karpenter keeps the instance types for 30 minutes. */
const TYPES_EACH_MINUTES = 30;

/**
 * What a launched claim is compared with. *Cost:* no calls: the run has the NodePools, NodeClasses and instances. The catalogue is read
 * in one run of 30 minutes, because it is the largest item of the table and changes twice a day.
 */
export async function driftFacts(record: NodeClaimRecord, world: ObservedDrift, nowMs: number): Promise<DriftView> {
  const instance = instanceOf(record);
  if (instance === undefined || record.deletion !== undefined) return {};
  const target = targetOf(record.nodePool, world);
  if (target === undefined) return {};
  const checksTypes = Math.floor(nowMs / MINUTE_MS) % TYPES_EACH_MINUTES === 0;
  const catalogue = checksTypes ? readOr(await world.catalogue(), undefined) : undefined;
  return {
    target,
    ...optional({
      labels: nodeClaimNamed(readOr(world.mirrors, []), record.name)?.metadata.labels,
      instance: world.isListNew ? instanceWithId(readOr(world.instances, []), instance.id) : undefined,
      offered: catalogue && isOffered(catalogue, instance),
    }),
  };
}

/** *Shape:* undefined if the NodePools or NodeClasses were not read, or the NodePool does not exist or is invalid. */
function targetOf(name: string, { nodePools, nodeClasses }: ObservedDrift): DriftTarget | undefined {
  if (nodePools.kind === 'unread' || nodeClasses.kind === 'unread') return undefined;
  const nodePool = nodePools.value.find(({ metadata }) => metadata.name === name);
  if (nodePool === undefined) return undefined;
  const { name: className } = nodePool.spec.template.spec.nodeClassRef;
  return targetFor(nodePool, { nodeClass: nodeClasses.value.find(({ metadata }) => metadata.name === className) });
}

const targetFor = lastFor((nodePool: NodePool, { nodeClass }: { readonly nodeClass: EC2NodeClass | undefined }) =>
  whyInvalid(nodePool) === undefined ? driftTarget(nodePool, nodePoolHash(nodePool), nodeClass) : undefined,
);

const placesIn = onceFor(
  ({ offerings }: Catalogue): ReadonlySet<string> =>
    new Set(offerings.flatMap(({ type, zone }) => [zone, `${type} ${zone}`])),
);

/** Whether the type is offered in the zone. *Shape:* undefined if the catalogue does not have the zone. */
function isOffered(
  catalogue: Catalogue,
  { instanceType, zone }: { readonly instanceType: string; readonly zone: string },
): boolean | undefined {
  const places = placesIn(catalogue);
  return places.has(zone) ? places.has(`${instanceType} ${zone}`) : undefined;
}
