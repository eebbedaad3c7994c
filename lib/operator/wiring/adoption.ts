/** Wires `kerf adopt`: the credentials of the shell, one cluster, the table of the deployment. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { optional } from '../../apis/optional.ts';
import type { AdoptionPorts } from '../../controllers/instances/adopt.ts';
import { deploymentName } from '../../core/cluster/cluster-claim.ts';
import { nodeClassHash } from '../../core/node-class/node-class-hash.ts';
import { EksAccess } from '../../providers/aws/eks/eks-access.ts';
import { clusterInstances, tagAdoptedInstance } from '../../providers/aws/instances/cluster-instances.ts';
import { DynamoDbCatalogueStore } from '../../providers/dynamodb/catalogue-store.ts';
import { DynamoDbNodeClaimStore } from '../../providers/dynamodb/node-claim-store.ts';
import { ApiClient, type ApiClientOptions } from '../../providers/kubernetes/client/api-client.ts';
import type { KubeconfigChoice } from '../../providers/kubernetes/client/kubeconfig.ts';
import { KubernetesCluster } from '../../providers/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { checkEndpoint, checkName } from '../options/cluster-options.ts';
import { namespacesOf, textOption } from '../options/option-fields.ts';
import { OptionError } from '../options/option-values.ts';
import { clusterAccess } from './cluster-access.ts';
import { kubeconfigOptions } from './live-cluster.ts';
import { haveCredentials, regionOf } from './shell-account.ts';

export interface AdoptionOptions {
  readonly cluster: string;
  /** @default that of the shell */
  readonly region: string | undefined;
  readonly table: string;
  /** The address of the API server. @default the address that EKS returns */
  readonly endpoint: string | undefined;
  /** The namespaces in which Karpenter may run. @default `KARPENTER_NAMESPACES` */
  readonly namespaces: readonly string[] | undefined;
  /** Connects to the API server as kubectl does. @default the address that EKS returns, with the credentials of the shell */
  readonly kubeconfig: KubeconfigChoice | undefined;
}

/** *Errors:* OptionError for an invalid option, or without a region or credentials; those of EKS. */
export async function wireAdoption(options: AdoptionOptions): Promise<AdoptionPorts> {
  const { cluster: name, endpoint, namespaces: karpenterNamespaces, kubeconfig, table: tableName } = checked(options);
  const config = options.region === undefined ? {} : { region: options.region };
  const eksClient = new EKSClient(config);
  const region = options.region ?? (await regionOf(eksClient));
  await haveCredentials(eksClient);
  const credentials = async () => await eksClient.config.credentials();
  const eks = new EksAccess({ client: eksClient, cluster: name, region, credentials, clock: systemClock });
  const access = clusterAccess({ name, ...optional({ endpoint }) }, eks);
  const { bootstrap } = await access.describe();
  const client = new ApiClient(
    kubeconfig === undefined
      ? { ...(await access.server()), token: async (refused) => await eks.token(refused) }
      : await accessByKubeconfig(kubeconfig, { name, certificateAuthority: bootstrap.certificateAuthority }),
  );
  const ec2 = new EC2Client(config);
  const table = { client: new DynamoDBClient(config), tableName };
  return {
    cluster: new KubernetesCluster({
      client,
      clock: systemClock,
      // Any account: the shell names only the table.
      deployment: deploymentName({ account: '', region, table: tableName }),
      ...optional({ karpenterNamespaces }),
    }),
    store: new DynamoDbNodeClaimStore({ ...table, clock: systemClock }),
    catalogue: new DynamoDbCatalogueStore({ ...table, region }),
    clock: systemClock,
    cloud: {
      autoMode: async () => await access.autoMode(),
      clusterInstances: async (cluster) => await clusterInstances(ec2, cluster),
      tagAdoptedInstance: async (id, tags) => {
        await tagAdoptedInstance(ec2, id, tags);
      },
    },
    classHash: (nodeClass) => nodeClassHash(nodeClass, bootstrap.certificateAuthority),
  };
}

/** Runs before any call, because the token is sent to the endpoint. */
function checked({
  cluster,
  endpoint,
  namespaces,
  kubeconfig,
  table,
}: AdoptionOptions): Omit<AdoptionOptions, 'region'> {
  if (endpoint !== undefined && kubeconfig !== undefined) {
    throw new OptionError('--endpoint and a kubeconfig both name an API server: leave out --endpoint');
  }
  return {
    cluster: checkName(cluster, '--cluster'),
    endpoint: endpoint === undefined ? undefined : checkEndpoint(endpoint, '--endpoint'),
    namespaces: namespaces && namespacesOf(namespaces, '--namespaces'),
    kubeconfig,
    table: textOption(table, '--table'),
  };
}

/** The certificate authority identifies the cluster: a context of another one would adopt the wrong claims. */
export async function accessByKubeconfig(
  choice: KubeconfigChoice,
  cluster: { readonly name: string; readonly certificateAuthority: string },
): Promise<ApiClientOptions> {
  const access = await kubeconfigOptions(choice);
  const expected = Buffer.from(cluster.certificateAuthority, 'base64').toString('utf8');
  if (access.certificateAuthority.trim() === expected.trim()) return access;
  throw new OptionError(
    `the kubeconfig's context is not of the EKS cluster ${cluster.name}: their certificate authorities differ. Name another with --context`,
  );
}
