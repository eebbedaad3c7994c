import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { shadowPorts } from '../../../lib/controllers/run/shadow.ts';
import type { Decision } from '../../../lib/core/model/decision.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { withFaults } from '../../../lib/simulator/faults.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { KARPENTER_TRACES } from '../../core/cluster/autoscaler-traces.ts';
import { expectAllGone, expectOneInstanceAClaim, live } from '../life.ts';

function besideKarpenter(ports: ControllerPorts): ControllerPorts {
  return { ...ports, cluster: { ...ports.cluster, findOtherAutoscalers: async () => KARPENTER_TRACES } };
}

const SHADOW = { ...DEFAULT_SETTINGS, shadow: true };

/** Calls that are allowed in shadow. The catalogue belongs to the account, and leases to the table. */
const ALLOWED =
  /^(cluster\.(list|read|find)|cloud\.(describe|resolve|shiftedZones|autoMode)|store\.(read|list|find|is|recordShadow)|catalogue\.(read|list|writeCatalogue)|messages\.|leases\.)/;

interface Watched {
  readonly written: string[];
  readonly recorded: Decision[];
  readonly published: Decision[];
}

function watching(seen: Watched, over: (ports: ControllerPorts) => ControllerPorts = (ports) => ports) {
  return (ports: ControllerPorts): ControllerPorts => {
    const below = over(ports);
    const recording: ControllerPorts = {
      ...below,
      store: {
        ...below.store,
        recordShadow: async (decision, essence) => {
          seen.recorded.push(decision);
          return await below.store.recordShadow(decision, essence);
        },
      },
      messages: {
        ...below.messages,
        publish: async (decision) => {
          seen.published.push(decision);
          await below.messages.publish(decision);
        },
      },
    };
    return withFaults(recording, ({ method }) => {
      if (!ALLOWED.test(method)) seen.written.push(method);
      return undefined;
    });
  };
}

function nothingSeen(): Watched {
  return { written: [], recorded: [], published: [] };
}

function acting(decisions: readonly Decision[]): readonly Decision[] {
  return decisions.filter(({ actions }) => actions.length > 0);
}

const scenario = { name: 'shadow', events: [{ kind: 'deletePod', atMs: 8 * MINUTE_MS, pod: 'none' }] } as const;

describe('the ports of a run in shadow', () => {
  test('refuse every write and pass every read on', async () => {
    const known: ControllerPorts[] = [];
    await live({ durationMs: 1, wrapPorts: (ports) => (known.push(ports), ports) });
    const [shadow] = known.map(shadowPorts);
    expect(() => shadow?.cluster.deleteNode('node-1')).toThrow('cluster.deleteNode is called in shadow');
    expect(() => shadow?.cloud.terminate('simulated', 'i-1')).toThrow('cloud.terminate is called in shadow');
    expect(() => shadow?.store.endCommand('simulated', 'c-1')).toThrow('store.endCommand is called in shadow');
    expect(() => shadow?.catalogue.markUnavailable([])).toThrow('catalogue.markUnavailable is called in shadow');
    expect(await shadow?.cluster.listNodes()).toEqual([]);
    expect(await shadow?.cloud.shiftedZones()).toEqual([]);
    expect(await shadow?.store.readEpoch('simulated')).toBe(0);
  });
});

describe('a cluster in shadow', () => {
  test('gets decisions for its pending pods, and nothing is written or launched', async () => {
    const seen = nothingSeen();
    const result = await live({ settings: SHADOW, wrapPorts: watching(seen), scenario, durationMs: 10 * MINUTE_MS });
    expect(seen.written).toEqual([]);
    expect(result).toMatchObject({ nodesLaunched: 0, podsRunning: 0 });
    const made = seen.published.filter(({ actions }) => actions.some(({ kind }) => kind === 'create-node-claim'));
    expect(made.length).toBeGreaterThan(0);
    expect(seen.published.every(({ shadow }) => shadow === true)).toBe(true);
  });

  test('publishes the same decision for the same state once', async () => {
    const seen = nothingSeen();
    await live({ settings: SHADOW, wrapPorts: watching(seen), scenario, durationMs: 10 * MINUTE_MS });
    expect(acting(seen.recorded).length).toBeGreaterThan(5);
    expect(new Set(acting(seen.recorded).map(({ id }) => id)).size).toBe(1);
    expect(acting(seen.published)).toHaveLength(1);
  });

  test('gets decisions while Karpenter is active', async () => {
    const seen = nothingSeen();
    await live({ settings: SHADOW, wrapPorts: watching(seen, besideKarpenter), scenario, durationMs: 5 * MINUTE_MS });
    expect(seen.published.some(({ actions }) => actions.length > 0)).toBe(true);
    expect(seen.published.flatMap(({ blocked }) => blocked.map(({ reason }) => reason))).not.toContain(
      'KarpenterActive',
    );
  });

  test('includes the nodes of another autoscaler as claims, and keeps no decision when shadow ends', async () => {
    const [untilMs, fromMs] = [4 * MINUTE_MS, 30 * MINUTE_MS];
    const seen = nothingSeen();
    /** Another autoscaler is active until `untilMs`. Its nodes and NodeClaim objects remain. */
    const takeTurns = (under: ControllerPorts): ControllerPorts => {
      const ports = watching(seen)(under);
      const startMs = ports.clock.now();
      const ours = memoryNodeClaimStore();
      const at = () => ports.clock.now() - startMs;
      return {
        ...ports,
        get store() {
          return at() < untilMs ? ports.store : ours;
        },
        get settings() {
          return at() < untilMs || at() >= fromMs ? DEFAULT_SETTINGS : SHADOW;
        },
      };
    };
    const events = [
      { kind: 'scale', atMs: 15 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
      { kind: 'deletePod', atMs: 35 * MINUTE_MS, pod: 'none' },
    ] as const;
    const result = await live({
      wrapPorts: takeTurns,
      scenario: { name: 'turns', events },
      durationMs: 60 * MINUTE_MS,
    });
    const shadows = seen.published.filter(({ shadow }) => shadow === true);
    expect(shadows.flatMap(({ actions }) => actions.map(({ kind }) => kind))).toEqual(['start-disruption']);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
    const ended = result.timeline.flatMap((entry) => (entry.kind === 'instance-terminated' ? [entry.at * 1_000] : []));
    expect(Math.min(...ended)).toBeGreaterThan(fromMs);
  });
});
