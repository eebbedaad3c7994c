import { quote } from '../../apis/formats/quote.ts';
import { namespaceOf } from '../../apis/kubernetes.ts';
import { DO_NOT_DISRUPT } from '../../apis/labels.ts';
import { ignoredDoNotDisrupt, isActiveWorkload } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { Blocked } from '../model/decision.ts';
import { refusal } from '../model/refusal.ts';

/** F12, A6.3: the pods on nodes of Kerf whose annotation do-not-disrupt has no effect. *Cost:* O(pods). */
export function ignoredAnnotations(nodes: readonly StateNode[]): readonly Blocked[] {
  return nodes.flatMap(({ nodeClaim, pods }) =>
    nodeClaim === undefined
      ? []
      : pods.filter(isActiveWorkload).flatMap((pod) => {
          const value = ignoredDoNotDisrupt(pod);
          if (value === undefined) return [];
          const subject = { kind: 'Pod', namespace: namespaceOf(pod), name: pod.metadata.name } as const;
          const message = `the annotation ${DO_NOT_DISRUPT} is ${quote(value)}, which has no effect: write true, or a duration such as 10m`;
          return [{ subject, ...refusal('InvalidDoNotDisruptAnnotation', message) }];
        }),
  );
}
