import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { WrapInvocation } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { around } from '../../../lib/simulator/faults.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { expectOneInstanceAClaim, live, SMALL_CATALOGUE } from '../life.ts';

/** Ten pods that each fill a node, and that go after ten minutes. */
const WAVE = {
  catalogue: SMALL_CATALOGUE,
  manifests: someManifests({ deployments: [aDeployment('web', 10, '30')] }),
  scenario: {
    name: 'wave',
    events: [{ kind: 'scale', atMs: 10 * MINUTE_MS, deployment: 'default/web', replicas: 0 }],
  },
  durationMs: 20 * MINUTE_MS,
} as const;

/** The calls of each invocation of lifecycle that a message has started, or that a tick has. */
function callsOfLifecycle() {
  const runs: { readonly isTick: boolean; readonly calls: string[] }[] = [];
  const wrapInvocation: WrapInvocation = (ports, { function: name, messages }) => {
    if (name !== 'lifecycle') return ports;
    const calls: string[] = [];
    runs.push({ isTick: messages === 0, calls });
    return around(ports, async ({ method }, go) => {
      calls.push(method);
      return go();
    });
  };
  return { runs, wrapInvocation };
}

function lists({ calls }: { readonly calls: readonly string[] }): boolean {
  return calls.includes('cloud.describeInstances');
}

test('a run in which nodes join uses the list of instances of an earlier run, and each tick reads a new one', async () => {
  const { runs, wrapInvocation } = callsOfLifecycle();
  const result = await live({ ...WAVE, wrapInvocation });
  expectOneInstanceAClaim(result);
  expect(result).toMatchObject({ nodesLaunched: 10, nodesAtEnd: 0 });
  const ticks = runs.filter(({ isTick }) => isTick);
  const joining = runs.filter(({ isTick, calls }) => !isTick && calls.includes('cluster.patchNode'));
  expect(ticks.filter(lists)).toHaveLength(ticks.length);
  expect(joining.length).toBeGreaterThan(2);
  expect(joining.filter(lists)).toEqual([]);
});

test('a run with an earlier list neither ends nor tags instances', async () => {
  const { runs, wrapInvocation } = callsOfLifecycle();
  await live({ ...WAVE, wrapInvocation });
  const earlier = runs.filter(({ calls }) => calls.length > 0 && !lists({ calls }));
  expect(earlier.length).toBeGreaterThan(2);
  const changing = ['cloud.terminate', 'cloud.tagInstance', 'cloud.nameInstances'];
  expect(earlier.flatMap(({ calls }) => calls.filter((call) => changing.includes(call)))).toEqual([]);
});
