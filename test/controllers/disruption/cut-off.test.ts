import { describe, expect, test } from 'vitest';
import { MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';
import { type CutOff, type PortCall, withFaults } from '../../../lib/simulator/faults.ts';
import { samples } from '../../samples.ts';
import { expectOneInstanceAClaim } from '../life.ts';
import { EFFECT_OF_REPLACING, expectAtRest, ofKind, type Played, play } from './replacing.ts';

/** Until then, the first nodes are launched. */
const QUIET_MS = parseTime('2026-01-01T00:00:00Z') + 3 * MINUTE_MS;

async function cutOff(decide: (call: PortCall) => CutOff | undefined): Promise<Played> {
  return play({
    durationMs: 25 * MINUTE_MS,
    wrapPorts: (ports) => withFaults(ports, (call) => (ports.clock.now() < QUIET_MS ? undefined : decide(call))),
  });
}

function expectReplaced(played: Played): void {
  expectAtRest(played);
  expectOneInstanceAClaim(played);
  expect(played.nodesAtEnd).toBe(3);
}

describe('functions that are cut off while nodes are replaced (E33, E36)', () => {
  test.each(['before', 'after'] as const)(
    '%s the effect of an action that only such commands have: the commands go on',
    async (where) => {
      let calls = 0;
      const isEffect = EFFECT_OF_REPLACING['continue-disruption'];
      const played = await cutOff((call) => (isEffect(call) && ++calls === 1 ? where : undefined));
      expect(calls, 'the fault was injected').toBeGreaterThan(0);
      expectReplaced(played);
      expect(ofKind(played, 'end-disruption').filter(({ outcome }) => outcome === 'executed')).toHaveLength(3);
    },
  );

  test.each(['before', 'after'] as const)('%s a taint is removed: the next run removes it', async (where) => {
    let calls = 0;
    let isLost = false;
    const played = await play({
      durationMs: 15 * MINUTE_MS,
      wrapPorts: (ports) => {
        const faulty = withFaults(ports, (call) =>
          EFFECT_OF_REPLACING['uncordon-node'](call) && ++calls === 1 ? where : undefined,
        );
        return {
          ...faulty,
          store: {
            ...faulty.store,
            // The commands are lost as soon as nodes are replaced.
            listCommands: async (cluster) => {
              const commands = await ports.store.listCommands(cluster);
              if (isLost || !commands.some(({ state }) => state === 'replacing')) return commands;
              isLost = true;
              for (const { id } of commands) await ports.store.endCommand(cluster, id);
              return [];
            },
          },
        };
      },
    });
    expect(calls, 'the fault was injected').toBeGreaterThan(0);
    expectAtRest(played);
  });

  test('at port calls over the whole replacement: pods run, no taint and no command is left, nothing is launched twice', async () => {
    let total = 0;
    await cutOff(() => void (total += 1));
    for (let at = 1; at <= total; at += Math.ceil(total / samples(60, 8))) {
      let calls = 0;
      const played = await cutOff(() => (++calls === at ? (at % 2 === 0 ? 'before' : 'after') : undefined));
      expectReplaced(played);
    }
  });
});
