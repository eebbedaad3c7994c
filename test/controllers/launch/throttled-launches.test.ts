import { describe, expect, test } from 'vitest';
import { MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { LaunchRequest } from '../../../lib/core/model/node-claim-record.ts';
import type { LaunchOutcome } from '../../../lib/ports/cloud-provider.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { manyNodes } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const START_MS = parseTime('2026-01-01T00:00:00Z');
const NODES = 60;
const MESSAGE = 'RequestLimitExceeded: Request limit exceeded.';

type Launch = ControllerPorts['cloud']['launch'];

/** Launches as long as there is room in a bucket of 20 instances, which gets another four in a minute: EC2's own, made smaller. */
function fromBucket(launch: Launch, nowMs: () => number): Launch {
  let room = 20;
  let atMs = nowMs();
  return async (request: LaunchRequest): Promise<LaunchOutcome> => {
    room = Math.min(20, room + ((nowMs() - atMs) / MINUTE_MS) * 4);
    atMs = nowMs();
    const members = request.members ?? [request.nodeClaim];
    const count = Math.min(members.length, Math.floor(room));
    if (count === 0) return { kind: 'refused', missing: [], message: MESSAGE, throttled: true };
    room -= count;
    if (count === members.length) return launch(request);
    const outcome = await launch({ ...request, members: members.slice(0, count) });
    return outcome.kind === 'launched' ? { ...outcome, message: MESSAGE, throttled: true } : outcome;
  };
}

async function burst(nodes: number, launchOf: (launch: Launch, nowMs: () => number) => Launch) {
  let calls = 0;
  const result = await live({
    manifests: manyNodes(nodes),
    catalogue: SMALL_CATALOGUE,
    durationMs: 30 * MINUTE_MS,
    // Without an event, the simulation ends when nothing happens for a minute.
    scenario: {
      name: 'burst',
      events: [{ kind: 'scale', atMs: 25 * MINUTE_MS, deployment: 'default/web', replicas: nodes }],
    },
    wrapPorts: (ports) => {
      const launch = launchOf(
        async (request) => ports.cloud.launch(request),
        () => ports.clock.now() - START_MS,
      );
      const counted: Launch = async (request) => {
        calls += 1;
        return launch(request);
      };
      return { ...ports, cloud: { ...ports.cloud, launch: counted } };
    },
  });
  return { result, calls };
}

const count = ({ timeline }: SimulationResult, kind: string): number =>
  timeline.filter((entry) => entry.kind === kind).length;

describe('while EC2 throttles launches', () => {
  test('claims wait for their turn: none is given up, none is reported as refused, and EC2 is asked seldom', async () => {
    const { result, calls } = await burst(NODES, fromBucket);
    expect([count(result, 'create-node-claim'), count(result, 'delete-node-claim')]).toEqual([NODES, 0]);
    expect(count(result, 'pod-running')).toBe(NODES);
    expect(JSON.stringify(result.timeline)).not.toContain('LaunchFailed');
    expect(count(result, 'function-failed')).toBe(0);
    const lastSeconds = Math.max(
      ...result.timeline.flatMap((one) => (one.kind === 'instance-launched' ? [one.at] : [])),
    );
    // 40 instances at four in a minute.
    expect(lastSeconds).toBeGreaterThan(600);
    expect(lastSeconds).toBeLessThan(690);
    expect(calls).toBeLessThan(60);
  });

  test.each([
    ['six minutes are launched after them', 6, undefined],
    // The status of the NodeClass is for its earlier generation for some seconds.
    ['twelve minutes are launched after them, although their NodeClass was edited meanwhile (D8)', 12, 8.3],
  ])('claims whose calls are throttled for %s', async (_, minutes, editedAfter) => {
    const throttled = {
      kind: 'calls-fail',
      calls: ['cloud.launch'],
      error: 'throttled',
      where: 'before',
      percent: 100,
    } as const;
    const edited =
      editedAfter === undefined
        ? []
        : [{ id: 1, kind: 'node-class', nth: 0, fromMs: editedAfter * MINUTE_MS, forMs: 0 } as const];
    const result = await live({
      manifests: manyNodes(6),
      catalogue: SMALL_CATALOGUE,
      durationMs: (minutes + 3) * MINUTE_MS,
      scenario: { name: 'throttled', events: [] },
      faults: [{ id: 0, fromMs: 0, forMs: minutes * MINUTE_MS, ...throttled }, ...edited],
      goesOn: true,
    });
    expect([count(result, 'create-node-claim'), count(result, 'delete-node-claim')]).toEqual([6, 0]);
    expect(count(result, 'pod-running')).toBe(6);
  });
});
