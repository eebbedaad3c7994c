import { inParallel } from '../../core/in-parallel.ts';
import type { NodeChange } from '../../core/model/decision.ts';
import { isConflict } from '../../ports/errors.ts';
import type { WritesCluster } from '../run/ports.ts';
import { type NotingRun, noteFailure } from './run-notes.ts';

const AT_ONCE = 10;

/** Adds and removes taints that are only preferences. A node that has changed meanwhile is left to the next run. */
export async function changeSoftTaints(
  work: NotingRun & { readonly ports: WritesCluster },
  changes: readonly NodeChange[],
): Promise<void> {
  await inParallel(changes, AT_ONCE, async ({ node, patch }) => {
    try {
      await noteFailure(work, `taints of node ${node.name}`, async () => work.ports.cluster.patchNode(node, patch));
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  });
}
