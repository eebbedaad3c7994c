import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { CallError } from '../../../lib/apis/scenario/fault-kind.ts';
import { NEEDS } from '../../controllers/outages/needs.ts';
import {
  API_READS,
  API_WRITES,
  byHand,
  EC2_CALLS,
  percentOf,
  QUEUES,
  some,
  TABLE,
  TABLE_CALLS,
  type Themes,
  type Timed,
  whereOf,
} from './draw.ts';

/** Every method of the ports. */
const METHODS = Object.keys(NEEDS);

/** Faults of calls, functions and messages. */
export const CALL_THEMES: Themes = {
  // Most methods are only hints for most of the work.
  'one method': (draw) =>
    [0, 1].map(() => {
      const method = draw.random.pick(METHODS) ?? '';
      const errors = method.startsWith('cluster.')
        ? ([403, 500, 'timeout'] as const)
        : (['throttled', 'timeout'] as const);
      const error = draw.random.pick<CallError>(errors) ?? 'timeout';
      return draw.for({ kind: 'calls-fail', calls: [method], error, where: 'before', percent: 100 }, 12);
    }),
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
            'store.continueCommand',
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
  // Provisioning and disruption decide on the same snapshot.
  'slow decisions': (draw) => [
    {
      fault: { kind: 'calls-slow', calls: ['store.recordDecision'], upToMs: 25 * SECOND_MS, percent: 90 },
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
            'store.updateNodeClaim',
            'store.readNodeClaim',
          ]) ?? '',
        nth: draw.random.between(0, 2),
      },
      20,
    ),
    draw.for(
      {
        kind: 'object-refused',
        call:
          draw.random.pick(['cloud.terminate', 'cluster.evictPod', 'cluster.patchNode', 'cluster.applyNodeClaim']) ??
          '',
        nth: draw.random.between(0, 2),
        unexpected: true,
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
  // Runs take seconds, so wakes arrive while a run is busy.
  'slow calls': (draw) => [
    { fault: { kind: 'calls-slow', calls: ['*'], upToMs: 500, percent: 30 }, fromMs: 0, forMs: draw.calmFromMs },
  ],
  // An action of a decision fails longer than the decision stays open.
  'stuck decisions': (draw) => [
    {
      fault: {
        kind: 'calls-fail',
        calls: [draw.random.pick(['store.createNodeClaim', 'store.updateNodeClaim', 'store.nominate']) ?? ''],
        error: 'throttled',
        where: 'before',
        percent: 100,
      },
      fromMs: draw.random.between(0, 5) * MINUTE_MS,
      forMs: 8 * MINUTE_MS,
    },
  ],
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
    // Its claims are removed before it is closed.
    ...Array.from({ length: draw.random.between(1, 4) }, (_, nth): Timed => {
      const what = draw.random.pick(['delete-node-claim', 'terminate-instance'] as const) ?? 'delete-node-claim';
      return byHand(what, nth, draw.random.between(3, 9) * MINUTE_MS);
    }),
  ],
};
