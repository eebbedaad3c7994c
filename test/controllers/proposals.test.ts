import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { Decision } from '../../lib/core/model/decision.ts';
import type { DisruptionCommand } from '../../lib/core/model/disruption-command.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { withDelays } from '../../lib/simulator/faults.ts';
import { randomFrom } from '../../lib/simulator/random.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { samplesOf } from '../samples.ts';
import { live } from './life.ts';
import { withoutLeases } from './without-leases.ts';

describe('a proposed disruption and the epoch', () => {
  test('it is stored if another decision was recorded during its search, and is executed by a later decision', async () => {
    const started: string[] = [];
    const recorded: Decision[] = [];
    const proposals: Decision[] = [];
    const result = await emptied((ports) => {
      const startMs = ports.clock.now();
      return {
        ...ports,
        store: {
          ...ports.store,
          // It is read after the epoch: until a command is stored, every run of this time finds the epoch moved.
          listCommands: async (cluster) => {
            const commands = await ports.store.listCommands(cluster);
            if (ports.clock.now() > startMs + SCALED_MS && commands.length === 0 && started.length === 0)
              await moveEpoch(ports, cluster);
            return commands;
          },
          startCommand: async (cluster, command) => {
            started.push(command.id);
            await ports.store.startCommand(cluster, command);
          },
          recordDecision: async (decision, epoch, lease) => {
            await ports.store.recordDecision(decision, epoch, lease);
            recorded.push(decision);
          },
          recordShadow: async (decision, essence) => {
            proposals.push(decision);
            return await ports.store.recordShadow(decision, essence);
          },
        },
      };
    });
    const kinds = new Set(recorded.flatMap(({ actions }) => actions.map(({ kind }) => kind)));
    expect(started.length).toBeGreaterThan(0);
    expect(proposals.map(({ id }) => id)).toEqual(started);
    expect([kinds.has('start-disruption'), kinds.has('end-disruption')]).toEqual([false, true]);
    expect(result.timeline.some(({ kind }) => kind === 'delete-node-claim')).toBe(true);
  });

  test.each(samplesOf([1, 2, 3], 1))(
    'concurrent runs that propose different nodes never disrupt more than the budget allows, interleaved by seed %i (promise 3)',
    async (seed) => {
      const random = randomFrom(seed);
      let most = 0;
      let proposed = 0;
      const result = await emptied((ports) => {
        const slow = withDelays(withoutLeases(ports), async ({ method }) => {
          if (method.startsWith('store.')) {
            const claims = await ports.store.listNodeClaims('simulated');
            most = Math.max(most, claims.filter(isBeingDrained).length);
          }
          for (let turns = random.between(0, 20); turns > 0; turns -= 1) await Promise.resolve();
        });
        const startCommand = async (cluster: string, command: DisruptionCommand): Promise<void> => {
          proposed += 1;
          await slow.store.startCommand(cluster, command);
          await slow.store.startCommand(cluster, await forAnotherNode(ports, cluster, command));
        };
        return {
          ...slow,
          store: { ...slow.store, startCommand },
          clock: { now: () => ports.clock.now() + random.between(0, 40) },
        };
      });
      expect(proposed).toBeGreaterThan(0);
      expect(most).toBe(1);
      expect(result.timeline.filter(({ kind }) => kind === 'delete-node-claim').length).toBeGreaterThanOrEqual(2);
    },
  );
});

const SCALED_MS = 4 * MINUTE_MS;

async function moveEpoch({ store, clock }: ControllerPorts, cluster: string): Promise<void> {
  const epoch = await store.readEpoch(cluster);
  const decision: Decision = {
    id: `other-${epoch}`,
    cluster,
    controller: 'provisioning',
    atMs: clock.now(),
    actions: [],
    blocked: [],
  };
  await store.recordDecision(decision, epoch);
  await store.closeDecision(decision);
}

function isBeingDrained({ deletion }: NodeClaimRecord): boolean {
  return deletion !== undefined && deletion.terminateRequestedAtMs === undefined;
}

/** The proposal of a concurrent run that has not observed the first node. */
async function forAnotherNode(
  { store }: ControllerPorts,
  cluster: string,
  command: DisruptionCommand,
): Promise<DisruptionCommand> {
  const mine = new Set(command.candidates.map(({ nodeClaim }) => nodeClaim));
  const others = (await store.listNodeClaims(cluster)).filter(
    ({ name, deletion }) => !mine.has(name) && deletion === undefined,
  );
  const candidates = command.candidates.map((candidate, at) => ({
    ...candidate,
    nodeClaim: others[at]?.name ?? candidate.nodeClaim,
    node: others[at]?.nodeName ?? candidate.node,
  }));
  return { ...command, id: `${command.id}-other`, candidates };
}

/** Three nodes that become empty at once, in a pool whose budget allows one disruption at a time. */
async function emptied(wrapPorts: (ports: ControllerPorts) => ControllerPorts): ReturnType<typeof live> {
  return live({
    manifests: someManifests({
      nodePools: [
        aPool({ disruption: { consolidateAfter: '30s', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '1' }] } }),
      ],
      deployments: [aDeployment('web', 3, '30')],
    }),
    scenario: { name: 'emptied', events: [{ kind: 'scale', atMs: SCALED_MS, deployment: 'default/web', replicas: 0 }] },
    durationMs: 12 * MINUTE_MS,
    invocations: 3,
    wrapPorts,
  });
}
