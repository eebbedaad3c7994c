import type { CallLimits } from '../../../core/call-budget/token-bucket.ts';

/**
 * The default request limits of EC2 for an account in one region. Every API has a separate bucket, whose size depends on its
 * kind. These are start values of a budget: if EC2 throttles earlier, the budget slows down.
 * *Source:* "Request throttling for the Amazon EC2 API", Amazon EC2 Developer Guide, as of 2025-06. An API without a published
 * limit has the lowest limit of its kind.
 */
/** EC2 allows a burst of 100. Five processes may keep eight calls each, so that one that reads each minute does not write each minute. */
const READS: CallLimits = { capacity: 60, perSecond: 20, kept: 8 };
const WRITES: CallLimits = { capacity: 50, perSecond: 5 };

const BY_ACTION: Readonly<Record<string, CallLimits>> = {
  CreateTags: { capacity: 100, perSecond: 10 },
  // The request bucket. Another bucket of 1000, refilled with 2 per second, counts instances.
  RunInstances: { capacity: 5, perSecond: 2 },
  TerminateInstances: { capacity: 100, perSecond: 5 },
};

/** The limits of an EC2 action: `CreateFleet`, `DescribeInstances`. */
export function ec2CallLimits(action: string): CallLimits {
  const own = Object.hasOwn(BY_ACTION, action) ? BY_ACTION[action] : undefined;
  return own ?? (/^(Describe|Get|List|Search)/.test(action) ? READS : WRITES);
}
