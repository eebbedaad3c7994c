import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import { type Placement, tenancyOf } from '../../core/instance-type/offerings/unavailable.ts';
import { withOverlayPrices } from '../../core/instance-type/offerings/unpriced-types.ts';
import { applyOverlays, type OverlaidViews } from '../../core/instance-type/overlays/overlays.ts';
import type { NodePoolView } from '../../core/model/cluster-snapshot.ts';
import { type Observed, readOr } from '../../core/observed.ts';
import { requirementsFrom } from '../../core/requirements/requirements.ts';
import { whyInvalid } from '../../core/validation/node-pool.ts';
import type { HasClock, HasSettings, ReadsCluster, ResolvesNodeClasses, UsesCatalogue } from '../run/ports.ts';
import { type KnownBefore, type Launchable, unusable, whatLaunches } from './what-launches.ts';

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
  { unavailable, nodeClaims = [], readings: log }: KnownBefore,
): Promise<ObservedPools> {
  const { nodeOverlay } = ports.settings.featureGates;
  const [nodeClasses, observed, read, learnedMemory] = await Promise.all([
    ports.cluster.listNodeClasses(),
    log.observe('NodeOverlays', async () => (nodeOverlay ? ports.cluster.listNodeOverlays() : [])),
    ports.catalogue.readCatalogue(),
    log.observe('learned memory', async () => ports.catalogue.listLearnedMemory(ports.clock.now())),
  ]);
  const overlays = readOr(observed, []);
  const known = { unavailable, nodeClaims, learnedMemory: readOr(learnedMemory, []), log };
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

/** A1.26: the NodePool and why it is invalid. An invalid NodePool is set aside before its fields are read. */
function invalidity(nodePool: NodePool): readonly (readonly [NodePool, Launchable])[] {
  const message = whyInvalid(nodePool);
  return message === undefined ? [] : [[nodePool, unusable('NodePoolValidationFailed', message)]];
}
