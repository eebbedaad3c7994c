import { optional } from '../../apis/optional.ts';
import { type WebhookEndpoint, webhookConfiguration } from '../../core/install/webhook-configuration.ts';
import type { WebhookRegistration } from '../../ports/webhook-registration.ts';
import type { ApiClient } from '../../providers/kubernetes/client/api-client.ts';
import { probeWebhook } from '../../providers/kubernetes/install/probe-webhook.ts';
import { KubernetesWebhookRegistration } from '../../providers/kubernetes/install/webhook-registration.ts';
import type { ClusterOptions } from '../options/cluster-options.ts';
import type { WebhookAddress } from '../options/options.ts';

/** The webhook's endpoint for the API server of a cluster. */
export function webhookEndpointOf(
  cluster: ClusterOptions,
  address: Pick<WebhookAddress, 'url' | 'secret'>,
): WebhookEndpoint {
  const { name, webhookUrl: url = address.url, webhookCertificateAuthority: certificateAuthority } = cluster;
  return {
    url,
    cluster: name,
    secret: address.secret,
    ...optional({ certificateAuthority }),
  };
}

/** *Shape:* undefined if `install` is false: then Kerf does not manage the webhook configuration. */
export function webhookRegistrationOf(
  cluster: ClusterOptions,
  address: WebhookAddress,
  client: ApiClient,
): WebhookRegistration | undefined {
  if (cluster.install === false) return undefined;
  const endpoint = webhookEndpointOf(cluster, address);
  const needsConnection = !address.fromVpc || cluster.webhookUrl !== undefined;
  return new KubernetesWebhookRegistration({
    client,
    wanted: webhookConfiguration(endpoint),
    probe: async () => await probeWebhook(endpoint, { needsConnection }),
  });
}
