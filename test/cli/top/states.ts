import type { TopNode, TopState } from '../../../lib/cli/top/top-state.ts';

const AT_MS = Date.parse('2026-01-31T08:00:00Z');

const GIB = 2 ** 30;

/** Node `number` of a cluster: the higher the number, the cheaper, the fuller and the younger. */
export function aTopNode(number: number, of = 2_000): TopNode {
  return {
    name: `ip-10-0-${Math.floor(number / 250)}-${number % 250}.eu-west-1.compute.internal`,
    pool: number % 2 === 0 ? 'general' : 'batch',
    instanceType: 'm7i-flex.2xlarge',
    zone: 'eu-west-1a',
    capacityType: number % 3 === 0 ? 'spot' : 'on-demand',
    usdPerHour: 0.5 - number / 10_000,
    sinceMs: AT_MS - (of - number) * 60_000,
    cpu: { requested: (8_000 * number) / of, allocatable: 8_000 },
    memory: { requested: 8 * GIB, allocatable: 32 * GIB },
    pods: 10,
    why: 'needed by running pods',
  };
}

export function aTopState(count: number, over: Partial<TopState> = {}): TopState {
  return {
    cluster: 'prod',
    atMs: AT_MS,
    nodePools: ['batch', 'general'],
    nodes: Array.from({ length: count }, (_, at) => aTopNode(at, count)),
    pods: count * 10,
    usdPerHour: count * 0.4,
    pending: [{ count: 12, what: 'web ×12', why: `NodePool general: ${'needs more than it has, '.repeat(12)}` }],
    staying: [{ count, what: '', why: 'needed by running pods' }],
    inProgress: 'no node changes',
    ...over,
  };
}
