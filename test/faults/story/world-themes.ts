import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { ZONES } from './cluster.ts';
import { byHand, EC2_CALLS, percentOf, some, type Themes, type Timed, whereOf } from './draw.ts';

/** The steps of a launch of several claims. */
const FLEET_CALLS = [
  'cloud.launch',
  'cloud.nameInstances',
  'store.updateNodeClaims',
  'store.updateNodeClaim',
  'catalogue.markUnavailable',
];

/** From the first launch on, the account launches too much at once. */
function throttledLaunches({ random }: Parameters<Themes[string]>[0]): Timed {
  return {
    fault: { kind: 'calls-fail', calls: ['cloud.launch'], error: 'throttled', where: 'before', percent: 100 },
    fromMs: 0,
    forMs: random.between(4, 12) * MINUTE_MS,
  };
}

function volleyAt(fromMs: number): Timed {
  return { fault: { kind: 'spot-volley', percent: 100 }, fromMs, forMs: 0 };
}

/** Faults of EC2, of the cluster, and of the stored items. */
export const WORLD_THEMES: Themes = {
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
  // Groups of claims are launched in part or rejected, their replies are lost, and their functions end.
  fleets: (draw) => {
    const how = draw.random.pick(['reply-lost', 'spent', 'rejected'] as const) ?? 'reply-lost';
    const odd = draw.for({ kind: 'odd-launches', how, percent: 40 }, 15);
    // From the first launch on, some claims of a group have the outcome, and others do not.
    const rejected: readonly Timed[] = [
      { fault: { kind: 'odd-launches', how: 'rejected', percent: 60 }, fromMs: 0, forMs: draw.calmFromMs / 2 },
      {
        fault: {
          kind: 'calls-fail',
          calls: ['store.updateNodeClaim'],
          error: 'throttled',
          where: 'before',
          percent: 40,
        },
        fromMs: 0,
        forMs: draw.calmFromMs / 2,
      },
    ];
    return [
      draw.for({ kind: 'odd-launches', how: 'partial', percent: draw.random.pick([30, 50, 80]) ?? 50 }, 20),
      draw.for({ kind: 'odd-launches', how: 'not-admitted', percent: draw.random.pick([60, 100]) ?? 100 }, 9),
      ...(how === 'rejected' ? rejected : [odd]),
      draw.for({
        kind: 'cut-off',
        calls: some(draw, FLEET_CALLS),
        where: whereOf(draw),
        percent: draw.random.pick([5, 20]) ?? 20,
      }),
      draw.for({
        kind: 'calls-fail',
        calls: some(draw, FLEET_CALLS),
        error: 'throttled',
        where: whereOf(draw),
        percent: percentOf(draw),
      }),
      draw.for({ kind: 'listed-late', lagMs: draw.random.between(5, 50) * SECOND_MS }, 12),
      ...Array.from({ length: 2 }, () =>
        draw.once({ kind: 'by-hand', what: 'delete-node-claim', nth: draw.random.between(0, 5) }),
      ),
      ...(draw.random.between(0, 2) === 0 ? [throttledLaunches(draw)] : []),
    ];
  },
  // EC2 lists an instance long after its launch failed.
  'instances appear late': (draw) => [
    {
      fault: { kind: 'odd-launches', how: 'reply-lost', percent: draw.random.pick([60, 100]) ?? 100 },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
    {
      fault: { kind: 'listed-late', lagMs: draw.random.between(4, 14) * MINUTE_MS },
      fromMs: 0,
      forMs: draw.calmFromMs,
    },
  ],
  // No launch is answered for some minutes. Users remove claims and nodes meanwhile, so that more claims are launched.
  'unanswered launches': (draw) => {
    const fromMs = draw.random.pick([0, draw.random.between(0, draw.calmFromMs / 2)]) ?? 0;
    const forMs = draw.random.between(2, 5) * MINUTE_MS;
    const where = whereOf(draw);
    return [
      { fault: { kind: 'calls-fail', calls: ['cloud.launch'], error: 'timeout', where, percent: 100 }, fromMs, forMs },
      ...Array.from({ length: draw.random.between(2, 6) }, () => {
        const what =
          draw.random.pick(['delete-node-claim', 'remove-node', 'terminate-instance'] as const) ?? 'remove-node';
        const nth = draw.random.between(0, 10);
        return byHand(what, nth, fromMs + draw.random.between(10 * SECOND_MS, forMs));
      }),
    ];
  },
  capacity: (draw) => [
    draw.for({ kind: 'no-capacity', capacityTypes: ['spot'] }),
    draw.for({ kind: 'no-capacity', zones: some(draw, ZONES) }),
    draw.for({ kind: 'no-capacity' }, 4),
  ],
  machines: (draw) => [
    draw.for({
      kind: 'machines',
      how:
        draw.random.pick(['never-join', 'late-ready', 'late-join', 'late-taint', 'early-taint'] as const) ??
        'late-join',
      percent: percentOf(draw),
    }),
    draw.once({ kind: 'impaired', count: draw.random.between(1, 3) }),
    // A claim whose node has not joined.
    draw.once({ kind: 'by-hand', what: 'delete-node-claim', nth: draw.random.between(0, 5) }),
    draw.once({ kind: 'by-hand', what: 'delete-node-claim', nth: draw.random.between(0, 5) }),
  ],
  volley: (draw) => [
    draw.once({ kind: 'spot-volley', percent: draw.random.pick([40, 100]) ?? 100 }),
    draw.once({ kind: 'spot-volley', percent: draw.random.pick([40, 100]) ?? 100 }),
    draw.once({ kind: 'impaired', count: draw.random.between(1, 3) }),
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
            'cordon-node',
          ] as const) ?? 'delete-pod',
        nth: draw.random.between(0, 10),
      }),
    ),
  'node pools': (draw) => [
    draw.once({
      kind: 'node-pool',
      nth: draw.random.between(0, 3),
      change: draw.random.pick(['fewer', 'more', 'weight', 'budget', 'template', 'template'] as const) ?? 'fewer',
    }),
    ...(draw.random.between(0, 2) === 0
      ? [
          draw.once({
            kind: 'node-pool',
            nth: draw.random.between(0, 2),
            change: draw.random.pick(['delete', 'replace'] as const) ?? 'delete',
          }),
        ]
      : []),
  ],
  // A NodePool is created again before its NodeClaims have objects.
  'young claims': ({ random }) => [
    {
      fault: { kind: 'calls-fail', calls: ['cluster.applyNodeClaim'], error: 429, where: 'before', percent: 100 },
      fromMs: 0,
      forMs: random.between(1, 5) * MINUTE_MS,
    },
    {
      fault: { kind: 'node-pool', nth: random.between(0, 3), change: 'replace' },
      fromMs: random.between(2, 30) * SECOND_MS,
      forMs: 0,
    },
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
  // Deadlines come before pods end and volumes are detached. Some pods already end when their nodes are removed.
  'slow drains': (draw) => {
    const staysFromMs = draw.random.between(0, draw.calmFromMs / 2);
    const nth = draw.random.between(0, 10);
    const volley = draw.once({ kind: 'spot-volley', percent: 60 });
    return [
      { fault: { kind: 'slow-pods', percent: 70 }, fromMs: 0, forMs: draw.calmFromMs },
      { fault: { kind: 'volumes-stay' }, fromMs: staysFromMs, forMs: draw.calmFromMs / 2 },
      volley,
      ...[0, 1].map((at) =>
        byHand('delete-node-claim', nth + at, staysFromMs + draw.random.between(MINUTE_MS, draw.calmFromMs / 3)),
      ),
      ...[0, 1, 2].map((at) => byHand('delete-pod', nth + at, volley.fromMs - draw.random.between(1, 60) * SECOND_MS)),
    ];
  },
  // Nodes are empty until their pods are bound.
  scheduler: (draw) => [
    draw.for({ kind: 'scheduler-down' }, 2),
    draw.for({ kind: 'scheduler-down' }, 2),
    draw.for({ kind: 'scheduler-down' }, 5),
  ],
  standby: (draw) => {
    const standby = draw.for({ kind: 'other-autoscaler' }, 6);
    const afterMs = standby.fromMs + standby.forMs + draw.random.between(2, 8) * MINUTE_MS;
    const isDuring = draw.random.between(0, 2) === 0;
    return [standby, ...(isDuring ? [volleyAt(standby.fromMs + (2 * standby.forMs) / 3)] : []), volleyAt(afterMs)];
  },
  // A spot warning arrives while the table or a queue fails.
  warnings: (draw) => {
    const fromMs = draw.random.between(3 * MINUTE_MS, draw.calmFromMs - MINUTE_MS);
    const calls = [
      draw.random.pick([
        'store.*',
        'store.updateNodeClaim',
        'messages.wake',
        'store.findNodeClaim',
        'catalogue.markUnavailable',
      ]) ?? '',
    ];
    return [
      { fault: { kind: 'spot-volley', percent: 100 }, fromMs, forMs: 0 },
      {
        fault: { kind: 'calls-fail', calls, error: 'throttled', where: 'before', percent: 100 },
        fromMs: fromMs - 5 * SECOND_MS,
        forMs: draw.random.between(10, 60) * SECOND_MS,
      },
    ];
  },
  'unreadable records': (draw) =>
    [0, 1].map(() => draw.for({ kind: 'unreadable-record', nth: draw.random.between(0, 5) }, 12)),
  // Nodes are lost for some minutes, cordoned, or kept.
  'nodes by hand': (draw) =>
    Array.from({ length: draw.random.between(2, 5) }, () => {
      const what = draw.random.pick(['lose-node', 'lose-node', 'cordon-node', 'keep-node'] as const) ?? 'keep-node';
      const fault = { kind: 'by-hand', what, nth: draw.random.between(0, 10) } as const;
      return what === 'cordon-node' ? draw.once(fault) : draw.for(fault, 12);
    }),
  'second deployment': () => [{ fault: { kind: 'second-deployment' }, fromMs: 0, forMs: 0 }],
  'webhook down': (draw) => [draw.for({ kind: 'webhook-down' }, 20)],
  // Instances whose records are lost end before they are adopted.
  restore: (draw) => {
    const restored =
      draw.random.between(0, 2) === 0
        ? draw.once({ kind: 'restore-table', agoMs: draw.random.between(1, 14) * MINUTE_MS })
        : {
            fault: { kind: 'restore-table', agoMs: HOUR_MS } as const,
            fromMs: HOUR_MS + draw.random.between(MINUTE_MS, draw.calmFromMs),
            forMs: 0,
          };
    return [
      restored,
      ...Array.from({ length: draw.random.between(0, 5) }, () => {
        const nth = draw.random.between(0, 10);
        return byHand('terminate-instance', nth, restored.fromMs + draw.random.between(0, 40 * SECOND_MS));
      }),
    ];
  },
  // The nodes that replace those of the former class or template never join, or other nodes are removed slowly meanwhile.
  replacements: (draw) => {
    const fromMs = draw.random.between(5 * MINUTE_MS, draw.calmFromMs - 6 * MINUTE_MS);
    const edit: Timed = {
      fault:
        draw.random.between(0, 2) === 0
          ? { kind: 'node-class', nth: 0 }
          : { kind: 'node-pool', nth: 0, change: 'template' },
      fromMs,
      forMs: 0,
    };
    if (draw.random.between(0, 2) === 0) {
      const percent = draw.random.pick([50, 100]) ?? 100;
      const forMs = draw.random.between(2, 6) * MINUTE_MS;
      // A user deletes claims while their commands wait for them.
      const deleted = Array.from({ length: draw.random.between(0, 3) }, () =>
        byHand(
          'delete-node-claim',
          draw.random.between(0, 10),
          fromMs + draw.random.between(2 * MINUTE_MS, 5 * MINUTE_MS),
        ),
      );
      return [edit, { fault: { kind: 'machines', how: 'never-join', percent }, fromMs, forMs }, ...deleted];
    }
    const nth = draw.random.between(0, 10);
    return [
      edit,
      { fault: { kind: 'slow-pods', percent: 100 }, fromMs: 0, forMs: draw.calmFromMs },
      ...Array.from({ length: draw.random.between(1, 4) }, (_, at) =>
        byHand('delete-node-claim', nth + at, fromMs + draw.random.between(10 * SECOND_MS, 3 * MINUTE_MS)),
      ),
    ];
  },
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
  // The kubelets of some nodes are silent for longer than nodes may be unhealthy.
  'unhealthy nodes': (draw) => {
    const fromMs = draw.random.between(3 * MINUTE_MS, draw.calmFromMs - 9 * MINUTE_MS);
    const nth = draw.random.between(0, 10);
    const stopped = Array.from(
      { length: draw.random.between(1, 4) },
      (_, at): Timed => ({
        fault: { kind: 'by-hand', what: 'stop-kubelet', nth: nth + at },
        fromMs: fromMs + draw.random.between(0, 30 * SECOND_MS),
        forMs: draw.random.between(3, 8) * MINUTE_MS,
      }),
    );
    if (draw.random.between(0, 2) === 0) return stopped;
    // A node is being drained, and no pod may be evicted, when its kubelet stops.
    return [
      { fault: { kind: 'by-hand', what: 'hold-pods', nth: 0 }, fromMs: fromMs - MINUTE_MS, forMs: 10 * MINUTE_MS },
      byHand('delete-node-claim', nth, fromMs - 30 * SECOND_MS),
      ...stopped,
    ];
  },
  // Several drains of which no pod may be evicted for some minutes.
  'held drains': (draw) => {
    const fromMs = 3 * MINUTE_MS;
    const forMs =
      draw.random.pick([draw.calmFromMs - fromMs, draw.random.between(30 * SECOND_MS, 4 * MINUTE_MS)]) ?? MINUTE_MS;
    const nth = draw.random.between(0, 10);
    return [
      { fault: { kind: 'by-hand', what: 'hold-pods', nth: 0 }, fromMs, forMs },
      ...Array.from({ length: draw.random.between(2, 5) }, (_, at) =>
        byHand('delete-node-claim', nth + at, fromMs + at),
      ),
    ];
  },
  nothing: () => [],
};
