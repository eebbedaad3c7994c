import { formatTime, HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';
import type { ClusterSnapshot, NodePoolView } from '../model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { REGISTRATION_TIMEOUT_MS } from '../node-claim/join.ts';
import { isSameGeneration, registrationFailure } from './registration-health.ts';

const PAUSE_MS = { least: 15 * MINUTE_MS, most: HOUR_MS };

/**
 * The NodePools whose instances do not register as nodes (D9), by name, with the reason: new nodes are of the other NodePools, if these can
 * run the pods (B71). After a pause as long as the failures last, from 15 minutes to an hour, the NodePool has its place again, but not while
 * a node of it starts. *Cost:* O(NodePools + NodeClaims), and a sort of the NodeClaims of each NodePool.
 */
export function failingRegistrations(
  { nodePools, nodeClaims }: Pick<ClusterSnapshot, 'nodePools' | 'nodeClaims'>,
  nowMs: number,
): ReadonlyMap<string, Refusal> {
  const claims = Map.groupBy(nodeClaims, ({ nodePool }) => nodePool);
  return new Map(
    nodePools.flatMap((view) => {
      const { name } = view.nodePool.metadata;
      const why = whyFailing(view, claims.get(name) ?? [], nowMs);
      return why === undefined ? [] : [[name, why] as const];
    }),
  );
}

function whyFailing(
  { nodePool, nodeClass }: NodePoolView,
  records: readonly NodeClaimRecord[],
  nowMs: number,
): Refusal | undefined {
  const failure = registrationFailure({ nodePool, records, sameGeneration: isSameGeneration(nodePool, nodeClass) });
  if (failure === undefined) return undefined;
  const { message, sinceMs, lastMs } = failure;
  // Some of the instances register, so the cause is not the NodePool.
  if (records.some(({ registeredAtMs = -Infinity }) => registeredAtMs >= lastMs - REGISTRATION_TIMEOUT_MS))
    return undefined;
  const untilMs = lastMs + Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, lastMs - sinceMs));
  const isTrying = records.some(({ registeredAtMs, deletion }) => (registeredAtMs ?? deletion) === undefined);
  if (nowMs >= untilMs && !isTrying) return undefined;
  const waitMs = Math.max(0, untilMs - nowMs);
  const end = waitMs > 0 ? `until ${formatTime(untilMs)}` : 'until the node that starts has registered';
  return refusal('RegistrationFailing', `${message}; other NodePools come first ${end}`, { waitMs });
}
