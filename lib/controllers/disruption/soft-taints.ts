import type { NodeChange } from '../../core/model/decision.ts';
import type { ClusterWriter } from '../../ports/cluster.ts';
import { isConflict } from '../../ports/errors.ts';
import { failureOf, notReported } from '../act/run-notes.ts';
import { writeHints } from '../act/write-hints.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';

const AT_ONCE = 10;

/**
 * Adds and removes taints that are only preferences. A node that has changed meanwhile is left to the next run. *Shape:* the failure, which is
 * reported once for all nodes.
 */
export async function changeSoftTaints(
  ports: { readonly cluster: Pick<ClusterWriter, 'patchNode'> } & HasClock & RemembersRefusals,
  cluster: string,
  changes: readonly NodeChange[],
): Promise<readonly Error[]> {
  const { failed } = await writeHints(ports, changes, {
    subjectOf: ({ node }) => subjectOf(cluster, node.name),
    atOnce: AT_ONCE,
    write: async ({ node, patch }) => {
      try {
        await ports.cluster.patchNode(node, patch);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    },
  });
  const [first] = failed;
  return first === undefined ? [] : notReported({ ports, cluster }, [failureOf('taints of nodes', first)]);
}

/** The nodes whose taints could not be changed a short time ago. They are left out, so that the others get their turn. */
export function refusedTaints(
  { refusals, clock }: HasClock & RemembersRefusals,
  cluster: string,
  nodes: readonly string[],
): ReadonlySet<string> {
  const nowMs = clock.now();
  return new Set(nodes.filter((node) => refusals?.isPaused(subjectOf(cluster, node), nowMs) === true));
}

function subjectOf(cluster: string, node: string): string {
  return `${cluster}: taints of node ${node}`;
}
