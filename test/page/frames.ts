import type { FleetNode, Frame } from '../../lib/page/fleet/frame.ts';

/** A node of the picture. */
export function aNode(id: string, given: Partial<FleetNode> = {}): FleetNode {
  return {
    id,
    instance: `i-${id}`,
    pool: 'general',
    type: 'm7g.large',
    zone: 'us-east-1a',
    capacityType: 'spot',
    usdPerHour: 0.04,
    launchedAt: 0,
    state: 'ready',
    why: '',
    cpu: 1_930,
    memory: 7_100,
    cpuRequested: 0,
    memoryRequested: 0,
    pods: 0,
    ...given,
  };
}

/** A simulation in which each node joins, gets pods, and every fifth one leaves. *Units:* a frame a second. */
export function manyFrames(nodes: number, prefix = 'node'): readonly Frame[] {
  const pools = ['batch', 'general', 'gpu'];
  const capacityTypes = ['spot', 'on-demand', 'reserved'];
  const frames: Frame[] = [];
  const perFrame = Math.max(1, Math.ceil(nodes / 300));
  for (let first = 0; first < nodes; first += perFrame) {
    const at = frames.length + 1;
    const fresh = Array.from({ length: Math.min(perFrame, nodes - first) }, (_, offset) => {
      const place = first + offset;
      return aNode(`${prefix}-${place}`, {
        pool: pools[place % 3] ?? '',
        capacityType: capacityTypes[place % 3] ?? '',
        launchedAt: at,
        cpuRequested: (place * 37) % 1_930,
        memoryRequested: (place * 91) % 7_100,
        state: place % 5 === 0 ? 'leaving' : 'ready',
        why: place % 5 === 0 ? 'underutilized' : '',
      });
    });
    const count = first + fresh.length;
    frames.push({
      at,
      nodes: fresh,
      figures: {
        usdPerHour: count * 0.04,
        costUsd: (at * count * 0.04) / 7_200,
        podsRunning: count * 8,
        podsPending: nodes - count,
        boundUsdPerHour: count * 0.02,
      },
      pending:
        count === nodes ? [] : [{ workload: 'Deployment default/web', count: nodes - count, since: 0, reason: '' }],
      lines: [{ at, label: 'decide', text: `${fresh.length} nodes`, style: 'bold', decision: true }],
    });
  }
  return frames;
}
