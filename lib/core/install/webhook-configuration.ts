/**
 * The webhook configuration, which selects the requests that the API server of a cluster sends to Kerf. Each rule delays
 * matching writes by up to 1 s if the endpoint does not answer. So there are rules only where waiting for the next
 * minute's tick would be too late, and none for frequent writes (heartbeats, leases, pods).
 */

import { INITIALIZED, NODE_POOL } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import { INSTALLED_LABELS, KERF_GROUPS } from './rbac.ts';

/** The name of the object in a cluster. RBAC grants access by this name. */
const NAME = 'kerf';

export interface WebhookEndpoint {
  /** `https://…/`: the prefix of the path with the cluster's name. */
  readonly url: string;
  readonly cluster: string;
  /** Part of the path, because an API server does not sign requests and rejects a query or user in the URL. */
  readonly secret: string;
  /** Base64 PEM. @default the certificate authorities that the API server trusts */
  readonly certificateAuthority?: string;
}

export interface ValidatingWebhookConfiguration {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingWebhookConfiguration';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly webhooks: readonly ValidatingWebhook[];
}

/** Includes every field with a default in the API server, so an edited field is detected. */
export interface ValidatingWebhook {
  readonly name: string;
  readonly clientConfig: { readonly url: string; readonly caBundle?: string };
  readonly rules: readonly WebhookRule[];
  readonly matchPolicy: 'Equivalent';
  readonly matchConditions: readonly MatchCondition[];
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
  readonly failurePolicy: 'Ignore';
  readonly sideEffects: 'None';
  readonly timeoutSeconds: number;
  readonly admissionReviewVersions: readonly string[];
}

export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  readonly scope: 'Cluster' | 'Namespaced';
}

interface MatchCondition {
  readonly name: string;
  /** CEL. */
  readonly expression: string;
}

interface Selector {
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: 'Exists' }[];
}

/**
 * The configuration for one cluster.
 * *Source:* docs/webhook.md: the rule is on `events`, because the scheduler writes `pods/status` in its own loop and would wait
 * for the webhook.
 */
export function webhookConfiguration(endpoint: WebhookEndpoint): ValidatingWebhookConfiguration {
  const { url, cluster, secret, certificateAuthority } = endpoint;
  const clientConfig = {
    url: `${url}${cluster}/${secret}`,
    ...optional({ caBundle: certificateAuthority }),
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: NAME, labels: INSTALLED_LABELS },
    webhooks: TRIGGERS.map(({ name, rule, ours = false, when = [] }) => ({
      name: `${name}.kerf.dev`,
      clientConfig,
      rules: [rule],
      matchPolicy: 'Equivalent',
      matchConditions: [...when, NOT_BY_US],
      namespaceSelector: {},
      objectSelector: ours ? OUR_NODES : {},
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      timeoutSeconds: 1,
      admissionReviewVersions: ['v1'],
    })),
  };
}

/** Excludes the writes of Kerf itself. */
const NOT_BY_US: MatchCondition = {
  name: 'not-by-kerf',
  expression: `!request.userInfo.?groups.orValue([]).exists(group, group.startsWith('${KERF_GROUPS}'))`,
};

/** The user data sets this label, so a node has it from the start. A node with a Custom image gets it when Kerf registers it (C73). */
const OUR_NODES: Selector = { matchExpressions: [{ key: NODE_POOL, operator: 'Exists' }] };

interface Trigger {
  readonly name: string;
  readonly rule: WebhookRule;
  /** Only nodes of a NodePool. @default false */
  readonly ours?: boolean;
  readonly when?: readonly MatchCondition[];
}

const READY = "status.?conditions.orValue([]).exists(c, c.type == 'Ready' && c.status == 'True')";
const TAINTS = 'spec.?taints.orValue([])';
const isOurs = (object: 'object' | 'oldObject'): string => `'${NODE_POOL}' in ${object}.metadata.?labels.orValue({})`;
/** Of each new node, until the cloud controller has written its provider id, by which Kerf finds it. */
const NEW_NODE = 'node.cloudprovider.kubernetes.io/uninitialized';

const TRIGGERS: readonly Trigger[] = [
  {
    name: 'failed-scheduling',
    // An Event of the core group is the same object, and also matches (matchPolicy).
    rule: ruleOf('events.k8s.io', ['events'], { operations: ['CREATE'], scope: 'Namespaced' }),
    when: [
      {
        name: 'pod-failed-scheduling',
        expression: "object.reason == 'FailedScheduling' && object.?regarding.kind.orValue('') == 'Pod'",
      },
      // Kerf writes events with the same reason for pods without a node. Without this condition they would trigger Kerf again.
      { name: 'not-of-kerf', expression: "object.?reportingController.orValue('') != 'kerf'" },
    ],
  },
  {
    name: 'node',
    rule: ruleOf('', ['nodes'], { operations: ['CREATE', 'DELETE'], scope: 'Cluster' }),
    when: [{ name: 'new-or-of-a-node-pool', expression: `request.operation == 'CREATE' || ${isOurs('oldObject')}` }],
  },
  {
    name: 'node-ready',
    rule: ruleOf('', ['nodes/status'], { operations: ['UPDATE'], scope: 'Cluster' }),
    ours: true,
    // Only when a node becomes ready. A node that becomes unready is noticed by the events of the pods that replace its pods.
    when: [{ name: 'became-ready', expression: `object.${READY} && !oldObject.${READY}` }],
  },
  {
    name: 'node-untainted',
    rule: ruleOf('', ['nodes'], { operations: ['UPDATE'], scope: 'Cluster' }),
    // D7: a node is initialized once its startup taints are removed; each is removed by a separate write.
    when: [
      { name: 'starting', expression: `object.metadata.?labels[?'${INITIALIZED}'].orValue('') != 'true'` },
      { name: 'lost-a-taint', expression: `size(object.${TAINTS}) < size(oldObject.${TAINTS})` },
      {
        name: 'new-or-of-a-node-pool',
        expression: `${isOurs('object')} || oldObject.${TAINTS}.exists(t, t.key == '${NEW_NODE}')`,
      },
    ],
  },
  {
    name: 'nodeclaim',
    // Finalizers make no difference: the webhook is called for the DELETE request, and the later UPDATE is Kerf's own.
    rule: ruleOf('karpenter.sh', ['nodeclaims'], { operations: ['DELETE'], scope: 'Cluster' }),
  },
  { name: 'nodepool', ...configured('karpenter.sh', 'nodepools') },
  { name: 'ec2nodeclass', ...configured('karpenter.k8s.aws', 'ec2nodeclasses') },
];

/** Changes of status, annotations or finalizers do not change the generation. */
function configured(apiGroup: string, resource: string): Pick<Trigger, 'rule' | 'when'> {
  return {
    rule: ruleOf(apiGroup, [resource], { operations: ['CREATE', 'UPDATE', 'DELETE'], scope: 'Cluster' }),
    when: [
      {
        name: 'spec-changed',
        expression: "request.operation != 'UPDATE' || object.metadata.generation != oldObject.metadata.generation",
      },
    ],
  };
}

function ruleOf(
  apiGroup: string,
  resources: readonly string[],
  rest: Pick<WebhookRule, 'operations' | 'scope'>,
): WebhookRule {
  return { apiGroups: [apiGroup], apiVersions: ['v1'], resources, ...rest };
}
