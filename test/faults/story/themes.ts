import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Fault, FaultKind } from '../../../lib/simulator/faults/fault.ts';
import type { Random } from '../../../lib/simulator/random.ts';
import { ZONES } from './cluster.ts';

export interface Theme {
  readonly theme: string;
  readonly invocations: number;
  readonly faults: readonly Fault[];
}

interface Timed {
  readonly fault: FaultKind;
  readonly fromMs: number;
  readonly forMs: number;
}

/** Draws a fault and its time. */
interface Draw {
  readonly random: Random;
  readonly calmFromMs: number;
  /** The fault for some minutes. */
  for(fault: FaultKind, maxMinutes?: number): Timed;
  /** The fault at one moment. */
  once(fault: FaultKind): Timed;
}

/** The faults of a story: those of a theme, which belong together, and some that have nothing to do with it. */
export function themeOf(random: Random, calmFromMs: number): Theme {
  const draw: Draw = {
    random,
    calmFromMs,
    for(fault, maxMinutes = 8) {
      const forMs = random.between(20 * SECOND_MS, maxMinutes * MINUTE_MS);
      const fromMs = random.between(0, Math.max(1, calmFromMs - forMs));
      return { fault, fromMs, forMs: Math.min(forMs, calmFromMs - fromMs) };
    },
    once: (fault) => ({ fault, fromMs: random.between(MINUTE_MS, calmFromMs - MINUTE_MS), forMs: 0 }),
  };
  const names = Object.keys(THEMES);
  const theme = random.pick(names) ?? 'anything';
  const faults = [...(THEMES[theme]?.(draw) ?? []), ...someOf(draw, random.between(0, 3))];
  return {
    theme,
    invocations: random.pick([1, 1, 1, 2, 3]) ?? 1,
    faults: faults.map(({ fault, fromMs, forMs }, id) => ({ ...fault, id, fromMs, forMs })),
  };
}

/** Calls that a function makes often, by service. */
const TABLE = ['store.*', 'leases.*', 'catalogue.*'];
const TABLE_CALLS = [
  'store.updateNodeClaim',
  'store.createNodeClaim',
  'store.closeDecision',
  'store.recordDecision',
  'store.listNodeClaims',
  'store.readNodeClaim',
  'store.nominate',
  'store.startCommand',
  'store.endCommand',
];
const API_WRITES = [
  'cluster.patchNode',
  'cluster.evictPod',
  'cluster.deleteNode',
  'cluster.deleteNodeClaim',
  'cluster.removeNodeClaim',
  'cluster.applyNodeClaim',
  'cluster.deletePod',
];
const API_READS = [
  'cluster.listNodes',
  'cluster.listPods',
  'cluster.listUnboundPods',
  'cluster.listPodsOnNode',
  'cluster.listNodePools',
  'cluster.listNodeClasses',
  'cluster.listNodeClaims',
  'cluster.listPodDisruptionBudgets',
];
const EC2_CALLS = [
  'cloud.launch',
  'cloud.describeInstances',
  'cloud.terminate',
  'cloud.tagInstance',
  'cloud.resolveNodeClass',
];
const QUEUES = ['provisioning', 'lifecycle', 'disruption', 'termination', 'interruption'];

function some<T>({ random }: Draw, list: readonly T[]): readonly T[] {
  const chosen = list.filter(() => random.between(0, 3) === 0);
  return chosen.length > 0 ? chosen : list.slice(0, 1);
}

function percentOf({ random }: Draw): number {
  return random.pick([5, 15, 40, 100]) ?? 15;
}

function whereOf({ random }: Draw): 'before' | 'after' {
  return random.pick(['before', 'after'] as const) ?? 'before';
}

