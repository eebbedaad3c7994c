/**
 * What the API server of a cluster tells Kerf's webhook, as the object that is applied to it. Each rule is on the path of
 * somebody's write, for 1 s at the most where the endpoint hangs: so there is one only where a minute's tick would be late,
 * and none on what is written all the time (heartbeats, leases, pods).
 */
import { INITIALIZED, NODE_POOL } from '../../apis/labels.ts';
import { INSTALLED_LABELS } from './rbac.ts';

/** The object's name in a cluster: the rights to it go by that. */
const NAME = 'kerf';

/** What the functions may be told apart by: their access entries put each into one group, `kerf:lifecycle` for one. */
const OWN_GROUPS = 'kerf:';

export interface WebhookEndpoint {
  /** `https://…/`: what stands in front of the cluster's name. */
  readonly url: string;
  readonly cluster: string;
  /** In the path, for an API server signs nothing and takes neither a query nor a user in an address. */
  readonly secret: string;
  /** Base64 PEM. @default the authorities that the API server believes */
  readonly certificateAuthority?: string;
}

export interface ValidatingWebhookConfiguration {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingWebhookConfiguration';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly webhooks: readonly ValidatingWebhook[];
}

/** Of Kubernetes's fields those that an API server would fill in itself are all there, so that an edited one shows. */
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
    ...(certificateAuthority !== undefined && { caBundle: certificateAuthority }),
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

/** What Kerf writes tells it nothing. */
const NOT_BY_US: MatchCondition = {
  name: 'not-by-kerf',
  expression: `!request.userInfo.?groups.orValue([]).exists(group, group.startsWith('${OWN_GROUPS}'))`,
};

/** The kubelet brings the label along (the user data says so), so that a node has it from the first. */
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

const TRIGGERS: readonly Trigger[] = [
  {
    name: 'failed-scheduling',
    // An Event of the core group is the same object, and comes as this one (matchPolicy).
    rule: ruleOf('events.k8s.io', ['events'], { operations: ['CREATE'], scope: 'Namespaced' }),
    when: [
      {
        name: 'pod-failed-scheduling',
        expression: "object.reason == 'FailedScheduling' && object.?regarding.kind.orValue('') == 'Pod'",
      },
      // Kerf says of pods why it has no node for them by the same reason: to answer that would never end.
      { name: 'not-of-kerf', expression: "object.?reportingController.orValue('') != 'kerf'" },
    ],
  },
  {
    name: 'node',
    rule: ruleOf('', ['nodes'], { operations: ['CREATE', 'DELETE'], scope: 'Cluster' }),
    ours: true,
  },
  {
    name: 'node-ready',
    rule: ruleOf('', ['nodes/status'], { operations: ['UPDATE'], scope: 'Cluster' }),
    ours: true,
    // One way only: of a node that is ready no more its pods tell, by the events of those that come in their place.
    when: [{ name: 'became-ready', expression: `object.${READY} && !oldObject.${READY}` }],
  },
  {
    name: 'node-untainted',
    rule: ruleOf('', ['nodes'], { operations: ['UPDATE'], scope: 'Cluster' }),
    ours: true,
    // D7: a node is initialized once the taints of its start are gone; each goes by a write of its own.
    when: [
      { name: 'starting', expression: `object.metadata.?labels[?'${INITIALIZED}'].orValue('') != 'true'` },
      { name: 'lost-a-taint', expression: `size(object.${TAINTS}) < size(oldObject.${TAINTS})` },
    ],
  },
  {
    name: 'nodeclaim',
    // A finalizer makes no difference: the DELETE is asked about when it is said, and what follows is an UPDATE of ours.
    rule: ruleOf('karpenter.sh', ['nodeclaims'], { operations: ['DELETE'], scope: 'Cluster' }),
  },
  { name: 'nodepool', ...configured('karpenter.sh', 'nodepools') },
  { name: 'ec2nodeclass', ...configured('karpenter.k8s.aws', 'ec2nodeclasses') },
];

/** A status, an annotation or a finalizer does not move the generation. */
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
