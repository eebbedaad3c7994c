import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { RuleOf } from '../rule.ts';

/** More calls in a minute are a loop that does not wait. A claim whose node changes all the time is read and written again after pauses that grow. */
const MAX_CALLS = 3_000;
const MAX_CALLS_FOR_A_CLAIM = 700;
/** The calls of a minute in which nothing happens: four functions, with their reads. */
const MAX_IDLE_CALLS = 160;
/** Writes of a cluster at rest: leases, and conditions that the minute changes. */
const IDLE_WRITES: ReadonlySet<string> = new Set(['leases.acquire', 'leases.release', 'leases.renew', 'messages.wake']);
const WRITE =
  /^(store\.(create|update|record|close|start|end|nominate|set)|cluster\.(patch|delete|evict|apply|remove|publish)|cloud\.(launch|terminate|tag)|messages\.publish|catalogue\.(write|mark|learn))/;

/** The number of calls is limited, and a cluster at rest makes few calls and writes nothing. */
export const callsAreFew: RuleOf = ({ violate, nowMs, story, records }) => {
  let [minute, calls] = [-1, 0];
  const byMethod = new Map<string, number>();
  const writes: { readonly atMs: number; readonly method: string }[] = [];
  return {
    call({ method }) {
      const now = Math.floor(nowMs() / MINUTE_MS);
      if (now !== minute) {
        [minute, calls] = [now, 0];
        byMethod.clear();
      }
      calls += 1;
      byMethod.set(method, (byMethod.get(method) ?? 0) + 1);
      if (WRITE.test(method) && !IDLE_WRITES.has(method)) writes.push({ atMs: nowMs(), method });
      if (calls < MAX_CALLS || calls % 100 > 0) return;
      const claims = [...records.values()].filter(({ releasedAtMs }) => releasedAtMs === undefined).length;
      if (calls > MAX_CALLS + claims * MAX_CALLS_FOR_A_CLAIM)
        violate(
          'no loop runs without waiting',
          `${calls} calls in a minute for ${claims} claims, most of ${most(byMethod)}`,
        );
    },
    unsettled() {
      if (isNeverAtRest(story.manifests.nodePools.map(({ spec }) => spec.template.spec.expireAfter))) return [];
      // The eviction of a pod that a budget holds is tried again and again.
      if ([...records.values()].some((one) => one.deletion !== undefined && one.releasedAtMs === undefined)) return [];
      const recent = writes.filter(({ atMs }) => nowMs() - atMs < 20 * SECOND_MS).map(({ method }) => method);
      const idle = calls > MAX_IDLE_CALLS ? [`more than ${MAX_IDLE_CALLS} calls in an idle minute`] : [];
      return [...new Set(recent)].map((method) => `${method} is called in a cluster at rest`).concat(idle);
    },
  };
};

function most(byMethod: ReadonlyMap<string, number>): string {
  return [...byMethod]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([method, count]) => `${method} (${count})`)
    .join(', ');
}

function isNeverAtRest(expireAfter: readonly (string | undefined)[]): boolean {
  return expireAfter.some((one) => one !== 'Never');
}
