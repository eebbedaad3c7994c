import type { Node } from '../../../../lib/apis/kubernetes.ts';
import { REGISTERED } from '../../../../lib/apis/labels.ts';
import { deleteNode } from '../../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { writeNode } from '../../../../lib/simulator/kubernetes/state.ts';
import type { RuleOf } from '../../rule.ts';

/** A controller of others puts these on each node after its registration, with a taint, and removes its finalizer when the node is deleted. */
const MARK = 'example.com/own';

/** Kerf keeps the labels, annotations, finalizers and taints that others put on its nodes (promise 4). */
export const marksOfOthersStay: RuleOf = ({ violate, simulation }) => {
  const marked = new Set<string>();
  return {
    nodePatched(before, after) {
      const had = whatIsLost(before) === undefined;
      const lost = after === undefined ? 'finalizer' : whatIsLost(after);
      if (had && lost !== undefined)
        violate('what others put on a node stays', `a patch took the ${lost} ${MARK} of node ${before.metadata.name}`);
    },
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
    spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), { key: MARK, effect: 'PreferNoSchedule' }] },
  };
}

function whatIsLost({ metadata: { labels, annotations, finalizers }, spec }: Node): string | undefined {
  if (spec?.taints?.some(({ key }) => key === MARK) !== true) return 'taint';
  if (labels?.[MARK] === undefined) return 'label';
  if (annotations?.[MARK] === undefined) return 'annotation';
  return finalizers?.includes(MARK) === true ? undefined : 'finalizer';
}
