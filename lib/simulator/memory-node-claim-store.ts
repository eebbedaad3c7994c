import type { Decision } from '../core/action.ts';
import type { DisruptionCommand } from '../core/disruption/command.ts';
import { instanceOf, type NodeClaimRecord } from '../core/node-claim/record.ts';
import { EpochMovedError, StaleRecordError } from '../ports/errors.ts';
import type { NodeClaimStore, Nomination } from '../ports/node-claim-store.ts';

/** The table, in memory. */
export function memoryNodeClaimStore(): NodeClaimStore {
  const claims = new Map<string, NodeClaimRecord>();
  const recorded = new Map<string, Set<string>>();
  const open = new Map<string, Decision>();
  const commands = new Map<string, DisruptionCommand>();
  const nominations = new Map<string, Nomination>();
  const decisionsOf = (cluster: string): Set<string> => recorded.get(cluster) ?? new Set();
  return {
    readEpoch: async (cluster) => decisionsOf(cluster).size,
    async recordDecision(decision, epoch) {
      const known = decisionsOf(decision.cluster);
      if (known.has(decision.id)) return;
      if (known.size !== epoch) {
        throw new EpochMovedError(
          `cluster ${decision.cluster} is at epoch ${known.size}, the decision was made at ${epoch}: observe again`,
        );
      }
      recorded.set(decision.cluster, new Set(known).add(decision.id));
      open.set(keyOf(decision.cluster, decision.id), decision);
    },
    openDecisions: async (cluster) =>
      [...open.values()]
        .filter((decision) => decision.cluster === cluster)
        .toSorted((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1)),
    closeDecision: async (decision) => void open.delete(keyOf(decision.cluster, decision.id)),

    async createNodeClaim(record) {
      const key = keyOf(record.cluster, record.name);
      if (!claims.has(key)) claims.set(key, record);
    },
    readNodeClaim: async (cluster, name) => claims.get(keyOf(cluster, name)),
    listNodeClaims: async (cluster) =>
      [...claims.values()]
        .filter((record) => record.cluster === cluster && record.releasedAtMs === undefined)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    findNodeClaim: async (instanceId) => [...claims.values()].find((record) => instanceOf(record)?.id === instanceId),
    async updateNodeClaim(record) {
      const key = keyOf(record.cluster, record.name);
      const stored = claims.get(key);
      if (stored?.version !== record.version) {
        throw new StaleRecordError(
          `NodeClaim ${record.name} is at version ${stored?.version}, not ${record.version}: read it again`,
        );
      }
      const written = { ...record, version: record.version + 1 };
      claims.set(key, written);
      return written;
    },

    async startCommand(cluster, command) {
      const key = keyOf(cluster, command.id);
      if (!commands.has(key)) commands.set(key, command);
    },
    listCommands: async (cluster) =>
      [...commands].filter(([key]) => key.startsWith(`${cluster}/`)).map(([, command]) => command),
    endCommand: async (cluster, id) => void commands.delete(keyOf(cluster, id)),

    nominate: async (cluster, nomination) => {
      const key = keyOf(cluster, nomination.node);
      if ((nominations.get(key)?.untilMs ?? 0) < nomination.untilMs) nominations.set(key, nomination);
    },
    listNominations: async (cluster, nowMs) =>
      [...nominations]
        .filter(([key, { untilMs }]) => key.startsWith(`${cluster}/`) && untilMs > nowMs)
        .map(([, nomination]) => nomination),
  };
}

function keyOf(cluster: string, name: string): string {
  return `${cluster}/${name}`;
}
