import { compareText } from '../core/compare-text.ts';
import type { Decision } from '../core/model/decision.ts';
import { NO_MEMORY, passMemoryFromStored, type StoredPassMemory } from '../core/model/disruption/pass-memory.ts';
import { movesInForce, type PastMove } from '../core/model/disruption/past-move.ts';
import { commandFromStored, type StoredCommand } from '../core/model/disruption-command.ts';
import { instanceOf, type NodeClaimRecord, withoutLaunchOptions } from '../core/model/node-claim-record.ts';
import type { UnusedLaunches } from '../core/model/provisioning/unused-launches.ts';
import { EpochMovedError, InstanceTakenError, StaleLeaseError, StaleRecordError } from '../ports/errors.ts';
import type { Lease } from '../ports/leases.ts';
import type { ClaimReader, ClaimWriter, NodeClaimStore, Nomination } from '../ports/node-claim-store.ts';

/** The NodeClaimStore in memory. @param isCurrent whether no later holder has acquired the lease */
export function memoryNodeClaimStore(isCurrent: (lease: Lease) => boolean = () => true): NodeClaimStore {
  return {
    ...decisions(isCurrent),
    ...nodeClaims(),
    ...commands(),
    ...passMemories(),
    ...unusedLaunches(),
    ...pastMoves(),
    ...nominations(),
    ...standby(),
  };
}

type Part<Method extends keyof NodeClaimStore> = Pick<NodeClaimStore, Method>;

function decisions(
  isCurrent: (lease: Lease) => boolean,
): Part<'readEpoch' | 'recordDecision' | 'openDecisions' | 'hasOpenDecisions' | 'closeDecision' | 'recordShadow'> {
  const recorded = new Map<string, Set<string>>();
  const open = new Map<string, Decision>();
  const shadows = new Map<string, string>();
  const recordedOf = (cluster: string): Set<string> => recorded.get(cluster) ?? new Set();
  return {
    readEpoch: async (cluster) => recordedOf(cluster).size,
    async recordDecision(decision, epoch, lease) {
      const { cluster, id } = decision;
      const known = recordedOf(cluster);
      if (known.has(id)) return;
      if (lease !== undefined && !isCurrent(lease)) {
        throw new StaleLeaseError(`${lease.work} of ${cluster}: lease ${lease.fence} was taken over: acquire it again`);
      }
      if (known.size !== epoch) {
        throw new EpochMovedError(
          `cluster ${cluster} is at epoch ${known.size}, not ${epoch}: observe and decide again`,
        );
      }
      recorded.set(cluster, known.add(id));
      open.set(keyOf(cluster, id), decision);
    },
    openDecisions: async (cluster) =>
      [...open.values()]
        .filter((decision) => decision.cluster === cluster)
        .toSorted((a, b) => a.atMs - b.atMs || compareText(a.id, b.id)),
    hasOpenDecisions: async (cluster) => [...open.values()].some((decision) => decision.cluster === cluster),
    closeDecision: async (decision) => (open.delete(keyOf(decision.cluster, decision.id)) ? 'closed' : 'known'),
    async recordShadow({ cluster, id }, essence) {
      const key = keyOf(cluster, id);
      if (shadows.get(key) === essence) return 'known';
      shadows.set(key, essence);
      return 'new';
    },
  };
}

