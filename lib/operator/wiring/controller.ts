/** Wires the four functions that reconcile a cluster: provisioning, lifecycle, disruption, termination. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { optional } from '../../apis/optional.ts';
import { lastAutoscalers } from '../../controllers/act/last-autoscalers.ts';
import { reportedRefusals } from '../../controllers/act/reported-refusals.ts';
import { lastLists } from '../../controllers/instances/last-list.ts';
import type { WakeRuntime } from '../../controllers/run/handle-wakes.ts';
import { keptLeases } from '../../controllers/run/kept-leases.ts';
import type { ControllerPorts } from '../../controllers/run/ports.ts';
import type { Telemetry } from '../../controllers/run/telemetry.ts';
import { hungClusters } from '../../core/delivery/hung-clusters.ts';
import type { ReservableBudget } from '../../ports/call-budget.ts';
import { Ec2CloudProvider } from '../../providers/aws/ec2-cloud-provider.ts';
import { EksAccess } from '../../providers/aws/eks/eks-access.ts';
import type { InstanceProfiles } from '../../providers/aws/iam/instance-profiles.ts';
import { EventBridgeDecisionBus } from '../../providers/aws/messages/decision-bus.ts';
import { awsMessages } from '../../providers/aws/messages/messages.ts';
import { SqsWakeQueue } from '../../providers/aws/messages/wake-queue.ts';
import { ssmParameters } from '../../providers/aws/node-class/ssm-parameters.ts';
import type { Bodies } from '../../providers/dynamodb/body-bucket.ts';
import { DynamoDbCatalogueStore } from '../../providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../providers/dynamodb/node-claim-store.ts';
import { ApiClient } from '../../providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../providers/kubernetes/kubernetes-cluster.ts';
import { queueRedelivery } from '../lambda/queue-retry.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { afterSystemTime } from '../lambda/system-timer.ts';
import type { ClusterOptions } from '../options/cluster-options.ts';
import { refreshOf, settingsOf } from '../options/cluster-settings.ts';
import {
  type ControllerOptions,
  controllerOptions,
  type Environment,
  type WebhookAddress,
} from '../options/options.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import { clusterAccess } from './cluster-access.ts';
import { budgetedEc2 } from './ec2-client.ts';
import { bucketNamed } from './records/bucket.ts';
import { recorderIn } from './records/recorder.ts';
import { BUS_TIMEOUTS, SDK_TIMEOUTS } from './sdk-timeouts.ts';
import { unreadableItems } from './unreadable-items.ts';
import { webhookRegistrationOf } from './webhook-registration.ts';
import { shiftsOf } from './zonal-shift.ts';

export type ControllerFunction = 'provisioning' | 'lifecycle' | 'disruption' | 'termination';

const DECIDES_FOR_CLUSTER: ReadonlySet<ControllerFunction> = new Set(['provisioning', 'disruption']);

/** Memory for kept lists of all clusters, in a function of 1,769 MB. With four or fewer clusters, each has 128 MiB: 40,000 pods. */
const KEPT_BYTES = 512 * 1_024 * 1_024;
const MANY_CLUSTERS = 4;

/** *Errors:* OptionError. */
export function wireController(
  controller: ControllerFunction,
  environment: Environment = process.env,
  own: OwnOfLifecycle = {},
): WakeRuntime {
  const options = controllerOptions(environment);
  const { region, table: tableName } = options;
  const dynamodb = new DynamoDBClient({ requestHandler: SDK_TIMEOUTS });
  const telemetry = telemetryOf(controller, tableName, (name) => options.clusters.get(name)?.metrics === true);
  const ec2 = budgetedEc2({ dynamodb, tableName, region, config: { requestHandler: SDK_TIMEOUTS } });
  const clients = {
    telemetry,
    reached: new Map<string, KubernetesCluster>(),
    deployment: options.deployment,
    launches: controller === 'provisioning' || controller === 'lifecycle',
    keptBytes: Math.floor(KEPT_BYTES / Math.max(MANY_CLUSTERS, options.clusters.size)),
    dynamodb,
    ec2: ec2.client,
    ec2Budget: ec2.budget,
    eks: new EKSClient({ requestHandler: SDK_TIMEOUTS }),
    eventBridge: new EventBridgeClient({ requestHandler: BUS_TIMEOUTS }),
    sqs: new SQSClient({ requestHandler: SDK_TIMEOUTS }),
    ssm: new SSMClient({ requestHandler: SDK_TIMEOUTS }),
    ...own,
  };
  // The role of a function that decides for single claims has no access to the bucket.
  const bucket = DECIDES_FOR_CLUSTER.has(controller)
    ? bucketNamed(options.bodies, { requestHandler: SDK_TIMEOUTS })
    : undefined;
  const shared = sharedPorts(options, clients, bucket?.bodies);
  const clusters = new Map(
    [...options.clusters.values()].map((cluster) => [cluster.name, clusterPorts(cluster, region, clients)]),
  );
  return {
    portsOf: async (name) => {
      const ports = await clusters.get(name)?.();
      return ports === undefined ? undefined : { ...shared, ...ports };
    },
    endRun: (name) => clients.reached.get(name)?.endRun(),
    hung: hungClusters(systemClock),
    telemetry,
    recorder: recorderIn({
      table: { client: dynamodb, tableName },
      archive: bucket?.archive,
      served: options.served,
    }),
    redelivery: queueRedelivery(clients.sqs, options.ownQueueUrl),
  };
}

