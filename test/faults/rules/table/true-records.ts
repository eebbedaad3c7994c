import { instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';

/** What a record says was done has been done (promise 1). */
export const recordsAreTrue: RuleOf = ({ violate, simulation }) => {
  const runs = (record: NodeClaimRecord): boolean => {
    const id = instanceOf(record)?.id;
    return simulation()
      .ec2.instances()
      .some((one) => one.id === id && one.state === 'running');
  };
  return {
    recordWritten(after, before) {
      const { name, launch, options, deletion } = after;
      if (launch.kind === 'launched' && options.length > 0)
        violate('a launched NodeClaim keeps no launch options', `NodeClaim ${name} has ${options.length} options`);
      const isNew = deletion?.terminateRequestedAtMs !== before?.deletion?.terminateRequestedAtMs;
      if (isNew && deletion?.terminateRequestedAtMs !== undefined && runs(after))
        violate('a termination is recorded after EC2 accepted it', `NodeClaim ${name}: its instance runs`);
    },
  };
};
