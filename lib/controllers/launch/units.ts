import type { Due } from '../../core/model/decision.ts';
import type { Turning } from '../../core/node-claim/turn.ts';
import { type EachClaim, eachClaim } from '../run/each-claim.ts';
import type { HasClock } from '../run/ports.ts';

/** A claim, or the claims that one request launches. */
export interface Unit extends Turning {
  readonly advance: () => Promise<Advanced>;
}

interface Advanced {
  readonly due: readonly Due[];
  /** What follows in the same invocation. @default nothing */
  readonly next?: readonly Unit[];
}

/** A unit that fails or hangs does not delay the others, and what follows a unit does not wait for others. */
export async function advanceUnits(ports: HasClock, units: readonly Unit[]): Promise<EachClaim> {
  const followers: EachClaim[] = [];
  const each = await eachClaim(units, ports, async (unit) => {
    const { due, next = [] } = await unit.advance();
    if (next.length > 0) followers.push(await advanceUnits(ports, next));
    return due;
  });
  return joined([each, ...followers]);
}

export function joined(parts: readonly EachClaim[]): EachClaim {
  return {
    due: parts.flatMap(({ due }) => due),
    failures: parts.flatMap(({ failures }) => failures),
    hasConflict: parts.some(({ hasConflict }) => hasConflict),
  };
}