const THEMES: Readonly<Record<string, (draw: Draw) => readonly Timed[]>> = {
  'cut-off': (draw) => [
    draw.for(
      {
        kind: 'cut-off',
        calls: [draw.random.pick([...TABLE_CALLS, ...API_WRITES, ...EC2_CALLS]) ?? ''],
        where: whereOf(draw),
        percent: draw.random.pick([20, 50]) ?? 20,
      },
      4,
    ),
    draw.for({ kind: 'cut-off', calls: ['*'], where: whereOf(draw), percent: draw.random.pick([1, 3]) ?? 1 }, 15),
  ],
  // A slow run loses its lease, and another run begins before it has carried out its decision.
  'lost lease': (draw) => [
    {
      fault: { kind: 'calls-fail', calls: ['leases.renew'], error: 'throttled', where: 'before', percent: 100 },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
    {
      fault: {
        kind: 'calls-slow',
        calls: [
          draw.random.pick([
            'store.createNodeClaim',
            'store.recordDecision',
            'store.closeDecision',
            'store.nominate',
            'cluster.listPods',
            'store.listNodeClaims',
          ]) ?? '',
        ],
        upToMs: 45 * SECOND_MS,
        percent: 70,
      },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
  ],
  messages: (draw) => [
    draw.for(
      {
        kind: 'messages',
        how: draw.random.pick(['twice', 'late', 'lost'] as const) ?? 'late',
        queues: [],
        upToMs: draw.random.pick([5 * SECOND_MS, MINUTE_MS, 15 * MINUTE_MS]) ?? MINUTE_MS,
        percent: percentOf(draw),
      },
      15,
    ),
    draw.for(
      {
        kind: 'messages',
        how: draw.random.pick(['twice', 'late', 'lost'] as const) ?? 'late',
        queues: some(draw, QUEUES),
        upToMs: 3 * MINUTE_MS,
        percent: percentOf(draw),
      },
      10,
    ),
  ],
  'api-server': (draw) => [
    draw.for({
      kind: 'calls-fail',
      calls: draw.random.between(0, 3) === 0 ? ['cluster.*'] : some(draw, [...API_WRITES, ...API_READS]),
      error: draw.random.pick([429, 500, 'timeout'] as const) ?? 500,
      where: whereOf(draw),
      percent: percentOf(draw),
    }),
    draw.for({
      kind: 'calls-fail',
      calls: some(draw, API_WRITES),
      error: 409,
      where: 'before',
      percent: percentOf(draw),
    }),
    draw.for(
      { kind: 'calls-fail', calls: some(draw, API_READS), error: 410, where: 'before', percent: percentOf(draw) },
      4,
    ),
  ],
  conflicts: (draw) => [
    {
      fault: {
        kind: 'calls-fail',
        calls: ['cluster.patchNode'],
        error: 409,
        where: 'before',
        percent: draw.random.pick([30, 50]) ?? 30,
      },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
  ],
  refused: (draw) => [
    draw.for({ kind: 'object-refused', call: draw.random.pick(API_WRITES) ?? '', nth: draw.random.between(0, 3) }, 20),
    draw.for(
      {
        kind: 'object-refused',
        call:
          draw.random.pick([
            'cloud.terminate',
            'cloud.tagInstance',
            'cloud.launch',
            'cluster.evictPod',
            'cluster.patchNode',
          ]) ?? '',
        nth: draw.random.between(0, 2),
      },
      20,
    ),
  ],
  hanging: (draw) => [
    draw.for(
      { kind: 'calls-hang', calls: some(draw, [...API_READS, ...API_WRITES, ...EC2_CALLS]), percent: percentOf(draw) },
      4,
    ),
    draw.for({ kind: 'calls-slow', calls: ['*'], upToMs: draw.random.pick([500, 3_000]) ?? 500, percent: 30 }),
  ],
  ec2: (draw) => [
    draw.for({
      kind: 'calls-fail',
      calls: draw.random.between(0, 2) === 0 ? ['cloud.*'] : some(draw, EC2_CALLS),
      error: 'throttled',
      where: whereOf(draw),
      percent: draw.random.pick([15, 50, 90]) ?? 50,
    }),
    draw.for({
      kind: 'odd-launches',
      how: draw.random.pick(['reply-lost', 'rejected', 'spent'] as const) ?? 'reply-lost',
      percent: percentOf(draw),
    }),
    draw.for({ kind: 'listed-late', lagMs: draw.random.between(5, 50) * SECOND_MS }, 12),
  ],
  launches: (draw) => [
    { fault: { kind: 'odd-launches', how: 'reply-lost', percent: 60 }, fromMs: 0, forMs: draw.calmFromMs },
    {
      fault: { kind: 'listed-late', lagMs: draw.random.between(5, 50) * SECOND_MS },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
    draw.for({
      kind: 'calls-fail',
      calls: ['cloud.describeInstances'],
      error: 'throttled',
      where: 'before',
      percent: 30,
    }),
    draw.for({ kind: 'clocks', functions: [], upToMs: 2 * MINUTE_MS }, 20),
  ],
  capacity: (draw) => [
    draw.for({ kind: 'no-capacity', capacityTypes: ['spot'] }),
    draw.for({ kind: 'no-capacity', zones: some(draw, ZONES) }),
    draw.for({ kind: 'no-capacity' }, 4),
  ],
  machines: (draw) => [
    draw.for({
      kind: 'machines',
      how: draw.random.pick(['never-join', 'late-ready', 'late-join'] as const) ?? 'late-join',
      percent: percentOf(draw),
    }),
    draw.once({ kind: 'impaired', count: draw.random.between(1, 3) }),
  ],
  volley: (draw) => [
    draw.once({ kind: 'spot-volley', percent: draw.random.pick([40, 100]) ?? 100 }),
    draw.once({ kind: 'spot-volley', percent: draw.random.pick([40, 100]) ?? 100 }),
    draw.once({ kind: 'impaired', count: draw.random.between(1, 3) }),
  ],
  clocks: (draw) => [
    {
      fault: { kind: 'clocks', functions: [], upToMs: draw.random.pick([5 * SECOND_MS, 2 * MINUTE_MS]) ?? MINUTE_MS },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
  ],
  table: (draw) => [
    draw.for({
      kind: 'calls-fail',
      calls: draw.random.between(0, 2) === 0 ? TABLE : some(draw, TABLE_CALLS),
      error: 'throttled',
      where: whereOf(draw),
      percent: percentOf(draw),
    }),
    draw.for({
      kind: 'calls-fail',
      calls: some(draw, TABLE_CALLS),
      error: 'timeout',
      where: 'after',
      percent: percentOf(draw),
    }),
  ],
  'by hand': (draw) =>
    Array.from({ length: draw.random.between(2, 5) }, () =>
      draw.once({
        kind: 'by-hand',
        what:
          draw.random.pick([
            'delete-node',
            'remove-node',
            'delete-node-claim',
            'delete-pod',
            'terminate-instance',
          ] as const) ?? 'delete-pod',
        nth: draw.random.between(0, 10),
      }),
    ),
  'node pools': (draw) => [
    draw.once({
      kind: 'node-pool',
      nth: draw.random.between(0, 3),
      change: draw.random.pick(['fewer', 'more', 'weight', 'budget'] as const) ?? 'fewer',
    }),
    ...(draw.random.between(0, 2) === 0
      ? [draw.once({ kind: 'node-pool', nth: draw.random.between(0, 2), change: 'delete' })]
      : []),
  ],
  tags: (draw) => [
    draw.for({ kind: 'by-hand', what: 'remove-tags', nth: draw.random.between(0, 5) }, 6),
    draw.for({ kind: 'by-hand', what: 'remove-tags', nth: draw.random.between(0, 5) }, 6),
  ],
  // A launch whose reply is lost is repeated after its class was edited.
  'node classes': (draw) => [
    ...Array.from({ length: 3 }, () => draw.once({ kind: 'node-class', nth: 0 })),
    draw.for({ kind: 'odd-launches', how: 'reply-lost', percent: 60 }, 15),
  ],
  // Deadlines come before pods end and volumes are detached.
  'slow drains': (draw) => [
    { fault: { kind: 'slow-pods', percent: 70 }, fromMs: 0, forMs: draw.calmFromMs },
    {
      fault: { kind: 'volumes-stay' },
      fromMs: draw.random.between(0, draw.calmFromMs / 2),
      forMs: draw.calmFromMs / 2,
    },
    draw.once({ kind: 'spot-volley', percent: 60 }),
  ],
  // Nodes are empty until their pods are bound.
  scheduler: (draw) => [
    draw.for({ kind: 'scheduler-down' }, 2),
    draw.for({ kind: 'scheduler-down' }, 2),
    draw.for({ kind: 'scheduler-down' }, 5),
  ],
  standby: (draw) => [draw.for({ kind: 'other-autoscaler' }, 6)],
  'second deployment': () => [{ fault: { kind: 'second-deployment' }, fromMs: 0, forMs: 0 }],
  'webhook down': (draw) => [draw.for({ kind: 'webhook-down' }, 20)],
  // Clocks and a slow list: the list of claims is older than the list of instances.
  'stale lists': (draw) => [
    {
      fault: {
        kind: 'calls-slow',
        calls: ['cloud.describeInstances', 'cluster.listNodes'],
        upToMs: 40 * SECOND_MS,
        percent: 60,
      },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
    { fault: { kind: 'clocks', functions: [], upToMs: 2 * MINUTE_MS }, fromMs: 0, forMs: draw.calmFromMs },
  ],
  'table steps': (draw) => [
    { fault: { kind: 'table-steps', upToMs: draw.random.pick([50, 1_500]) ?? 50 }, fromMs: 0, forMs: draw.calmFromMs },
    { fault: { kind: 'stale-reads' }, fromMs: 0, forMs: draw.calmFromMs },
  ],
  // A decision that cannot be closed stays open longer than its body is kept without being written again.
  'open decisions': (draw) => [
    {
      fault: {
        kind: 'calls-fail',
        calls: ['store.closeDecision'],
        error: 'throttled',
        where: 'before',
        percent: 100,
      },
      fromMs: draw.random.between(0, MINUTE_MS),
      forMs: 13 * MINUTE_MS,
    },
  ],
  restore: (draw) => [
    draw.random.between(0, 2) === 0
      ? draw.once({ kind: 'restore-table', agoMs: draw.random.between(1, 14) * MINUTE_MS })
      : {
          fault: { kind: 'restore-table', agoMs: HOUR_MS },
          fromMs: HOUR_MS + draw.random.between(MINUTE_MS, draw.calmFromMs),
          forMs: 0,
        },
  ],
  versions: (draw) => [
    draw.once({ kind: 'other-version', as: 'newer' }),
    draw.once({ kind: 'other-version', as: 'older' }),
    draw.for({
      kind: 'cut-off',
      calls: ['store.closeDecision', 'store.createNodeClaim'],
      where: 'before',
      percent: 30,
    }),
  ],
  nothing: () => [],
};

/** Faults of other themes. */
function someOf(draw: Draw, count: number): readonly Timed[] {
  return Array.from({ length: count }, () => {
    const theme = draw.random.pick(Object.values(THEMES));
    return draw.random.pick(theme?.(draw) ?? []);
  }).filter((one) => one !== undefined);
}