/** Dependencies of the lifecycle function alone. */
interface OwnOfLifecycle {
  /** Creates the nodes' instance profiles. */
  readonly profiles?: InstanceProfiles;
  /** The address that the clusters' webhook configurations must have. */
  readonly webhook?: WebhookAddress;
}

interface Clients extends OwnOfLifecycle {
  readonly telemetry: Telemetry;
  /** The clusters to which a run has connected, by name. */
  readonly reached: Map<string, KubernetesCluster>;
  /** The name of the deployment. */
  readonly deployment: string;
  /** Whether the function decides about launches or sends them. */
  readonly launches: boolean;
  /** Memory for the kept lists of each cluster. */
  readonly keptBytes: number;
  readonly dynamodb: DynamoDBClient;
  readonly ec2: EC2Client;
  readonly ec2Budget: ReservableBudget;
  readonly eks: EKSClient;
  readonly eventBridge: EventBridgeClient;
  readonly sqs: SQSClient;
  readonly ssm: SSMClient;
}

function sharedPorts(
  options: ControllerOptions,
  clients: Clients,
  bodies: Bodies | undefined,
): Omit<ControllerPorts, keyof ClusterPorts> {
  const { region, table: tableName, eventBus: busName, queueUrls } = options;
  const table = { client: clients.dynamodb, tableName };
  const report = unreadableItems(clients.telemetry, systemClock);
  return {
    store: new DynamoDbNodeClaimStore({
      ...table,
      ...optional({ bodies }),
      clock: systemClock,
      report,
    }),
    leases: keptLeases(new DynamoDbLeases({ ...table, clock: systemClock }), { after: afterSystemTime }),
    catalogue: new DynamoDbCatalogueStore({ ...table, region, report }),
    messages: awsMessages(
      new SqsWakeQueue({ client: clients.sqs, queueUrls }),
      new EventBridgeDecisionBus({ client: clients.eventBridge, busName }),
    ),
    clock: systemClock,
    refusals: reportedRefusals(),
    autoscalers: lastAutoscalers(),
    lists: lastLists(),
  };
}

type ClusterPorts = Pick<ControllerPorts, 'cluster' | 'cloud' | 'settings' | 'webhook'>;

/** *Shape:* the ports of a cluster, created at the first use and kept while the function is warm. */
function clusterPorts(cluster: ClusterOptions, region: string, clients: Clients): () => Promise<ClusterPorts> {
  const eks = new EksAccess({
    client: clients.eks,
    cluster: cluster.name,
    region,
    credentials: async (fresh) => await clients.eks.config.credentials({ forceRefresh: fresh }),
    clock: systemClock,
  });
  const access = clusterAccess(cluster, eks);
  const settings = settingsOf(cluster);
  const shiftedZones = shiftsOf(cluster, { ...clients, access: eks, region });
  const cloud = new Ec2CloudProvider({
    client: clients.ec2,
    budget: clients.ec2Budget,
    region,
    clock: systemClock,
    // Only the catalogue function needs these facts, which EC2 does not return; the price of an instance is in its claim.
    onDemandUsdPerHour: new Map(),
    branchInterfaces: new Map(),
    describeCluster: async () => await access.describe(),
    ...optional({ dryRunChecks: cluster.dryRunChecks }),
    readParameters: ssmParameters(clients.ssm),
    refresh: refreshOf(cluster, { launches: clients.launches }),
    ...(clients.profiles !== undefined && cluster.isolatedVpc !== true && { profiles: clients.profiles }),
    ...optional({ shiftedZones }),
    autoMode: async () => await access.autoMode(),
  });
  const { keptBytes } = clients;
  const tell: Telemetry['warn'] = (message, fields) =>
    clients.telemetry.warn(message, { cluster: cluster.name, ...fields });
  let known: (Pick<ControllerPorts, 'cluster' | 'webhook'> & { readonly endpoint: string }) | undefined;
  return async () => {
    // A cluster that was deleted and created again with the same name has another address.
    const server = await access.server();
    if (known?.endpoint !== server.endpoint) {
      const client = new ApiClient({
        ...server,
        token: async (refused) => await eks.token(refused),
        secrets: clients.webhook === undefined ? [] : [clients.webhook.secret],
      });
      const webhook = clients.webhook && webhookRegistrationOf(cluster, clients.webhook, client);
      const kubernetes = new KubernetesCluster({
        client,
        clock: systemClock,
        tell,
        keptBytes,
        deployment: clients.deployment,
        ...optional({ karpenterNamespaces: cluster.karpenterNamespaces }),
      });
      clients.reached.set(cluster.name, kubernetes);
      known = {
        endpoint: server.endpoint,
        cluster: kubernetes,
        ...optional({ webhook }),
      };
    }
    const { endpoint: _, ...reached } = known;
    return { ...reached, cloud, settings };
  };
}
