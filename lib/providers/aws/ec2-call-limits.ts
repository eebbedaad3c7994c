import type { CallLimits } from '../../core/call-budget/token-bucket.ts';

/**
 * What EC2 lets an account call in one region unless it was granted more: every API has a bucket of its own, by its kind.
 * They are where a budget begins, not what it believes: when EC2 throttles earlier, the budget slows down.
 * *Source:* "Request throttling for the Amazon EC2 API", Amazon EC2 Developer Guide, as of 2025-06; what is only known of
 * its kind is the lowest figure of that kind.
 */
const READS: CallLimits = { capacity: 100, perSecond: 20 };
const WRITES: CallLimits = { capacity: 50, perSecond: 5 };

const BY_ACTION: Readonly<Record<string, CallLimits>> = {
  CreateTags: { capacity: 100, perSecond: 10 },
  // The bucket of requests; instances are counted by another, of 1000 and 2 a second.
  RunInstances: { capacity: 5, perSecond: 2 },
  TerminateInstances: { capacity: 100, perSecond: 5 },
};

/** The limits of an EC2 action: `CreateFleet`, `DescribeInstances`. */
export function ec2CallLimits(action: string): CallLimits {
  const own = Object.hasOwn(BY_ACTION, action) ? BY_ACTION[action] : undefined;
  return own ?? (/^(Describe|Get|List|Search)/.test(action) ? READS : WRITES);
}
