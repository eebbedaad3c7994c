import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { TERMINATION_FINALIZER } from '../../lib/apis/labels.ts';
import type { RunReport } from '../../lib/controllers/run/ports.ts';
import type { Telemetry } from '../../lib/controllers/run/telemetry.ts';
import type { Problem } from '../../lib/core/problems/problems.ts';
import type { LaunchOutcome } from '../../lib/ports/cloud-provider.ts';
import { RefusedError } from '../../lib/ports/errors.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from './life.ts';

/** The problems that each function reports in the life of a cluster, without repetitions: the kinds, or kinds with messages. */
async function problemsIn(
  under: Partial<SimulationInput>,
  textOf: (problem: Problem) => string = ({ kind }) => kind,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, Set<string>>();
  const telemetryOf = (name: string): Telemetry => ({
    report(_, { problems = [] }: RunReport) {
      const texts = found.get(name) ?? new Set();
      for (const problem of problems) texts.add(textOf(problem));
      found.set(name, texts);
    },
    failure: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  });
  await live({ catalogue: SMALL_CATALOGUE, telemetryOf, ...under });
  return new Map([...found].map(([name, texts]) => [name, [...texts].toSorted()]));
}

const REFUSED: LaunchOutcome = { kind: 'refused', missing: [], message: 'UnauthorizedOperation: a policy denies it' };

test('while EC2 refuses every launch, lifecycle reports failing launches and provisioning waiting pods', async () => {
  const problems = await problemsIn({
    durationMs: 15 * MINUTE_MS,
    wrapPorts: (ports) => ({ ...ports, cloud: { ...ports.cloud, launch: async () => REFUSED } }),
  });
  expect(problems.get('lifecycle')).toEqual(['LaunchesFailing']);
  expect(problems.get('provisioning')).toEqual(['WaitingPods']);
});

test('a cluster that goes from zero nodes to zero nodes has no problem', async () => {
  const problems = await problemsIn({});
  expect(problems.get('lifecycle')).toEqual([]);
  expect(problems.get('provisioning')).toEqual([]);
});

test('while nodes whose instances have ended cannot be released, lifecycle reports the refusal', async () => {
  const problems = await problemsIn(
    {
      durationMs: 40 * MINUTE_MS,
      wrapPorts: (ports) => ({
        ...ports,
        cluster: {
          ...ports.cluster,
          async patchNode(node, patch) {
            if (patch.finalizers?.includes(TERMINATION_FINALIZER) === false) throw new RefusedError('403');
            return ports.cluster.patchNode(node, patch);
          },
        },
      }),
    },
    ({ kind, message }) => `${kind}: ${message}`,
  );
  const found = problems.get('lifecycle') ?? [];
  expect(found.length).toBeGreaterThan(0);
  const released =
    /^DrainStuck: .*: its instance has ended, but its Node or NodeClaim cannot be released for \d+ minutes: 403$/;
  for (const one of found) expect(one).toMatch(released);
});

/** EC2 refuses what the EC2NodeClass selects from the minute on. */
function refusingSubnets(fromMinute: number): Partial<SimulationInput> {
  return {
    durationMs: 30 * MINUTE_MS,
    wrapPorts: (ports) => {
      const fromMs = ports.clock.now() + fromMinute * MINUTE_MS;
      const resolveNodeClass: typeof ports.cloud.resolveNodeClass = async (nodeClass) => {
        if (ports.clock.now() >= fromMs) throw new RefusedError('ec2:DescribeSubnets: 403');
        return ports.cloud.resolveNodeClass(nodeClass);
      };
      return { ...ports, cloud: { ...ports.cloud, resolveNodeClass } };
    },
  };
}

test.each([
  ['pods need nodes of it', 0, ['provisioning']],
  ['it has nodes', 2, ['lifecycle']],
])('a NodePool whose EC2NodeClass EC2 refuses to resolve is a problem if %s', async (_, fromMinute, functions) => {
  const manifests = someManifests({ nodePools: [aPool()], deployments: [aDeployment('web', 3)] });
  const last = { kind: 'scale', atMs: 25 * MINUTE_MS, deployment: 'default/web', replicas: 2 } as const;
  const scenario = { name: 'not settled before', events: [last] };
  const problems = await problemsIn(
    { ...refusingSubnets(fromMinute), manifests, scenario },
    ({ kind, message }) => `${kind}: ${message}`,
  );
  const found = [...problems].filter(([, texts]) => texts.length > 0);
  expect(found.map(([name]) => name)).toEqual(functions);
  for (const text of found.flatMap(([, texts]) => texts))
    expect(text).toMatch(/^NodePoolNotReady: NodePool general: not Ready for [12]\d minutes: .*DescribeSubnets: 403/);
});

test('a NodePool that nothing uses is not a problem', async () => {
  const last = { kind: 'scale', atMs: 25 * MINUTE_MS, deployment: 'default/web', replicas: 0 } as const;
  const scenario = { name: 'not settled before', events: [last] };
  const manifests = someManifests({ nodePools: [aPool()], deployments: [aDeployment('web', 0)] });
  const problems = await problemsIn({ ...refusingSubnets(0), manifests, scenario });
  expect([...problems.values()].flat()).toEqual([]);
});
