import { MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';
import { FAULTS_CATALOGUE } from '../../story/cluster.ts';

/** What a record says was done has been done (promise 1). */
export const recordsAreTrue: RuleOf = ({ violate, simulation, story, nowMs, startMs }) => {
  const refusedMs = new Map<string, number>();
  const isTimed = !story.faults.some(
    ({ kind }) => kind === 'clocks' || kind === 'calls-slow' || kind === 'table-steps',
  );
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
      const instanceType = instanceOf(after)?.instanceType;
      const { vcpus = Infinity } = FAULTS_CATALOGUE.facts.find((one) => one.name === instanceType) ?? {};
      const { cpu = 0 } = after.holds;
      if (cpu > vcpus * 1_000)
        violate(
          'a launched NodeClaim counts as its instance',
          `NodeClaim ${name} counts ${cpu} of cpu of ${vcpus} CPUs`,
        );
      const refused = deletion?.terminationRefused;
      // While the instance has no tags, nothing is asked of EC2: a refusal after that is the first of another series.
      if (refused === undefined || refused.reason !== undefined) refusedMs.delete(name);
      else {
        const sinceMs = refusedMs.get(name) ?? nowMs();
        refusedMs.set(name, sinceMs);
        const pauseMs = refused.retryAtMs - startMs() - nowMs();
        const isNewPause = refused.retryAtMs !== before?.deletion?.terminationRefused?.retryAtMs;
        if (isTimed && isNewPause && nowMs() - sinceMs > MINUTE_MS && pauseMs < 20_000 && refused.reason === undefined)
          violate(
            'the pause after a refusal grows',
            `NodeClaim ${name}: ${pauseMs} ms after ${nowMs() - sinceMs} ms of refusals`,
          );
      }
      const isNew = deletion?.terminateRequestedAtMs !== before?.deletion?.terminateRequestedAtMs;
      if (isNew && deletion?.terminateRequestedAtMs !== undefined && runs(after))
        violate('a termination is recorded after EC2 accepted it', `NodeClaim ${name}: its instance runs`);
    },
  };
};
