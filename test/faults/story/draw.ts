/** How themes draw their faults. */
import type { FaultKind, HandWork } from '../../../lib/apis/scenario/fault-kind.ts';
import type { Random } from '../../../lib/simulator/random.ts';

export interface Timed {
  readonly fault: FaultKind;
  readonly fromMs: number;
  readonly forMs: number;
}

/** Draws a fault and its time. */
export interface Draw {
  readonly random: Random;
  readonly calmFromMs: number;
  /** The fault for some minutes. */
  for(fault: FaultKind, maxMinutes?: number): Timed;
  /** The fault at one moment. */
  once(fault: FaultKind): Timed;
}

/** Something that a user does at a moment. */
export function byHand(what: HandWork, nth: number, fromMs: number): Timed {
  return { fault: { kind: 'by-hand', what, nth }, fromMs, forMs: 0 };
}

/** Calls that a function makes often, by service. */
export const TABLE = ['store.*', 'leases.*', 'catalogue.*'];
export const TABLE_CALLS = [
  'store.updateNodeClaim',
  'store.updateNodeClaims',
  'store.createNodeClaim',
  'store.closeDecision',
  'store.recordDecision',
  'store.listNodeClaims',
  'store.readNodeClaim',
  'store.nominate',
  'store.startCommand',
  'store.endCommand',
];
export const API_WRITES = [
  'cluster.patchNode',
  'cluster.evictPod',
  'cluster.deleteNode',
  'cluster.deleteNodeClaim',
  'cluster.removeNodeClaim',
  'cluster.applyNodeClaim',
  'cluster.deletePod',
  'cluster.nominatePod',
];
export const API_READS = [
  'cluster.listNodes',
  'cluster.listPods',
  'cluster.listUnboundPods',
  'cluster.listPodsOnNode',
  'cluster.listNodePools',
  'cluster.listNodeClasses',
  'cluster.listNodeClaims',
  'cluster.listPodDisruptionBudgets',
];
export const EC2_CALLS = [
  'cloud.launch',
  'cloud.nameInstances',
  'cloud.describeInstances',
  'cloud.terminate',
  'cloud.tagInstance',
  'cloud.resolveNodeClass',
];
export const QUEUES = ['provisioning', 'lifecycle', 'disruption', 'termination', 'interruption'];

export function some<T>({ random }: Draw, list: readonly T[]): readonly T[] {
  const chosen = list.filter(() => random.between(0, 3) === 0);
  return chosen.length > 0 ? chosen : list.slice(0, 1);
}

export function percentOf({ random }: Draw): number {
  return random.pick([5, 15, 40, 100]) ?? 15;
}

export function whereOf({ random }: Draw): 'before' | 'after' {
  return random.pick(['before', 'after'] as const) ?? 'before';
}

export type Themes = Readonly<Record<string, (draw: Draw) => readonly Timed[]>>;
