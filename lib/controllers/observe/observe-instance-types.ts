import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import {
  type Placement,
  placementIn,
  tenancyOf,
  unavailability,
  zonesWithAddresses,
} from '../../core/instance-type/offerings/unavailable.ts';
import { withOverlayPrices } from '../../core/instance-type/offerings/unpriced-types.ts';
import { doubt } from '../../core/instance-type/offerings/zone-refusals.ts';
import { applyOverlays, type OverlaidViews } from '../../core/instance-type/overlays/overlays.ts';
import { instanceTypesFor } from '../../core/instance-type/resolve.ts';
import { kubeletExpressionProblem } from '../../core/instance-type/type-kubelet.ts';
import type { NodePoolView } from '../../core/model/cluster-snapshot.ts';
import type { UnavailableOffering } from '../../core/model/decision.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import type { LearnedMemory } from '../../core/model/learned-memory.ts';
import type { Reason } from '../../core/model/reasons.ts';
import { whyNotUsable } from '../../core/node-class/status/readiness.ts';
import { whyNotStartable } from '../../core/node-class/user-data/user-data.ts';
import { type Observed, readOr } from '../../core/observed.ts';
import { requirementsFrom } from '../../core/requirements/requirements.ts';
import { whyInvalid } from '../../core/validation/node-pool.ts';
import type { HasClock, HasSettings, ReadsCluster, ResolvesNodeClasses, UsesCatalogue } from '../run/ports.ts';
import { lastTypes } from './last-types.ts';
import type { Readings } from './readings.ts';
import { observeResolution } from './resolve-node-class.ts';

/** What reading the instance types of NodePools needs. */
export type InstanceTypePorts = ReadsCluster & UsesCatalogue & ResolvesNodeClasses & HasClock & HasSettings;

export interface ObservedPools extends OverlaidViews {
  readonly overlays: Observed<readonly NodeOverlay[]>;
}

/**
 * The instance types of NodePools. NodePools with the same NodeClass share them, unless NodeOverlays change them.
 *
 * If NodeOverlays are unread, the types have the prices of AWS and no resources of overlays. So new nodes may be of another type than
 * with the overlays, and pods that request resources of overlays wait. Overlays do not change what EC2 defines, such as CPU and
 * memory (A4.4), so the nodes are large enough.
 */
export async function withInstanceTypes(
  ports: InstanceTypePorts,
  nodePools: readonly NodePool[],
  { unavailable, readings: log }: { readonly unavailable: readonly UnavailableOffering[]; readonly readings: Readings },
): Promise<ObservedPools> {
  const { nodeOverlay } = ports.settings.featureGates;
  const [nodeClasses, observed, read, learnedMemory] = await Promise.all([
    ports.cluster.listNodeClasses(),
    log.observe('NodeOverlays', async () => (nodeOverlay ? ports.cluster.listNodeOverlays() : [])),
    ports.catalogue.readCatalogue(),
    log.observe('learned memory', async () => ports.catalogue.listLearnedMemory(ports.clock.now())),
  ]);
  const overlays = readOr(observed, []);
  const known = { unavailable, learnedMemory: readOr(learnedMemory, []), log };
  const catalogue = read === undefined ? undefined : withOverlayPrices(read, overlays);
  const classNamed = new Map(nodeClasses.map((one) => [one.metadata.name, one]));
  const invalid = new Map(nodePools.flatMap(invalidity));
  const valid = nodePools.filter((nodePool) => !invalid.has(nodePool));
  const keys = new Map(valid.map((nodePool) => [nodePool, launchKey(nodePool)]));
  const asked = new Map([...keys].map(([nodePool, key]) => [key, nodePool]));
  const launchable = new Map(
    await Promise.all(
      [...asked].flatMap(([key, nodePool]) => {
        const nodeClass = classNamed.get(nodePool.spec.template.spec.nodeClassRef.name);
        if (nodeClass === undefined) return [];
        const what = { catalogue, ...known, tenancy: tenancyOfPool(nodePool) };
        return [whatLaunches(ports, nodeClass, what).then((launches) => [key, launches] as const)];
      }),
    ),
  );
  const views = nodePools.map((nodePool): NodePoolView => {
    const { name } = nodePool.spec.template.spec.nodeClassRef;
    const nodeClass = classNamed.get(name);
    const missing = unusable('NodeClassNotFound', `its EC2NodeClass ${name} does not exist`);
    const launches = invalid.get(nodePool) ?? launchable.get(keys.get(nodePool) ?? '') ?? missing;
    return { nodePool, ...optional({ nodeClass }), ...launches };
  });
  return { ...applyOverlays(views, overlays), overlays: observed };
}

