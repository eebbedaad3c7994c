import type { NodeOverlay } from '../../lib/apis/node-overlay.ts';

/** An overlay named `a` that selects every type and changes nothing. */
export function anOverlay(spec: Partial<NodeOverlay['spec']> = {}, name = 'a'): NodeOverlay {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name },
    spec: { requirements: [], ...spec },
  };
}
