import { optional } from '../../../lib/apis/optional.ts';
import type { UninstallPorts, UninstallTarget } from '../../../lib/controllers/install/uninstall.ts';
import type { ClusterClaim } from '../../../lib/core/cluster/cluster-claim.ts';
import type { AutoscalerTraces } from '../../../lib/core/cluster/other-autoscalers.ts';
import type { UnreadableClaim } from '../../../lib/core/model/node-claim-record.ts';
import type { HeldKind, HeldObject, Installation } from '../../../lib/ports/installation.ts';
import type { NodeClaimStore } from '../../../lib/ports/node-claim-store.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { NO_TRACES } from '../../core/cluster/autoscaler-traces.ts';

export const TARGET: UninstallTarget = {
  cluster: 'demo',
  entries: [],
  installed: true,
  drain: false,
};

interface WorldOptions {
  /** @default this deployment holds the cluster */
  readonly claim?: ClusterClaim | undefined;
  readonly traces?: AutoscalerTraces;
  /** @default none */
  readonly unreadable?: readonly UnreadableClaim[];
  /** Kinds whose object of Kerf is being deleted. @default none */
  readonly deleted?: readonly HeldKind[];
  /** Whether the node of Kerf has not registered. @default it has */
  readonly unregistered?: true;
  /** @default as Kubernetes does, without a change since the list */
  readonly outcome?: 'released' | 'kept';
}

/** A cluster with a node, a NodeClaim and a class of Kerf, and others of each kind. */
export function aWorld(options: WorldOptions = {}) {
  const { traces = NO_TRACES, unreadable = [], deleted = [], outcome, unregistered } = options;
  const claim = 'claim' in options ? options.claim : { deployment: 'ours', isOwn: true };
  const memory = memoryNodeClaimStore();
  const world = { nowMs: NOW_MS, letGo: new Array<string>(), warnings: new Array<string>(), meanwhile: async () => {} };
  const store: NodeClaimStore = {
    ...memory,
    readNodeClaims: async (cluster) => ({ ...(await memory.readNodeClaims(cluster)), unreadable }),
  };
  const installation: Installation = {
    whyNoRights: async () => undefined,
    findDefinition: async () => undefined,
    applyDefinition: async () => {},
    whyNotEstablished: async () => undefined,
    apply: async () => 'applied',
    isTakenOver: async () => false,
    remove: async () => {},
    listHeld: async (kind) => {
      const name = kind === 'Node' ? 'node-2' : 'general-2';
      const isUnregistered = kind === 'Node' ? unregistered : undefined;
      const ours: HeldObject = { kind, name, providerId: 'aws:///us-east-1a/i-2', ...optional({ isUnregistered }) };
      const ofOthers: HeldObject = { kind, name: 'of-others', providerId: 'aws:///us-east-1a/i-3' };
      return [deleted.includes(kind) ? { ...ours, isDeleted: true } : ours, ofOthers];
    },
    letGo: async ({ kind, name }, { keepsFinalizer }) => {
      world.letGo.push(`${kind} ${name}${keepsFinalizer ? ', not the finalizer' : ''}`);
      return outcome ?? (keepsFinalizer ? 'kept' : 'released');
    },
    findOtherAutoscalers: async () => traces,
    listAutoModePools: async () => [],
    readClaim: async () => claim,
    claimCluster: async () => ({ deployment: 'ours', isOwn: true }),
    releaseClaim: async () => {},
    revokeDeciding: async () => NOW_MS,
  };
  const ports: UninstallPorts = {
    entries: {
      clusters: async () => ['demo'],
      authenticationMode: async () => 'API',
      find: async () => undefined,
      create: async () => {},
      setGroups: async () => {},
      givePolicy: async () => {},
      takePolicy: async () => {},
      remove: async () => {},
    },
    warn: (_, message) => void world.warnings.push(message),
    installation: async () => installation,
    clock: { now: () => world.nowMs },
    pause: async (ms) => {
      world.nowMs += ms;
      await world.meanwhile();
    },
    remainingMs: () => 15 * MINUTE,
    store,
    messages: { wake: async () => {} },
  };
  return { world, store, ports };
}
