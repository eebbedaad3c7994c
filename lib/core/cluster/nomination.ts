import { MINUTE_MS } from '../../apis/time.ts';
import type { Action } from '../action.ts';

/** B5: until two more ticks have had a look; Karpenter looks every 10 s and promises for 20. */
const NOMINATION_MS = 2 * MINUTE_MS;

/** Promises a node to pods that the kube-scheduler has yet to bind. */
export function nomination(node: string, pods: readonly string[], nowMs: number): Action {
  return { kind: 'nominate-node', node, pods, untilMs: nowMs + NOMINATION_MS };
}
