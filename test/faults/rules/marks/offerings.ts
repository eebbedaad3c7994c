import { isRecord } from '../../../../lib/apis/record.ts';
import type { RuleOf } from '../../rule.ts';

/**
 * A mark of missing capacity names an offering of an instance that was interrupted, or of a launch that was refused. An interruption marks its
 * offering from the time of the event, also if the event is handled later (C81).
 */
export const marksNameTheirOffering: RuleOf = ({ violate, simulation, story, startMs, nowMs }) => {
  const volleysMs = story.faults.flatMap(({ kind, fromMs }) => (kind === 'spot-volley' ? [fromMs] : []));
  return {
    call({ method, args: [marks] }) {
      if (method !== 'catalogue.markUnavailable' || !Array.isArray(marks)) return;
      for (const mark of marks.filter(isRecord)) {
        if (mark['reason'] !== 'SpotInterruption') continue;
        const offering = `${String(mark['instanceType'])} in ${String(mark['zone'])} (${String(mark['capacityType'])})`;
        const isOf = simulation()
          .ec2.instances()
          .some(
            ({ instanceType, zone, capacityType }) =>
              instanceType === mark['instanceType'] && zone === mark['zone'] && capacityType === mark['capacityType'],
          );
        if (!isOf)
          violate('a mark names the offering that is missing', `${offering} had no instance that could be interrupted`);
        const lateMs = Number(mark['atMs']) - startMs() - Math.max(...volleysMs.filter((atMs) => atMs <= nowMs()));
        if (lateMs > 0) violate('a mark begins with its event', `${offering}: ${lateMs} ms after the last event`);
      }
    },
  };
};
