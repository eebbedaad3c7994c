import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import { type SimulatedEc2, simulatedEc2 } from '../../lib/simulator/aws/simulated-ec2.ts';
import { randomFrom } from '../../lib/simulator/random.ts';
import { timelineFrom } from '../../lib/simulator/timeline.ts';
import type { Timetable } from '../../lib/simulator/timetable.ts';

/** A simulated EC2 without a simulation around it, with the shipped catalogue of us-east-1. */
export function aSimulatedEc2(cluster: string, timetable: Timetable): SimulatedEc2 {
  return simulatedEc2({
    cluster,
    catalogue: shippedCatalogue({ region: 'us-east-1', because: 'the test' }),
    timetable,
    random: randomFrom(1),
    timeline: timelineFrom(timetable),
    onLaunch: () => {},
    onGone: () => {},
    onEvent: () => {},
  });
}
