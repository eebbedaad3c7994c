import { LEASE_MS } from '../../../../lib/ports/leases.ts';
import type { RuleOf } from '../../rule.ts';

/** One decision for each epoch: it was made on a snapshot that has every earlier decision. */
export const decisionsHaveTheirEpoch: RuleOf = ({ violate }) => {
  const recordedAt = new Map<number, string>();
  return {
    replaced: () => recordedAt.clear(),
    decisionRecorded({ id }, epoch) {
      const other = recordedAt.get(epoch);
      recordedAt.set(epoch, id);
      if (other !== undefined && other !== id)
        violate('each epoch has one decision', `${id} and ${other} were recorded at epoch ${epoch}`);
    },
  };
};

/** A lease has one holder until it ends. */
export const leasesHaveOneHolder: RuleOf = ({ violate, nowMs }) => {
  const held = new Map<string, { readonly fence: number; readonly untilMs: number }>();
  return {
    replaced: () => held.clear(),
    leaseAcquired({ work, fence }) {
      const other = held.get(work);
      if (other !== undefined && other.untilMs > nowMs())
        violate('a lease has one holder', `${work}: lease ${other.fence} was held when ${fence} was acquired`);
      held.set(work, { fence, untilMs: nowMs() + LEASE_MS });
    },
    leaseRenewed({ work, fence }) {
      if (held.get(work)?.fence === fence) held.set(work, { fence, untilMs: nowMs() + LEASE_MS });
    },
    leaseReleased({ work, fence }) {
      if (held.get(work)?.fence === fence) held.delete(work);
    },
  };
};
