import { MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';

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
      const type = after.types.find((one) => launch.kind === 'launched' && one.name === launch.instance.instanceType);
      const { cpu = 0 } = type?.capacity ?? {};
      if (type !== undefined && (after.holds['cpu'] ?? 0) > cpu)
        violate(
          'a launched NodeClaim counts as its instance',
          `NodeClaim ${name} counts ${after.holds['cpu']} of cpu, and has ${cpu}`,
        );
      const refused = deletion?.terminationRefused;
      if (refused === undefined) refusedMs.delete(name);
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
