import { expect, test } from 'vitest';
import { MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Method } from '../../../lib/core/disruption/method.ts';
import { singleNode } from '../../../lib/core/disruption/methods/single-node.ts';
import { stepLedger } from '../../../lib/core/disruption/step-ledger.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const NODES = 5;
const STEPS = 2;
/** All pods run, and consolidateAfter has passed. */
const FROM_MS = 20 * MINUTE_MS;

interface Pass {
  readonly atMs: number;
  readonly evaluated: readonly string[];
}

/** Five full nodes of one type, and single-node consolidation with steps for two of them in each pass. Those with Karpenter's packing do not count. */
async function passes(
  change: (ports: ControllerPorts) => ControllerPorts = (ports) => ports,
): Promise<readonly Pass[]> {
  const found: Pass[] = [];
  let startMs = 0;
  const limited: Method = {
    ...singleNode,
    propose(world) {
      const proposal = singleNode.propose({ ...world, steps: stepLedger(STEPS) });
      const evaluated = proposal.blocked.flatMap(({ subject, reason }) =>
        reason === 'NotCheaper' && subject.kind === 'Node' ? [subject.name] : [],
      );
      if (world.options.packing !== 'first-fit') found.push({ atMs: world.nowMs - startMs, evaluated });
      return proposal;
    },
  };
  const pool = aPool();
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
    asking('node.kubernetes.io/instance-type', 'In', 'c7g.large'),
  ];
  const template = { ...pool.spec.template, spec: { ...pool.spec.template.spec, requirements } };
  await live({
    manifests: someManifests({
      nodePools: [aPool({ template })],
      deployments: [aDeployment('web', NODES, '1500m')],
    }),
    // The event keeps the simulation from its end.
    scenario: {
      name: 'stopped',
      events: [{ kind: 'scale', atMs: 59 * MINUTE_MS, deployment: 'default/web', replicas: NODES }],
    },
    catalogue: SMALL_CATALOGUE,
    methods: [limited],
    wrapPorts: (ports) => {
      startMs = ports.clock.now();
      return change(ports);
    },
  });
  return found.filter(({ atMs }) => atMs >= FROM_MS);
}

/** The passes of each round. A round begins minutes after the one before it. */
function roundsIn(all: readonly Pass[]): readonly (readonly Pass[])[] {
  const begins = all.flatMap(({ atMs }, at) => (at > 0 && atMs - (all[at - 1]?.atMs ?? 0) > MINUTE_MS ? [at] : []));
  return begins.slice(0, -1).map((from, at) => all.slice(from, begins[at + 1]));
}

function sizes(round: readonly Pass[]): readonly number[] {
  return round.map(({ evaluated }) => evaluated.length);
}

test('E28: a pass that has used its steps is continued by the next runs, at the cursor in the table, until each node had its turn', async () => {
  const [round = []] = roundsIn(await passes());
  expect(sizes(round)).toEqual([2, 2, 1]);
  expect(new Set(round.flatMap(({ evaluated }) => evaluated)).size).toBe(NODES);
  const [first, , last] = round;
  expect((last?.atMs ?? Infinity) - (first?.atMs ?? 0)).toBeLessThan(MINUTE_MS / 2);
});

test('E28: if the cursor cannot be written, its part is evaluated again, and the round still ends', async () => {
  let refused = 0;
  const all = await passes((ports) => ({
    ...ports,
    store: {
      ...ports.store,
      writePassMemory: async (cluster, memory) => {
        const isTime = parseTime('2026-01-01T00:00:00Z') + 30 * MINUTE_MS < ports.clock.now();
        if (isTime && memory.stopped?.[0]?.evaluated === 2 * STEPS && refused++ === 0)
          throw new UnreachableError('cut off');
        await ports.store.writePassMemory(cluster, memory);
      },
    },
  }));
  const round = roundsIn(all).find((one) => one.length > 3) ?? [];
  expect(sizes(round)).toEqual([2, 2, 2, 1]);
  expect(round[2]?.evaluated).toEqual(round[1]?.evaluated);
  expect(new Set(round.flatMap(({ evaluated }) => evaluated)).size).toBe(NODES);
});
