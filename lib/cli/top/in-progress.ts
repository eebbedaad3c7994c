import { counted } from '../../apis/counted.ts';
import type { StateNode } from '../../core/cluster/state-node.ts';

/** What is being done to nodes at this time: `2 nodes launch, 1 node starts, 1 node drains`. */
export function inProgress(nodes: readonly StateNode[]): string {
  const going = nodes.filter(({ deleting }) => deleting);
  const coming = nodes.filter(({ deleting, nodeClaim }) => !deleting && nodeClaim !== undefined);
  const launching = coming.filter(({ nodeClaim }) => nodeClaim?.launch.kind !== 'launched');
  const starting = coming.filter(({ nodeClaim, initialized }) => nodeClaim?.launch.kind === 'launched' && !initialized);
  const parts = [
    partOf(launching.length, 'launches', 'launch'),
    partOf(starting.length, 'starts', 'start'),
    partOf(going.length, 'drains', 'drain'),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'no node changes' : parts.join(', ');
}

function partOf(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${counted(count, 'node')} ${count === 1 ? one : many}`;
}
