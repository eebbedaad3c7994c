import type { Method, World } from '../../lib/core/disruption/method.ts';

/** What the pods on the nodes would cost in the cheapest fleet. */
export interface BoundMeter {
  readonly methods: readonly Method[];
  /** Of the last pass: no fleet for its pods is cheaper. *Shape:* 0 before the first pass. *Units:* USD per hour. */
  usdPerHour(): number;
}

/**
 * Measures in each pass, before its first method. The bound allows fractions of nodes and ignores all constraints except resources,
 * so that it may be out of reach.
 */
export function boundMeter([first, ...others]: readonly Method[]): BoundMeter {
  if (first === undefined) throw new RangeError('no methods');
  let usdPerHour = 0;
  const measured: Method = {
    ...first,
    // The bound needs the instance types of the NodePools.
    placesPods: () => true,
    propose(world) {
      usdPerHour = lowerBound(world);
      return first.propose(world);
    },
  };
  return { methods: [measured, ...others], usdPerHour: () => usdPerHour };
}

function lowerBound({ candidates, bounds }: World): number {
  return candidates.nodes.filter(({ deleting }) => !deleting).reduce((sum, { name }) => sum + bounds.worthOf(name), 0);
}
