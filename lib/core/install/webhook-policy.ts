/**
 * Limits what Kerf's functions may write to webhook configurations. RBAC can limit the name of an object and not its content, and
 * a configuration with another address and other rules would send every Secret that is written to that address.
 */
import { INSTALLED_LABELS, KERF_GROUPS } from './rbac.ts';
import { type WebhookEndpoint, webhookConfiguration } from './webhook-configuration.ts';

interface Metadata {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Validation {
  /** CEL. */
  readonly expression: string;
  readonly message: string;
}

export interface ValidatingAdmissionPolicy {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicy';
  readonly metadata: Metadata;
  readonly spec: {
    readonly failurePolicy: 'Fail';
    readonly matchConstraints: { readonly resourceRules: readonly Readonly<Record<string, readonly string[]>>[] };
    readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly Validation[];
  };
}

export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicyBinding';
  readonly metadata: Metadata;
  readonly spec: { readonly policyName: string; readonly validationActions: readonly 'Deny'[] };
}

export type WebhookPolicy = ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding;

const API = 'admissionregistration.k8s.io/v1';
const METADATA: Metadata = { name: 'kerf-webhook-configurations', labels: INSTALLED_LABELS };

/**
 * The policy of one cluster and its binding. It concerns requests of Kerf's own groups alone, so `failurePolicy: Fail` denies
 * nothing to others. *Source:* Kubernetes has the API since 1.30.
 */
export function webhookPolicy(endpoint: WebhookEndpoint): readonly [WebhookPolicy, WebhookPolicy] {
  return [
    {
      apiVersion: API,
      kind: 'ValidatingAdmissionPolicy',
      metadata: METADATA,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: [CONFIGURATIONS] },
        matchConditions: [{ name: 'by-kerf', expression: BY_KERF }],
        validations: validationsFor(endpoint),
      },
    },
    {
      apiVersion: API,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: METADATA,
      spec: { policyName: METADATA.name, validationActions: ['Deny'] },
    },
  ];
}

const CONFIGURATIONS = {
  apiGroups: ['admissionregistration.k8s.io'],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
};

const BY_KERF = `request.userInfo.?groups.orValue([]).exists(group, group.startsWith('${KERF_GROUPS}'))`;

function validationsFor(endpoint: WebhookEndpoint): readonly Validation[] {
  const { metadata, webhooks } = webhookConfiguration({ ...endpoint, secret: '' });
  const prefix = `${endpoint.url}${endpoint.cluster}/`;
  const pairs = webhooks.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups, resources }) =>
      apiGroups.flatMap((group) => resources.map((one) => `${group}/${one}`)),
    ),
  );
  const allowed = [...new Set(pairs)].toSorted();
  return [
    {
      expression: `request.resource.resource == 'validatingwebhookconfigurations' && object.metadata.name == ${text(metadata.name)}`,
      message: 'Kerf writes only its own webhook configuration',
    },
    {
      expression: everyWebhook(
        `!has(webhook.clientConfig.service) && has(webhook.clientConfig.url) && webhook.clientConfig.url.startsWith(${text(prefix)})`,
      ),
      message: `Kerf's webhooks call only ${prefix}`,
    },
    {
      expression: everyWebhook(
        'has(webhook.rules) && webhook.rules.all(rule, rule.apiGroups.all(group, rule.resources.all(resource, ' +
          `(group + '/' + resource) in [${allowed.map(text).join(', ')}])))`,
      ),
      message: `Kerf's webhooks are called only for ${allowed.join(', ')}`,
    },
    {
      expression: everyWebhook("webhook.failurePolicy == 'Ignore' && webhook.timeoutSeconds == 1"),
      message: "Kerf's webhooks have failurePolicy Ignore and timeoutSeconds 1",
    },
  ];
}

function everyWebhook(holds: string): string {
  return `!has(object.webhooks) || object.webhooks.all(webhook, ${holds})`;
}

/** A string of CEL. Addresses and names contain neither quotes nor backslashes; JSON escapes them as CEL does. */
function text(value: string): string {
  return JSON.stringify(value);
}
