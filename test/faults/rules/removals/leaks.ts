import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { instanceOf } from '../../../../lib/core/model/node-claim-record.ts';
import { isGroupName } from '../../../../lib/core/node-claim/launch/launch-groups.ts';
import type { RuleOf } from '../../rule.ts';
import { isRegisteredInstance } from '../nodes.ts';
import { type Duty, LIFECYCLE, progressOf } from '../progress/duty.ts';

/** A younger instance may be in no record yet. */
const MIN_AGE_MS = 30 * SECOND_MS;
/** Ten minutes after the release, an instance whose termination EC2 may have refused is terminated only in each fifth minute. Clocks may differ. */
const OFTEN_MS = 6 * MINUTE_MS;
const RARELY_MS = 5 * MINUTE_MS;

/** An instance that EC2 lists after the release of its claim is terminated by the next tick. A registered node keeps its instance (D32). */
export const leakedInstancesEnd: RuleOf = (watched) => {
  const { story, simulation, records, startMs, nowMs } = watched;
  const lagsMs = story.faults.map((one) => (one.kind === 'listed-late' ? one.lagMs : 0));
  const listedAfterMs = Math.max(MIN_AGE_MS, ...lagsMs);
  // The duty begins when EC2 lists the instance, so that later lists do not disturb it.
  const faults = story.faults.filter(({ kind }) => kind !== 'listed-late');
  return progressOf({ ...watched, story: { ...story, faults } }, () => {
    const { ec2 } = simulation();
    const now = startMs() + nowMs();
    return ec2.instances().flatMap(({ id, cluster, nodeClaim, endedAtMs, launchedAtMs }): readonly Duty[] => {
      const { releasedAtMs } = records.get(nodeClaim) ?? {};
      const isLeaked = releasedAtMs !== undefined && endedAtMs === undefined && cluster === 'simulated';
      if (!isLeaked || now - launchedAtMs < listedAfterMs) return [];
      if (isRegisteredInstance(watched, id)) return [];
      const rarelyMs = now - releasedAtMs < OFTEN_MS ? 0 : RARELY_MS;
      const name = `instance ${id} of the released NodeClaim ${nodeClaim} ends`;
      return [{ name, withinMs: 75 * SECOND_MS + rarelyMs, needs: [...LIFECYCLE, 'cloud.terminate'] }];
    });
  });
};

/** EC2 lists an instance of a group after its claims were given up and replaced: no pods run on it, so it gets no NodeClaim of its own. */
export const lateMembersAreNotAdopted: RuleOf = (watched) => ({
  recordWritten(after, before) {
    const adopted = before === undefined ? instanceOf(after) : undefined;
    if (adopted === undefined) return;
    const { ec2 } = watched.simulation();
    const tag = ec2.instances().find(({ id }) => id === adopted.id)?.nodeClaim ?? '';
    if (isGroupName(tag) && !isRegisteredInstance(watched, adopted.id))
      watched.violate(
        'a late instance of a group is not adopted',
        `instance ${adopted.id} of ${tag}: NodeClaim ${after.name}`,
      );
  },
});
