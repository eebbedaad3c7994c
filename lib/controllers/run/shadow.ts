/** A cluster that is only watched: decisions are made on what it shows and recorded, and carried out by nobody. */

import { compareText } from '../../core/compare-text.ts';
import type { Decision } from '../../core/model/decision.ts';
import { essenceOf } from '../../core/model/decision-id.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { recordsShown } from '../../core/node-claim/adoption/orphans.ts';
import type { ControllerPorts } from './ports.ts';

/** Calls that leave everything as it is. Whatever else comes to be called is refused until it is named here. */
const READS = {
  cluster: /^(list|read|find)/,
  cloud: /^(resolveNodeClass|describeInstances|shiftedZones|autoMode)$/,
  store: /^(read|list|find|is)|^recordShadow$/,
  catalogue: /^(read|list)/,
  messages: /^(publish|wake)$/,
} as const satisfies Partial<Record<keyof ControllerPorts, RegExp>>;

/**
 * The ports as a run in shadow has them. Claims are those of the table and of the cluster: beside another autoscaler these are
 * its nodes. Decisions that were recorded when Kerf was not in shadow stay open until it is not any more.
 */
export function shadowPorts(ports: ControllerPorts): ControllerPorts {
  return {
    ...ports,
    cluster: readOnly('cluster', ports.cluster),
    cloud: readOnly('cloud', ports.cloud),
    catalogue: readOnly('catalogue', ports.catalogue),
    messages: readOnly('messages', ports.messages),
    store: readOnly('store', ports.store, {
      listNodeClaims: async (cluster) => withShown(ports, cluster, await ports.store.listNodeClaims(cluster)),
      openDecisions: async () => [],
    }),
  };
}

/** Only a bug calls what is no read: better that the run ends than that it writes. */
function readOnly<Name extends keyof typeof READS>(
  name: Name,
  port: ControllerPorts[Name],
  instead: Partial<ControllerPorts[Name]> = {},
): ControllerPorts[Name] {
  return new Proxy(port, {
    get(target, property) {
      const own: unknown = Reflect.get(instead, property);
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      const method = String(property);
      return (...args: unknown[]): unknown => {
        if (READS[name].test(method)) return Reflect.apply(member, target, args);
        throw new Error(`${name}.${method} is called in shadow, where nothing is written`);
      };
    },
  });
}

async function withShown(
  { cluster: api, catalogue, clock }: ControllerPorts,
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
  const known = new Set(records.map(({ name }) => name));
  const others = nodeClaims.filter(({ metadata }) => !known.has(metadata.name));
  const world = { cluster, nodeClaims: others, nodes, nodePools, nodeClasses, catalogue: facts };
  return [...records, ...recordsShown(world, clock.now())].toSorted((a, b) => compareText(a.name, b.name));
}

/**
 * Keeps a decision that nobody will carry out, and tells the bus. The same again is nothing new: pods that wait and nodes that are
 * not worth their price are seen every minute.
 */
export async function recordShadow(ports: ControllerPorts, decision: Decision): Promise<readonly Error[]> {
  const outcome = await ports.store.recordShadow(decision, essenceOf(decision.actions, decision.blocked));
  if (outcome === 'known') return [];
  try {
    await ports.messages.publish(decision);
    return [];
  } catch (cause) {
    return [new Error(`failed to publish decision ${decision.id}`, { cause })];
  }
}
