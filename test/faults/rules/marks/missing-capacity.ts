import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { includesCall } from '../../../../lib/simulator/faults/fault.ts';
import type { RuleOf } from '../../rule.ts';

/** A mark lasts longer than this. */
const MARKED_MS = MINUTE_MS;
/** Another run may have planned its request before the mark was written. */
const PLANNED_MS = 15 * SECOND_MS;
/** Faults after which a mark may be missing, or a request is planned at another time than it is recorded. */
const UNMARKED: ReadonlySet<string> = new Set([
  'cut-off',
  'calls-hang',
  'calls-slow',
  'table-steps',
  'clocks',
  'restore-table',
  'other-version',
]);

/** An offering without capacity is not asked for again at once (C53). */
export const missingCapacityIsRemembered: RuleOf = ({ violate, records, nowMs, startMs, story }) => {
  const isKnown = !story.faults.some(
    (one) =>
      UNMARKED.has(one.kind) || (one.kind === 'calls-fail' && includesCall(one.calls, 'catalogue.markUnavailable')),
  );
  const missingMs = new Map<string, number>();
  const sent = new Set<string>();
  return {
    // If the outcome does not reach the function that sent the request, Kerf does not know what was missing.
    learned({ missing }) {
      for (const { instanceType, zone, capacityType, subnetId, reservationId } of missing)
        if (subnetId === undefined && reservationId === undefined)
          missingMs.set(`${instanceType} ${zone} ${capacityType}`, startMs() + nowMs());
    },
    launching({ clientToken, nodeClaim, capacityType, overrides }) {
      if (!isKnown || sent.has(clientToken)) return;
      sent.add(clientToken);
      const { launch } = records.get(nodeClaim) ?? {};
      const plannedMs = launch?.kind === 'requested' ? launch.atMs : 0;
      for (const { instanceType, zone } of overrides) {
        const offering = `${instanceType} ${zone} ${capacityType}`;
        const agoMs = plannedMs - (missingMs.get(offering) ?? Infinity);
        if (agoMs > PLANNED_MS && agoMs < MARKED_MS)
          violate(
            'an offering without capacity is not asked for again',
            `NodeClaim ${nodeClaim}: ${offering}, ${agoMs} ms later`,
          );
      }
    },
  };
};
