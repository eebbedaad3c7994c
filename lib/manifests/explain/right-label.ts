import {
  AWS_WELL_KNOWN_LABELS,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  NODE_POOL,
  WELL_KNOWN_LABELS,
  ZONE,
} from '../../apis/labels.ts';

/** Domains of labels that Kubernetes, AWS, EKS Auto Mode and Karpenter set. */
const DOMAIN = /(?:^|\.)(?:kubernetes\.io|k8s\.io|k8s\.aws|amazonaws\.com|karpenter\.sh)$/;

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ...AWS_WELL_KNOWN_LABELS.map((label) => [label.slice(label.indexOf('/') + 1), label] as const),
  ['instance-type', INSTANCE_TYPE],
  ['capacity-type', CAPACITY_TYPE],
  ['nodepool', NODE_POOL],
  ['zone', ZONE],
]);

/** The label that Karpenter sets, for one with the same name in another domain; undefined for a label that is right or the user's own. */
export function rightLabel(key: string): string | undefined {
  if (WELL_KNOWN_LABELS.has(key)) return undefined;
  const [domain = '', name = ''] = key.split('/');
  return DOMAIN.test(domain) ? BY_NAME.get(name) : undefined;
}