function nodeClaims(): ClaimReader & ClaimWriter {
  const claims = new Map<string, NodeClaimRecord>();
  /** The key of the claim of each instance. */
  const owners = new Map<string, string>();
  /** By cluster, until a record is written. */
  const lists = new Map<string, readonly NodeClaimRecord[]>();
  const listed = (cluster: string): readonly NodeClaimRecord[] => {
    const list =
      lists.get(cluster) ??
      [...claims.values()]
        .filter((record) => record.cluster === cluster && record.releasedAtMs === undefined)
        .toSorted((a, b) => compareText(a.name, b.name));
    lists.set(cluster, list);
    return list;
  };
  const write = (record: NodeClaimRecord): void => {
    const key = keyOf(record.cluster, record.name);
    claims.set(key, record);
    lists.delete(record.cluster);
    const instance = instanceOf(record);
    if (instance !== undefined) owners.set(instance.id, key);
  };
  const checkVersion = ({ cluster, name, version }: NodeClaimRecord): void => {
    const stored = claims.get(keyOf(cluster, name));
    if (stored?.version !== version)
      throw new StaleRecordError(`NodeClaim ${name} is at version ${stored?.version}, not ${version}: read it again`);
  };
  return {
    async createNodeClaim(record) {
      if (!claims.has(keyOf(record.cluster, record.name))) write(record);
    },
    readNodeClaim: async (cluster, name) => claims.get(keyOf(cluster, name)),
    listNodeClaims: async (cluster) => listed(cluster),
    readNodeClaims: async (cluster) => ({ records: listed(cluster), unreadable: [] }),
    hasDeletedClaims: async (cluster) => listed(cluster).some(({ deletion }) => deletion !== undefined),
    async findNodeClaim(instanceId, isServed) {
      const found = claims.get(owners.get(instanceId) ?? '');
      return found === undefined || isServed(found.cluster) ? found : 'not-served';
    },
    async updateNodeClaim(record) {
      checkVersion(record);
      const id = instanceOf(record)?.id ?? '';
      if ((owners.get(id) ?? keyOf(record.cluster, record.name)) !== keyOf(record.cluster, record.name))
        throw new InstanceTakenError(`instance ${id} has another NodeClaim than ${record.name}`);
      const written = withoutLaunchOptions({ ...record, version: record.version + 1 });
      write(written);
      return written;
    },
    async updateNodeClaims(records) {
      for (const record of records) checkVersion(record);
      const written = records.map((record) => ({ ...record, version: record.version + 1 }));
      for (const record of written) write(record);
      return written;
    },
  };
}

function commands(): Part<'startCommand' | 'continueCommand' | 'listCommands' | 'endCommand'> {
  const started = new Map<string, StoredCommand>();
  return {
    async startCommand(cluster, command) {
      const key = keyOf(cluster, command.id);
      if (!started.has(key)) started.set(key, command);
    },
    async continueCommand(cluster, command) {
      const key = keyOf(cluster, command.id);
      if (started.has(key)) started.set(key, command);
    },
    listCommands: async (cluster) =>
      [...started].filter(([key]) => key.startsWith(`${cluster}/`)).map(([, command]) => commandFromStored(command)),
    endCommand: async (cluster, id) => void started.delete(keyOf(cluster, id)),
  };
}

function passMemories(): Part<'readPassMemory' | 'writePassMemory'> {
  const memories = new Map<string, StoredPassMemory>();
  return {
    readPassMemory: async (cluster) => passMemoryFromStored(memories.get(cluster) ?? NO_MEMORY),
    writePassMemory: async (cluster, memory) => void memories.set(cluster, memory),
  };
}

function unusedLaunches(): Part<'readUnusedLaunches' | 'writeUnusedLaunches'> {
  const counted = new Map<string, readonly UnusedLaunches[]>();
  return {
    readUnusedLaunches: async (cluster) => counted.get(cluster) ?? [],
    writeUnusedLaunches: async (cluster, launches) => void counted.set(cluster, launches),
  };
}

function pastMoves(): Part<'recordMove' | 'listMoves'> {
  const recorded = new Map<string, PastMove>();
  return {
    recordMove: async (cluster, move) => void recorded.set(keyOf(cluster, move.command), move),
    listMoves: async (cluster, nowMs) => {
      const mine = [...recorded].filter(([key]) => key.startsWith(`${cluster}/`)).map(([, move]) => move);
      return movesInForce(mine, nowMs);
    },
  };
}

function nominations(): Part<'nominate' | 'listNominations'> {
  const nominated = new Map<string, Nomination>();
  return {
    nominate: async (cluster, nomination) => {
      const key = keyOf(cluster, nomination.node);
      if ((nominated.get(key)?.untilMs ?? 0) < nomination.untilMs) nominated.set(key, nomination);
    },
    listNominations: async (cluster, nowMs) =>
      [...nominated]
        .filter(([key, { untilMs }]) => key.startsWith(`${cluster}/`) && untilMs > nowMs)
        .map(([, nomination]) => nomination),
  };
}

function standby(): Part<'setStandby' | 'isOnStandby'> {
  const until = new Map<string, number>();
  return {
    setStandby: async (cluster, untilMs) => void until.set(cluster, Math.max(untilMs, until.get(cluster) ?? 0)),
    isOnStandby: async (cluster, nowMs) => (until.get(cluster) ?? 0) > nowMs,
  };
}

function keyOf(cluster: string, name: string): string {
  return `${cluster}/${name}`;
}
