import { test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import { expectAllGone, live, SMALL_CATALOGUE } from '../controllers/life.ts';

/** The run that proposes a disruption fails after it, and the runs of the next minutes find its lease held. */
function heldAfterProposal(ports: ControllerPorts): ControllerPorts {
  let proposedAtMs = Infinity;
  const isHeld = (): boolean => ports.clock.now() < proposedAtMs + 4 * MINUTE_MS && proposedAtMs !== Infinity;
  const { leases, store } = ports;
  return {
    ...ports,
    store: {
      ...store,
      startCommand: async (cluster, command) => {
        await store.startCommand(cluster, command);
        proposedAtMs = Math.min(proposedAtMs, ports.clock.now());
      },
    },
    leases: {
      ...leases,
      acquire: async (seen) => (seen.work === 'disruption' && isHeld() ? { kind: 'busy' } : leases.acquire(seen)),
      release: async (lease, outcome) => {
        const released = await leases.release(lease, outcome);
        if (lease.work === 'disruption' && isHeld()) throw new UnreachableError('the answer is lost');
        return released;
      },
    },
  };
}

test('a simulation goes on while a function has not reported since the last tick', async () => {
  expectAllGone(await live({ catalogue: SMALL_CATALOGUE, wrapPorts: heldAfterProposal }));
});
