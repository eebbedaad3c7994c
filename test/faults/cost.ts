import { HOUR_MS } from '../../lib/apis/formats/time.ts';
import { costOf } from '../../lib/simulator/aws/simulated-ec2.ts';
import type { Watched } from './rule.ts';
import { isKeptInPlace, isTerminal } from './rules/pods.ts';

/** What the instances cost until now. *Units:* USD. */
export function usdUntilNow({ simulation, startMs, nowMs }: Watched): number {
  return simulation()
    .ec2.instances()
    .reduce((sum, one) => sum + costOf(one, startMs() + nowMs()), 0);
}

/**
 * What those instances cost now on whose nodes a pod must not be disrupted. Kerf cannot replace them, and chance decides which they are: the
 * kube-scheduler chooses the node, and after a volley of spot interruptions, on-demand nodes replace nodes whose limits are still used.
 * *Units:* USD for `forMs`.
 */
export function heldUsd({ simulation, startMs, nowMs }: Watched, forMs: number): number {
  const { state, ec2 } = simulation();
  const nowAt = startMs() + nowMs();
  const kept = [...state.pods.values()].filter((pod) => !isTerminal(pod) && isKeptInPlace(pod, nowAt));
  const nodes = new Set(kept.map(({ spec }) => spec.nodeName));
  const held = [...state.nodes.values()].filter(({ metadata }) => nodes.has(metadata.name));
  const ids = new Set(held.map(({ spec }) => spec?.providerID?.split('/').at(-1)));
  return ec2
    .instances()
    .filter(({ id, endedAtMs }) => endedAtMs === undefined && ids.has(id))
    .reduce((sum, { priceUsdPerHour }) => sum + (priceUsdPerHour * forMs) / HOUR_MS, 0);
}
