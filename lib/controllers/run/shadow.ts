/** Shadow: decisions are made for a cluster and recorded, but not carried out. */
import { compareText } from '../../core/compare-text.ts';
import type { Decision } from '../../core/model/decision.ts';
import { essenceOf } from '../../core/model/decision-id.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { recordsOfNodeClaims } from '../../core/node-claim/adoption/instance-evidence.ts';
import type { MayLimitWaits } from '../wait/waits.ts';
import { announceOnBus } from './announce.ts';
import type {
  ControllerPorts,
  HasClock,
  HasSettings,
  PublishesDecisions,
  ReadsCatalogue,
  ReadsCluster,
  RecordsShadowDecisions,
} from './ports.ts';
import { CATALOGUE_WRITES, CLOUD_WRITES, CLUSTER_WRITES, STORE_WRITES } from './shadow-writes.ts';

/**
 * The ports of a run in shadow. Its claims are those of the table and those of the cluster: NodeClaims and nodes of another
 * autoscaler. Decisions that were recorded before shadow stay open until shadow ends.
 */
export function shadowPorts(ports: ControllerPorts): ControllerPorts {
  return {
    ...ports,
    cluster: withOverrides(ports.cluster, CLUSTER_WRITES),
    cloud: withOverrides(ports.cloud, CLOUD_WRITES),
    catalogue: withOverrides(ports.catalogue, CATALOGUE_WRITES),
    store: withOverrides(ports.store, {
      ...STORE_WRITES,
      listNodeClaims: async (cluster) => withShown(ports, cluster, await ports.store.listNodeClaims(cluster)),
      readNodeClaims: async (cluster) => {
        const { records, unreadable } = await ports.store.readNodeClaims(cluster);
        return { records: await withShown(ports, cluster, records), unreadable };
      },
      openDecisions: async () => [],
      hasOpenDecisions: async () => false,
    }),
  };
}

/** *Shape:* the port with other methods in place of some of its own. The port can be an instance of a class. */
function withOverrides<Port extends object>(port: Port, overrides: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, property) {
      const override: unknown = Reflect.get(overrides, property);
      if (override !== undefined) return override;
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => Reflect.apply(member, target, args);
    },
  });
}

async function withShown(
  { cluster: api, catalogue, clock, settings }: ReadsCluster & ReadsCatalogue & HasClock & HasSettings,
  cluster: string,
  records: readonly NodeClaimRecord[],
): Promise<readonly NodeClaimRecord[]> {
  const [nodeClaims, nodes, nodePools, nodeClasses, facts] = await Promise.all([
    api.listNodeClaims(),
    api.listNodes(),
    api.listNodePools(),
    api.listNodeClasses(),
    catalogue.readCatalogue(),
  ]);
  const recorded = new Set(records.map(({ name }) => name));
  const others = nodeClaims.filter(({ metadata }) => !recorded.has(metadata.name));
  const { staticCapacity } = settings.featureGates;
  const world = { cluster, nodeClaims: others, nodes, nodePools, nodeClasses, catalogue: facts, staticCapacity };
  return [...records, ...recordsOfNodeClaims(world, clock.now())].toSorted((a, b) => compareText(a.name, b.name));
}

/**
 * Records a decision of shadow and publishes it, unless the same decision was recorded before: the same pending pods and the
 * same empty nodes are observed every minute.
 */
export async function recordShadow(
  ports: RecordsShadowDecisions & PublishesDecisions & MayLimitWaits,
  decision: Decision,
): Promise<readonly Error[]> {
  const outcome = await ports.store.recordShadow(decision, essenceOf(decision.actions, decision.blocked));
  return outcome === 'known' ? [] : announceOnBus(ports, decision);
}
