/** Wires the installer: EKS, the API servers of the clusters, and the table and queues for draining. */

import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EKSClient } from '@aws-sdk/client-eks';
import { SQSClient } from '@aws-sdk/client-sqs';
import { optional } from '../../apis/optional.ts';
import { takeRightsBack } from '../../controllers/install/administrator.ts';
import { removeAccess } from '../../controllers/install/ensure-access.ts';
import { formerClusters } from '../../controllers/install/former-clusters.ts';
import { type InstallTarget, install, MAX_REASON } from '../../controllers/install/install.ts';
import { repeated } from '../../controllers/install/repeated.ts';
import {
  type RemovalFailure,
  type UninstallPorts,
  type UninstallTarget,
  uninstall,
} from '../../controllers/install/uninstall.ts';
import { type ClusterMessage, reasonOf } from '../../core/install/cluster-messages.ts';
import { UnexpectedError } from '../../ports/errors.ts';
import { resourceState } from '../../providers/aws/cloudformation/stack-resource.ts';
import { EksAccess } from '../../providers/aws/eks/eks-access.ts';
import { eksAccessEntries } from '../../providers/aws/eks/eks-access-entries.ts';
import { SqsWakeQueue } from '../../providers/aws/messages/wake-queue.ts';
import { DynamoDbNodeClaimStore } from '../../providers/dynamodb/node-claim-store.ts';
import { ApiClient } from '../../providers/kubernetes/client/api-client.ts';
import { kubernetesInstallation } from '../../providers/kubernetes/install/installation.ts';
import { isAnswerAddress } from '../lambda/answer-address.ts';
import { putAnswer } from '../lambda/cloudformation-request.ts';
import type { CustomResourceRuntime, DeploymentWork } from '../lambda/custom-resource.ts';
import { systemClock } from '../lambda/system-clock.ts';
import type { ClusterOptions } from '../options/cluster-options.ts';
import { type InstallerOptions, installerOptions } from '../options/installer-options.ts';
import type { Environment } from '../options/options.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import { clusterAccess } from './cluster-access.ts';
import { ownAccess, unwantedAccess, wantedAccess } from './deployment-access.ts';
import { SDK_TIMEOUTS } from './sdk-timeouts.ts';
import { webhookEndpointOf } from './webhook-registration.ts';

export interface InstallerWiring {
  readonly runtime: CustomResourceRuntime;
  /** The work of one invocation. @param remainingMs the remaining time of the invocation. */
  readonly work: (remainingMs: () => number) => DeploymentWork;
}

type Warn = (cluster: string, message: string) => void;

/** *Errors:* OptionError. */
export function wireInstaller(environment: Environment = process.env): InstallerWiring {
  const options = installerOptions(environment);
  const telemetry = telemetryOf('installer');
  const eks = new EKSClient({ requestHandler: SDK_TIMEOUTS });
  const warn: Warn = (cluster, message) => telemetry.warn('note on an installation', { cluster, note: message });
  const ports = portsOf(options, eks, warn);
  const report = (failures: readonly ClusterMessage[]): void => {
    for (const { cluster, message } of failures) {
      telemetry.error('failed to remove Kerf from a cluster completely', new Error(message), { cluster });
    }
  };
  const runtime: CustomResourceRuntime = {
    telemetry,
    put: putAnswer,
    isAnswerAddress: (url) =>
      isAnswerAddress(url, { region: options.region, ...optional({ endpoint: options.endpoints.s3 }) }),
    state: async () =>
      await resourceState({
        ...options,
        clock: systemClock,
        credentials: async () => await eks.config.credentials(),
        ...optional({ endpoint: options.endpoints.cloudFormation }),
      }),
  };
  return { runtime, work: (remainingMs) => workOf(options, { ...ports, remainingMs }, { warn, report }) };
}

interface Reporting {
  readonly warn: Warn;
  readonly report: (failures: readonly ClusterMessage[]) => void;
}

const NOWHERE: ReadonlySet<string> = new Set();