/** The NodeClass and the tenancy decide which marks of missing capacity count. */
function launchKey(nodePool: NodePool): string {
  return JSON.stringify([nodePool.spec.template.spec.nodeClassRef.name, tenancyOfPool(nodePool)]);
}

function tenancyOfPool({ spec }: NodePool): Pick<Placement, 'tenancy'> {
  return tenancyOf(requirementsFrom(spec.template.spec.requirements));
}

type Launchable = Pick<NodePoolView, 'instanceTypes' | 'unusable'>;

/** A1.26: the NodePool and why it is invalid. An invalid NodePool is set aside before its fields are read. */
function invalidity(nodePool: NodePool): readonly (readonly [NodePool, Launchable])[] {
  const message = whyInvalid(nodePool);
  return message === undefined ? [] : [[nodePool, unusable('NodePoolValidationFailed', message)]];
}

interface Known {
  readonly catalogue: Catalogue | undefined;
  readonly unavailable: readonly UnavailableOffering[];
  readonly learnedMemory: readonly LearnedMemory[];
  readonly log: Readings;
  readonly tenancy: Pick<Placement, 'tenancy'>;
}

async function whatLaunches(
  ports: ResolvesNodeClasses & HasSettings,
  nodeClass: EC2NodeClass,
  known: Known,
): Promise<Launchable> {
  const unready = whyNotUsable(nodeClass);
  if (unready !== undefined) return unusable(unready.reason, unready.message);
  const unstartable = whyNotStartable(nodeClass);
  if (unstartable !== undefined) return unusable('Unsupported', unstartable);
  const resolution = await observeResolution(ports, nodeClass, known.log);
  if (resolution.kind === 'unread') return unusable('NotRead', resolution.message);
  if (resolution.kind === 'unresolved') {
    return unusable(resolution.reason, `EC2NodeClass ${nodeClass.metadata.name}: ${resolution.message}`);
  }
  if (known.catalogue === undefined) {
    return unusable('NoCatalogue', 'the catalogue function has not read instance types and prices yet');
  }
  const { memoryOverhead, reservedEnis, featureGates } = ports.settings;
  const amounts = { memoryOverhead, reservedEnis };
  const problem = kubeletExpressionProblem(nodeClass, known.catalogue.facts, amounts);
  if (problem !== undefined) return unusable(problem.reason, problem.message);
  const { subnets, images, placementGroup, capacityReservations = [] } = resolution.nodeClass;
  const reservations = featureGates.reservedCapacity ? capacityReservations : [];
  const { catalogue, unavailable, learnedMemory, tenancy } = known;
  const zones = zonesWithAddresses(subnets, unavailable);
  const isUnavailable = unavailability(unavailable, placementIn(placementGroup, tenancy));
  const plain = { reservations, images, placementGroup, learnedMemory, ...amounts };
  const inputs = {
    settings: JSON.stringify([nodeClass, plain]),
    capacity: JSON.stringify([[...zones], unavailable, tenancy]),
  };
  const options = { zones, isUnavailable, isDoubted: doubt(unavailable), ...plain };
  const make = (before: readonly InstanceType[]) => instanceTypesFor(catalogue, nodeClass, { ...options, before });
  return { instanceTypes: lastTypes(catalogue, inputs, make) };
}

function unusable(reason: Reason, message: string): Launchable {
  return { instanceTypes: [], unusable: { reason, message } };
}
