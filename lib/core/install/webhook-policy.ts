/**
 * Limits what Kerf's functions may write to webhook configurations. RBAC can limit the name of an object and not its content, and
 * a configuration with another address and other rules would send every Secret that is written to that address.
 */
import { type AdmissionPolicy, policyForKerf, type Validation } from './admission-policy.ts';
import { type WebhookEndpoint, webhookConfiguration } from './webhook-configuration.ts';

/** The policy of one cluster and its binding. */
export function webhookPolicy(endpoint: WebhookEndpoint): readonly [AdmissionPolicy, AdmissionPolicy] {
  return policyForKerf('kerf-webhook-configurations', CONFIGURATIONS, validationsFor(endpoint));
}

const CONFIGURATIONS = {
  apiGroups: ['admissionregistration.k8s.io'],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
};

/** RE2. A path with `..` may be that of another cluster behind the same address. */
const SECRET = '^[A-Za-z0-9_-]*$';

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
        `!has(webhook.clientConfig.service) && has(webhook.clientConfig.url) && webhook.clientConfig.url.startsWith(${text(prefix)}) && ` +
          `webhook.clientConfig.url.substring(${prefix.length}).matches(${text(SECRET)})`,
      ),
      message: `Kerf's webhooks call only ${prefix} with a secret`,
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
