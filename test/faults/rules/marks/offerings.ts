import { isRecord } from '../../../../lib/apis/record.ts';
import type { RuleOf } from '../../rule.ts';

/** A mark of missing capacity names an offering of an instance that was interrupted, or of a launch that was refused. */
export const marksNameTheirOffering: RuleOf = ({ violate, simulation }) => ({
  call({ method, args: [marks] }) {
    if (method !== 'catalogue.markUnavailable' || !Array.isArray(marks)) return;
    for (const mark of marks.filter(isRecord)) {
      const isInterrupted = mark['reason'] === 'SpotInterruption';
      const isOf = simulation()
        .ec2.instances()
        .some(
          ({ instanceType, zone, capacityType }) =>
            instanceType === mark['instanceType'] && zone === mark['zone'] && capacityType === mark['capacityType'],
        );
      if (isInterrupted && !isOf)
        violate(
          'a mark names the offering that is missing',
          `${String(mark['instanceType'])} in ${String(mark['zone'])} (${String(mark['capacityType'])}) had no instance that could be interrupted`,
        );
    }
  },
});
