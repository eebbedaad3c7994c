import {
  AssociateAccessPolicyCommand,
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  DisassociateAccessPolicyCommand,
  type EKSClient,
  paginateListClusters,
  UpdateAccessEntryCommand,
} from '@aws-sdk/client-eks';
import type { AuthenticationMode } from '../../../core/install/access-entries.ts';
import { type AccessEntries, UnknownPrincipalError } from '../../../ports/access-entries.ts';
import { errorNameOf, translated } from '../client/errors.ts';

/** Marks an entry that a deployment of Kerf created and may delete. */
const OURS = { 'app.kubernetes.io/managed-by': 'kerf' };

/** Access entries of the clusters of one account and region, through the EKS API. */
export function eksAccessEntries(client: EKSClient): AccessEntries {
  return {
    clusters: async () => await translated('list EKS clusters', () => listClusters(client)),
    async authenticationMode(name) {
      const command = new DescribeClusterCommand({ name });
      const { cluster } = await translated(`describe EKS cluster ${name}`, () => client.send(command));
      return modeOf(cluster?.accessConfig?.authenticationMode);
    },
    async find(clusterName, principal) {
      const entry = await describe(client, clusterName, principal);
      if (entry === undefined) return undefined;
      return { principal, type: entry.type ?? 'STANDARD', groups: entry.kubernetesGroups ?? [] };
    },
    async create(clusterName, { principal, type, groups }) {
      const command = new CreateAccessEntryCommand({
        clusterName,
        principalArn: principal,
        type,
        tags: OURS,
        ...(type === 'STANDARD' && { kubernetesGroups: [...groups] }),
      });
      const doing = `create the access entry of ${principal} in cluster ${clusterName}`;
      await translated(doing, async () => {
        try {
          await unless('ResourceInUseException', () => client.send(command));
        } catch (thrown) {
          if (!isError(thrown, UNKNOWN_PRINCIPAL)) throw thrown;
          throw new UnknownPrincipalError(`${doing}: ${thrown.message}`, { cause: thrown });
        }
      });
    },
    async setGroups(clusterName, principal, groups) {
      const command = new UpdateAccessEntryCommand({
        clusterName,
        principalArn: principal,
        kubernetesGroups: [...groups],
      });
      await translated(`set the groups of ${principal} in cluster ${clusterName}`, () => client.send(command));
    },
    ...policyAssociations(client),
    async remove(clusterName, principal) {
      const entry = await describe(client, clusterName, principal);
      if (!Object.entries(OURS).every(([key, value]) => entry?.tags?.[key] === value)) return;
      const command = new DeleteAccessEntryCommand({ clusterName, principalArn: principal });
      await translated(`delete the access entry of ${principal} in cluster ${clusterName}`, () =>
        unless('ResourceNotFoundException', () => client.send(command)),
      );
    },
  };
}

function policyAssociations(client: EKSClient): Pick<AccessEntries, 'givePolicy' | 'takePolicy'> {
  return {
    async givePolicy(clusterName, principalArn, policyArn) {
      const accessScope = { type: 'cluster' } as const;
      const command = new AssociateAccessPolicyCommand({ clusterName, principalArn, policyArn, accessScope });
      await translated(`associate ${policyArn} with ${principalArn} in cluster ${clusterName}`, () =>
        client.send(command),
      );
    },
    async takePolicy(clusterName, principalArn, policyArn) {
      const command = new DisassociateAccessPolicyCommand({ clusterName, principalArn, policyArn });
      await translated(`disassociate ${policyArn} from ${principalArn} in cluster ${clusterName}`, () =>
        unless('ResourceNotFoundException', () => client.send(command)),
      );
    },
  };
}

async function listClusters(client: EKSClient): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { clusters = [] } of paginateListClusters({ client }, {})) names.push(...clusters);
  return names;
}

/** *Shape:* undefined where the entry or the cluster does not exist, and in a cluster that has no access entries. */
async function describe(client: EKSClient, clusterName: string, principal: string) {
  const command = new DescribeAccessEntryCommand({ clusterName, principalArn: principal });
  const answer = await translated(`read the access entry of ${principal} in cluster ${clusterName}`, async () => {
    try {
      return await unless('ResourceNotFoundException', () => client.send(command));
    } catch (thrown) {
      if (isError(thrown, WITHOUT_ENTRIES)) return undefined;
      throw thrown;
    }
  });
  return answer?.accessEntry;
}

/** An error of EKS whose code has other causes too. */
interface KnownError {
  readonly code: string;
  readonly message: RegExp;
}

/** EKS refuses every call about access entries for a cluster of the mode CONFIG_MAP. */
const WITHOUT_ENTRIES: KnownError = { code: 'InvalidRequestException', message: /authentication mode/i };
const UNKNOWN_PRINCIPAL: KnownError = { code: 'InvalidParameterException', message: /principalArn is invalid/i };

function isError(thrown: unknown, { code, message }: KnownError): thrown is Error {
  return thrown instanceof Error && thrown.name === code && message.test(thrown.message);
}

/** Returns undefined for an error with this code. */
async function unless<T>(code: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (thrown) {
    if (errorNameOf(thrown) === code) return undefined;
    throw thrown;
  }
}

/** Clusters from before access entries have no mode and support only the ConfigMap. */
export function modeOf(mode: string | undefined): AuthenticationMode {
  return mode === 'API' || mode === 'API_AND_CONFIG_MAP' ? mode : 'CONFIG_MAP';
}
