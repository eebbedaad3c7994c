import type { Node } from '../../../../lib/apis/kubernetes.ts';
import { REGISTERED } from '../../../../lib/apis/labels.ts';
import { deleteNode } from '../../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { writeNode } from '../../../../lib/simulator/kubernetes/state.ts';
import type { RuleOf } from '../../rule.ts';

/** A controller of others puts these on each node after its registration, and removes its finalizer when the node is deleted. */
const MARK = 'example.com/own';

/** Kerf keeps the labels, annotations and finalizers that others put on its nodes (promise 4). */
export const marksOfOthersStay: RuleOf = ({ violate, simulation }) => {
  const marked = new Set<string>();
  return {
    step() {
      const { state, timetable } = simulation();
      for (const node of state.nodes.values()) {
        const { name, labels = {}, deletionTimestamp, finalizers = [] } = node.metadata;
        // A kubelet that registers again makes a new node.
        if (labels[REGISTERED] !== 'true') marked.delete(name);
        else if (marked.has(name)) {
          const lost = whatIsLost(node);
          if (lost !== undefined)
            violate('what others put on a node stays', `node ${name} has lost the ${lost} ${MARK}`);
        } else if (deletionTimestamp === undefined) {
          marked.add(name);
          writeNode(state, withMarks(node));
        }
        if (deletionTimestamp === undefined || finalizers.some((one) => one !== MARK)) continue;
        writeNode(state, { ...node, metadata: { ...node.metadata, finalizers: [] } });
        deleteNode(state, name, timetable);
        marked.delete(name);
      }
    },
  };
};

function withMarks(node: Node): Node {
  const { labels, annotations, finalizers = [] } = node.metadata;
  return {
    ...node,
    metadata: {
      ...node.metadata,
      labels: { ...labels, [MARK]: 'true' },
      annotations: { ...annotations, [MARK]: 'true' },
      finalizers: [...finalizers, MARK],
    },
  };
}

function whatIsLost({ metadata: { labels, annotations, finalizers } }: Node): string | undefined {
  if (labels?.[MARK] === undefined) return 'label';
  if (annotations?.[MARK] === undefined) return 'annotation';
  return finalizers?.includes(MARK) === true ? undefined : 'finalizer';
}
