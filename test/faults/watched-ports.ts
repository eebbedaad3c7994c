/** The ports of the functions. Each effect of a call is read back and given to the rules. */

import type { NodeClaim } from '../../lib/apis/node-claim.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { Decision } from '../../lib/core/model/decision.ts';
import { isReplacing } from '../../lib/core/model/disruption-command.ts';
import { instanceOf, type NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { ConflictError } from '../../lib/ports/errors.ts';
import type { SimulatedInvocation } from '../../lib/simulator/aws/simulated-lambda.ts';
import { around } from '../../lib/simulator/faults.ts';
import type { Rule } from './rule.ts';

export interface Observing {
  readonly each: (tell: (rule: Rule) => void) => void;
  readonly records: Map<string, NodeClaimRecord>;
  readonly open: Map<string, { readonly decision: Decision; readonly sinceMs: number }>;
  readonly nowMs: () => number;
  readonly plain: Store;
  readonly plainMarks: Pick<Catalogue, 'listUnavailable'>;
}

export function watchedPorts(ports: ControllerPorts, observing: Observing): ControllerPorts {
  const { each, plain } = observing;
  const counted = around(ports, async (call, go) => {
    each((rule) => rule.call?.(call));
    return go();
  });
  return {
    ...counted,
    store: watchedStore(counted.store, plain, observing),
    leases: watchedLeases(counted.leases, observing),
    cloud: watchedCloud(counted.cloud, observing),
    catalogue: watchedCatalogue(counted.catalogue, observing),
    cluster: watchedCluster(counted.cluster, ports.cluster, observing),
    messages: {
      wake: async (target, wake, delayMs) => counted.messages.wake(target, wake, delayMs),
      publish: async (decision) => {
        each((rule) => rule.published?.(decision));
        await counted.messages.publish(decision);
      },
    },
  };
}

type Store = ControllerPorts['store'];

function watchedStore(store: Store, raw: Store, { each, records, open, nowMs }: Observing): Store {
  /** The stored record is read back, so that the rules judge the effect and not the intention. */
  const look = async (cluster: string, name: string): Promise<NodeClaimRecord | undefined> => {
    const after = await raw.readNodeClaim(cluster, name);
    const before = records.get(name);
    if (after === undefined || (before !== undefined && before.version > after.version)) return after;
    if (before !== undefined && before.version === after.version && sameJson(before, after)) return after;
    records.set(name, after);
    each((rule) => rule.recordWritten?.(after, before));
    return after;
  };
  return replacing(store, {
    async readNodeClaim(cluster, name) {
      const before = records.get(name);
      const found = await store.readNodeClaim(cluster, name);
      const isLost = before !== undefined && records.has(name) && (found?.version ?? -1) < before.version;
      if (isLost) each((rule) => rule.staleRead?.('readNodeClaim', name));
      return found;
    },
    async findNodeClaim(instanceId, isServed) {
      const [before] = [...records.values()].filter((record) => instanceOf(record)?.id === instanceId);
      const found = await store.findNodeClaim(instanceId, isServed);
      const version = found === 'not-served' ? undefined : found?.version;
      const isLost = before !== undefined && records.has(before.name) && (version ?? -1) < before.version;
      if (isLost) each((rule) => rule.staleRead?.('findNodeClaim', before.name));
      return found;
    },
    async listNodeClaims(cluster) {
      const before = [...records.values()].filter(({ releasedAtMs }) => releasedAtMs === undefined);
      const all = await store.listNodeClaims(cluster);
      const found = new Map(all.map((record) => [record.name, record.version]));
      for (const { name, version } of before) {
        const now = records.get(name);
        const isOver = now === undefined || now.releasedAtMs !== undefined;
        if (!isOver && (found.get(name) ?? -1) < version) each((rule) => rule.staleRead?.('listNodeClaims', name));
      }
      return all;
    },
    async openDecisions(cluster) {
      const before = [...open.keys()];
      const all = await store.openDecisions(cluster);
      const found = new Set(all.map(({ id }) => id));
      for (const id of before)
        if (open.has(id) && !found.has(id)) each((rule) => rule.staleRead?.('openDecisions', id));
      return all;
    },
    async createNodeClaim(record) {
      const kept = records.get(record.name);
      await store.createNodeClaim(record);
      await look(record.cluster, record.name);
      if (kept !== undefined) return each((rule) => rule.recordKept?.(record, kept));
      const commands = record.command === undefined ? [] : await raw.listCommands(record.cluster);
      if (commands.some((one) => one.id === record.command && !isReplacing(one)))
        each((rule) => rule.createdForProposal?.(record));
    },
    async updateNodeClaim(record) {
      const written = await store.updateNodeClaim(record);
      await look(record.cluster, record.name);
      return written;
    },
    async updateNodeClaims(written) {
      const after = await store.updateNodeClaims(written);
      for (const { cluster, name } of after) await look(cluster, name);
      return after;
    },
    async recordDecision(decision, epoch, lease) {
      const isKnown = open.has(decision.id);
      await store.recordDecision(decision, epoch, lease);
      if (isKnown) return;
      each((rule) => rule.decisionRecorded?.(decision, epoch));
      open.set(decision.id, { decision, sinceMs: nowMs() });
    },
    async continueCommand(cluster, command) {
      const isStored = async (): Promise<boolean> =>
        (await raw.listCommands(cluster)).some(({ id }) => id === command.id);
      const wasStored = await isStored();
      await store.continueCommand(cluster, command);
      if (!wasStored && (await isStored())) each((rule) => rule.commandRevived?.(command.id));
    },
    async closeDecision(decision) {
      each((rule) => rule.decisionClosed?.(decision));
      const outcome = await store.closeDecision(decision);
      open.delete(decision.id);
      return outcome;
    },
  });
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

type Leases = ControllerPorts['leases'];

function watchedLeases(leases: Leases, { each }: Observing): Leases {
  return replacing(leases, {
    async acquire(seen) {
      const acquired = await leases.acquire(seen);
      if (acquired.kind === 'held') each((rule) => rule.leaseAcquired?.(acquired.lease));
      return acquired;
    },
    async renew(lease) {
      await leases.renew(lease);
      each((rule) => rule.leaseRenewed?.(lease));
    },
    async release(lease, outcome) {
      const released = await leases.release(lease, outcome);
      each((rule) => rule.leaseReleased?.(lease));
      return released;
    },
  });
}

type Catalogue = ControllerPorts['catalogue'];

function watchedCatalogue(catalogue: Catalogue, { each, plainMarks }: Observing): Catalogue {
  return replacing(catalogue, {
    async markUnavailable(marks) {
      try {
        await catalogue.markUnavailable(marks);
      } finally {
        const all = await plainMarks.listUnavailable(0);
        each((rule) => rule.marked?.(all));
      }
    },
  });
}

type Cloud = ControllerPorts['cloud'];

function watchedCloud(cloud: Cloud, { each }: Observing): Cloud {
  return replacing(cloud, {
    async admitLaunch() {
      const admission = await cloud.admitLaunch();
      each((rule) => rule.admitted?.(admission));
      return admission;
    },
    async launch(request) {
      each((rule) => rule.launching?.(request));
      const outcome = await cloud.launch(request);
      each((rule) => rule.launched?.(request, outcome));
      return outcome;
    },
    async terminate(cluster, id) {
      each((rule) => rule.terminating?.(cluster, id));
      await cloud.terminate(cluster, id);
    },
    async nameInstances(cluster, names) {
      for (const { instanceId } of names) each((rule) => rule.tagging?.(cluster, instanceId));
      await cloud.nameInstances(cluster, names);
    },
    async tagInstance(cluster, id, tags) {
      each((rule) => rule.tagging?.(cluster, id));
      await cloud.tagInstance(cluster, id, tags);
    },
  });
}

/** The ports of one invocation, with the outcomes that reach it. */
export function learning(
  ports: ControllerPorts,
  { each, invocation }: Pick<Observing, 'each'> & { readonly invocation: SimulatedInvocation },
): ControllerPorts {
  const { cloud, cluster, store } = ports;
  return {
    ...ports,
    store: replacing(store, {
      async readNodeClaim(ofCluster, name) {
        try {
          return await store.readNodeClaim(ofCluster, name);
        } catch (error) {
          each((rule) => rule.recordUnread?.(invocation, name));
          throw error;
        }
      },
    }),
    cluster: replacing(cluster, {
      async readNode(name) {
        each((rule) => rule.atNode?.(invocation, name, 'read'));
        return cluster.readNode(name);
      },
      async patchNode(target, patch) {
        try {
          await cluster.patchNode(target, patch);
          each((rule) => rule.atNode?.(invocation, target.name, 'written'));
        } catch (error) {
          if (error instanceof ConflictError) each((rule) => rule.atNode?.(invocation, target.name, 'conflict'));
          throw error;
        }
      },
    }),
    cloud: replacing(cloud, {
      async launch(request) {
        const outcome = await cloud.launch(request);
        each((rule) => rule.learned?.(outcome, request));
        return outcome;
      },
    }),
  };
}

type Cluster = ControllerPorts['cluster'];

function watchedCluster(cluster: Cluster, raw: Cluster, { each }: Observing): Cluster {
  const mirrorOf = async (name: string): Promise<NodeClaim | undefined> =>
    (await raw.listNodeClaims()).find(({ metadata }) => metadata.name === name);
  return replacing(cluster, {
    async patchNode(target, patch) {
      each((rule) => rule.patchingNode?.(target, patch));
      const before = await raw.readNode(target.name);
      await cluster.patchNode(target, patch);
      if (before === undefined) return;
      const after = await raw.readNode(target.name);
      each((rule) => rule.nodePatched?.(before, after));
    },
    async deleteNode(name) {
      each((rule) => rule.deletingNode?.(name));
      await cluster.deleteNode(name);
    },
    async evictPod(pod) {
      each((rule) => rule.evicting?.(pod));
      return cluster.evictPod(pod);
    },
    async deletePod(pod, graceSeconds) {
      each((rule) => rule.deletingPod?.(pod, graceSeconds));
      await cluster.deletePod(pod, graceSeconds);
    },
    async applyNodeClaim(nodeClaim) {
      const before = await mirrorOf(nodeClaim.metadata.name);
      await cluster.applyNodeClaim(nodeClaim);
      const after = await mirrorOf(nodeClaim.metadata.name);
      if (after !== undefined) each((rule) => rule.mirrorWritten?.(after, before));
    },
  });
}

/** The port with other members in place of its own. The port may be an instance of a class. */
function replacing<Port extends object>(port: Port, own: Partial<Port>): Port {
  return new Proxy(port, { get: (target, member): unknown => Reflect.get(member in own ? own : target, member) });
}