function workOf(options: InstallerOptions, ports: UninstallPorts, { warn, report }: Reporting): DeploymentWork {
  const { clusters, roles } = options;
  const names = new Set(clusters.map(({ name }) => name));
  /**
   * A former cluster is not drained, because no function serves it any more. One that has moved to another network has an installer there,
   * which may not have run yet: what is installed in it stays.
   */
  const findFormer = async (elsewhere: ReadonlySet<string>): Promise<readonly UninstallTarget[]> => {
    const { former, failures } = await formerClusters(ports.entries, names, roles);
    report(failures);
    return former.map(({ cluster, installed }) => {
      const isLeft = installed && !elsewhere.has(cluster);
      return { ...ownAccess(cluster, roles), installed: isLeft, drain: false };
    });
  };
  const removeFormer = async (elsewhere: ReadonlySet<string>): Promise<readonly RemovalFailure[]> => {
    const { failures } = await uninstall(ports, await findFormer(elsewhere));
    report(failures);
    return failures;
  };
  return {
    install: async (elsewhere) => {
      const notes = await install(
        ports,
        clusters.map((cluster) => installTarget(cluster, options)),
      );
      for (const { cluster, message } of notes) warn(cluster, message);
      await removeAccess(ports.entries, ...clusters.map((cluster) => unwantedAccess(cluster, roles)));
      await removeFormer(elsewhere);
    },
    remove: async () => {
      const { draining, failures } = await uninstall(
        ports,
        clusters.map((cluster) => uninstallTarget(cluster, options)),
      );
      report(failures);
      if (draining.length > 0) return 'unfinished';
      const unexpected = [...failures, ...(await removeFormer(NOWHERE))].filter(({ isUnexpected }) => isUnexpected);
      if (unexpected.length > 0) throw new UnexpectedError(reasonOf(unexpected, MAX_REASON));
      return 'done';
    },
    takeRightsBack: async () => {
      const configured = clusters.map((cluster) => wantedAccess(cluster, roles));
      for (const target of [...configured, ...(await findFormer(NOWHERE))]) await takeRightsBack(ports, target);
    },
    repeated: async (call) => await repeated(ports, call),
  };
}

/** The installer connects to a cluster at its first use, because the cluster may no longer exist in EKS. */
function portsOf(options: InstallerOptions, eks: EKSClient, warn: Warn): Omit<UninstallPorts, 'remainingMs'> {
  const { clusters, table: tableName, deployment, queueUrls, installedBy } = options;
  const known = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const dynamodb = new DynamoDBClient({ requestHandler: SDK_TIMEOUTS });
  return {
    entries: eksAccessEntries(eks),
    clock: systemClock,
    pause: async (ms: number) => await setTimeout(ms),
    warn,
    store: new DynamoDbNodeClaimStore({ client: dynamodb, tableName, clock: systemClock }),
    messages: new SqsWakeQueue({ client: new SQSClient({ requestHandler: SDK_TIMEOUTS }), queueUrls }),
    installation: async (name) => {
      const cluster = known.get(name) ?? { name };
      const client = await clientOf(cluster, options, eks);
      const { karpenterNamespaces } = cluster;
      return kubernetesInstallation({
        client,
        clock: systemClock,
        installedBy,
        deployment,
        ...optional({ karpenterNamespaces }),
      });
    },
  };
}

function installTarget(
  cluster: ClusterOptions,
  { roles, webhookUrl: url, webhookSecret }: InstallerOptions,
): InstallTarget {
  const access = wantedAccess(cluster, roles);
  if (cluster.install === false) return access;
  const webhook = webhookEndpointOf(cluster, { url, secret: webhookSecret });
  return { ...access, webhook, shadow: cluster.shadow === true };
}

function uninstallTarget(cluster: ClusterOptions, { roles }: InstallerOptions): UninstallTarget {
  const installed = cluster.install !== false;
  return { ...wantedAccess(cluster, roles), installed, drain: cluster.onDelete === 'drain' };
}

/** The address is the one in EKS, or in the configuration of the stack. */
async function clientOf(
  cluster: ClusterOptions,
  { region, webhookSecret }: InstallerOptions,
  client: EKSClient,
): Promise<ApiClient> {
  const eks = new EksAccess({
    client,
    cluster: cluster.name,
    region,
    credentials: async (fresh) => await client.config.credentials({ forceRefresh: fresh }),
    clock: systemClock,
  });
  const server = await clusterAccess(cluster, eks).server();
  return new ApiClient({
    ...server,
    token: async (refused) => await eks.token(refused),
    secrets: [webhookSecret],
  });
}
