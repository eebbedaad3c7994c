/** Wires the installer: EKS, the API servers of the clusters, and the table and queues for draining. */

import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EKSClient } from '@aws-sdk/client-eks';
import { SQSClient } from '@aws-sdk/client-sqs';
import { optional } from '../../apis/optional.ts';
import { type InstallPorts, type InstallTarget, install } from '../../controllers/install/install.ts';
import { type UninstallTarget, uninstall } from '../../controllers/install/uninstall.ts';
import type { Telemetry } from '../../controllers/run/telemetry.ts';
import type { ClusterMessage } from '../../core/install/cluster-messages.ts';
import { EksAccess } from '../../providers/aws/eks/eks-access.ts';
import { eksAccessEntries } from '../../providers/aws/eks/eks-access-entries.ts';
import { SqsWakeQueue } from '../../providers/aws/messages/wake-queue.ts';
import { DynamoDbNodeClaimStore } from '../../providers/dynamodb/node-claim-store.ts';
import { ApiClient } from '../../providers/kubernetes/client/api-client.ts';
import { kubernetesInstallation } from '../../providers/kubernetes/install/installation.ts';
import {
  type CloudFormationResource,
  type CustomResourceRuntime,
  type Properties,
  putAnswer,
} from '../lambda/custom-resource.ts';
import { systemClock } from '../lambda/system-clock.ts';
import type { ClusterOptions } from '../options/cluster-options.ts';
import { type Environment, type InstallerOptions, installerOptions } from '../options/options.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import { clusterAccess } from './cluster-access.ts';
import { SDK_TIMEOUTS } from './controller.ts';
import { type InstalledCluster, noMoreInstalled, readInstalledClusters } from './installed-clusters.ts';
import { webhookEndpointOf } from './webhook-registration.ts';

export interface InstallerWiring {
  readonly runtime: CustomResourceRuntime;
  /** The resource for one invocation. @param remainingMs the remaining time of the invocation. */
  readonly resource: (remainingMs: () => number) => CloudFormationResource;
}

/** *Errors:* OptionError. */
export function wireInstaller(environment: Environment = process.env): InstallerWiring {
  const options = installerOptions(environment);
  const telemetry = telemetryOf('installer');
  const eks = new EKSClient({ requestHandler: SDK_TIMEOUTS });
  const dynamodb = new DynamoDBClient({ requestHandler: SDK_TIMEOUTS });
  const { table: tableName, queueUrls } = options;
  const shared = {
    entries: eksAccessEntries(eks),
    clock: systemClock,
    pause: async (ms: number) => await setTimeout(ms),
    store: new DynamoDbNodeClaimStore({ client: dynamodb, tableName }),
    messages: new SqsWakeQueue({ client: new SQSClient({ requestHandler: SDK_TIMEOUTS }), queueUrls }),
  };
  const access = { region: options.region, eks };
  const resource = (remainingMs: () => number): CloudFormationResource => ({
    install: async (properties) => {
      const clusters = readInstalledClusters(properties);
      const ports = { ...shared, installation: installations(clusters, properties, access) };
      const notes = await install(
        ports,
        clusters.map((one) => installTarget(one, options)),
      );
      for (const { cluster, message } of notes) telemetry.warn(message, { cluster });
    },
    remove: async (properties, kept) => {
      const clusters = whatGoes(properties, kept);
      const installation = installations(clusters, properties, access);
      const { draining, failures } = await uninstall(
        { ...shared, installation, remainingMs },
        clusters.map(uninstallTarget),
      );
      tellFailures(telemetry, failures);
      return draining.length > 0 ? 'unfinished' : 'done';
    },
  });
  return { runtime: { telemetry, put: putAnswer }, resource };
}

function whatGoes(properties: Properties, kept: Properties | undefined): readonly InstalledCluster[] {
  const before = readInstalledClusters(properties);
  return kept === undefined ? before : noMoreInstalled(before, readInstalledClusters(kept));
}

function tellFailures(telemetry: Telemetry, failures: readonly ClusterMessage[]): void {
  for (const { cluster, message } of failures) {
    telemetry.error('failed to remove Kerf from a cluster completely', new Error(message), { cluster });
  }
}

function installTarget({ cluster, entries }: InstalledCluster, options: InstallerOptions): InstallTarget {
  const { name, install: wanted } = cluster;
  if (wanted === false) return { cluster: name, entries };
  const webhook = webhookEndpointOf(cluster, { url: options.webhookUrl, secret: options.webhookSecret });
  return { cluster: name, entries, webhook };
}

function uninstallTarget({ cluster, entries }: InstalledCluster): UninstallTarget {
  const installed = cluster.install !== false;
  return { cluster: cluster.name, entries, installed, drain: cluster.onDelete === 'drain' };
}

/** *Shape:* by name, connected at the first use, because the cluster may no longer exist in EKS. */
function installations(
  clusters: readonly InstalledCluster[],
  { InstalledBy: installedBy }: Properties,
  access: Access,
): InstallPorts['installation'] {
  const known = new Map(clusters.map(({ cluster }) => [cluster.name, cluster]));
  return async (name) => {
    const cluster = known.get(name) ?? { name };
    const client = await clientOf(cluster, access);
    const { karpenterNamespaces } = cluster;
    return kubernetesInstallation({
      client,
      clock: systemClock,
      installedBy: String(installedBy),
      ...optional({ karpenterNamespaces }),
    });
  };
}

interface Access {
  readonly region: string;
  readonly eks: EKSClient;
}

async function clientOf(cluster: ClusterOptions, { region, eks: client }: Access): Promise<ApiClient> {
  const eks = new EksAccess({
    client,
    cluster: cluster.name,
    region,
    credentials: async (fresh) => await client.config.credentials({ forceRefresh: fresh }),
    clock: systemClock,
  });
  const server = await clusterAccess(cluster, eks).server();
  return new ApiClient({ ...server, token: async (refused) => await eks.token(refused) });
}
