/** Wires `kerf doctor`: the credentials of the shell, one cluster, nothing but reads. */

import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { optional } from '../../apis/optional.ts';
import type { AccountReader, ClusterHealthReader, Selected } from '../../ports/doctor.ts';
import { PortError } from '../../ports/errors.ts';
import type { SignedCallOptions } from '../../providers/aws/client/signed-call.ts';
import { describeCluster } from '../../providers/aws/eks/describe-cluster.ts';
import { EksAccess } from '../../providers/aws/eks/eks-access.ts';
import { hasRole } from '../../providers/aws/iam/has-role.ts';
import { findProfile } from '../../providers/aws/iam/managed-profiles.ts';
import type { Part } from '../../providers/aws/node-class/resolution.ts';
import { resolutionAnswers } from '../../providers/aws/node-class/resolution-answers.ts';
import { resolveSecurityGroups, resolveSubnets } from '../../providers/aws/node-class/resolve-network.ts';
import { lambdaConcurrency } from '../../providers/aws/quotas/lambda-concurrency.ts';
import { ec2Quotas } from '../../providers/aws/quotas/vcpu-quotas.ts';
import { ApiClient, type ApiClientOptions } from '../../providers/kubernetes/client/api-client.ts';
import type { KubeconfigChoice } from '../../providers/kubernetes/client/kubeconfig.ts';
import { aggregatedApi, deploymentReplicas, serverVersion } from '../../providers/kubernetes/install/cluster-health.ts';
import { kubernetesInstallation } from '../../providers/kubernetes/install/installation.ts';
import { KubernetesCluster } from '../../providers/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { checkName } from '../options/cluster-options.ts';
import { endpointOf } from '../options/installer-options.ts';
import { OptionError } from '../options/option-values.ts';
import { accessByKubeconfig } from './adoption.ts';
import { clusterAccess } from './cluster-access.ts';
import { kubeconfigOptions } from './live-cluster.ts';
import { haveCredentials, regionOf } from './shell-account.ts';

export interface DoctorOptions {
  readonly cluster: string;
  /** @default that of the shell */
  readonly region: string | undefined;
  /** @default that of the shell */
  readonly profile: string | undefined;
  /** @default the address that EKS returns, with the credentials of the shell */
  readonly kubeconfig: KubeconfigChoice | undefined;
}

/** *Errors:* OptionError for an invalid option, or without a region or credentials; PortError. */
export interface DoctorPorts {
  account(): Promise<AccountReader>;
  cluster(): Promise<ClusterHealthReader>;
}

export function wireDoctor({ cluster, region, profile, kubeconfig }: DoctorOptions): DoctorPorts {
  const name = checkName(cluster, '--cluster');
  const config = optional({ region, profile });
  const client = new EKSClient(config);
  const here = async (): Promise<string> => {
    const found = region ?? (await regionOf(client));
    await haveCredentials(client);
    return found;
  };
  return {
    account: async () => {
      const place = await here();
      const tools = { client: new EC2Client(config), answers: resolutionAnswers(systemClock), region: place };
      const iam = new IAMClient(config);
      const callsOf = (service: string): SignedCallOptions => ({
        region: place,
        clock: systemClock,
        credentials: async () => await client.config.credentials(),
        ...optional({ endpoint: endpointOf(process.env, service) }),
      });
      return {
        region: place,
        vcpuQuotas: async (codes) => await ec2Quotas(callsOf('SERVICE_QUOTAS'), codes),
        lambdaConcurrency: async () => await lambdaConcurrency(callsOf('LAMBDA')),
        describeCluster: async () => await describeCluster(client, name),
        subnets: async (nodeClass: EC2NodeClass) => selected(await resolveSubnets(tools, nodeClass)),
        securityGroups: async (nodeClass: EC2NodeClass) => selected(await resolveSecurityGroups(tools, nodeClass)),
        hasRole: async (role) => await hasRole(iam, role),
        hasInstanceProfile: async (wanted) => (await findProfile(iam, wanted)) !== undefined,
      };
    },
    cluster: async () => {
      const access = async (): Promise<EksAccess> => eksAccess(client, { name, region: await here() });
      return healthReader(
        new ApiClient(
          kubeconfig === undefined
            ? await optionsOfEks(name, access)
            : await withKubeconfig(kubeconfig, { name, access }),
        ),
      );
    },
  };
}

function selected({ found, problems }: Part): Selected {
  const [problem] = problems;
  return { ...found, ...(problem && { problem: problem.message }) };
}

interface Place {
  readonly name: string;
  readonly region: string;
}

function eksAccess(client: EKSClient, { name, region }: Place): EksAccess {
  const credentials = async () => await client.config.credentials();
  return new EksAccess({ client, cluster: name, region, credentials, clock: systemClock });
}

async function optionsOfEks(name: string, access: () => Promise<EksAccess>): Promise<ApiClientOptions> {
  const eks = await access();
  return { ...(await clusterAccess({ name }, eks).server()), token: async (refused) => await eks.token(refused) };
}

interface NamedAccess {
  readonly name: string;
  readonly access: () => Promise<EksAccess>;
}

/** Without an answer of EKS, it is not checked that the context is of this cluster. */
async function withKubeconfig(choice: KubeconfigChoice, { name, access }: NamedAccess): Promise<ApiClientOptions> {
  const certificateAuthority = await certificateOf(access);
  return certificateAuthority === undefined
    ? await kubeconfigOptions(choice)
    : await accessByKubeconfig(choice, { name, certificateAuthority });
}

async function certificateOf(access: () => Promise<EksAccess>): Promise<string | undefined> {
  try {
    const { bootstrap } = await (await access()).describe();
    return bootstrap.certificateAuthority;
  } catch (error) {
    if (error instanceof PortError || error instanceof OptionError) return undefined;
    throw error;
  }
}

function healthReader(client: ApiClient): ClusterHealthReader {
  const cluster = new KubernetesCluster({ client, clock: systemClock });
  // Only its reads are used, which do not depend on the names.
  const installation = kubernetesInstallation({ client, clock: systemClock, installedBy: '', deployment: '' });
  return {
    serverVersion: async () => await serverVersion(client),
    findOtherAutoscalers: async () => await cluster.findOtherAutoscalers(),
    coreDns: async () => await deploymentReplicas(client, COREDNS),
    metricsApi: async () => await aggregatedApi(client, 'v1beta1.metrics.k8s.io'),
    findDefinition: async (definition) => await installation.findDefinition(definition),
    listNodePools: async () => await cluster.listNodePools(),
    listNodeClasses: async () => await cluster.listNodeClasses(),
  };
}

const COREDNS = '/apis/apps/v1/namespaces/kube-system/deployments/coredns';
