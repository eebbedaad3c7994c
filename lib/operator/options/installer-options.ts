/** The configuration of the installer. Its events select nothing, so all that it does is here. */
import { optional } from '../../apis/optional.ts';
import { isRecord } from '../../apis/record.ts';
import { deploymentName } from '../../core/cluster/cluster-claim.ts';
import type { ClusterFunction } from '../../core/install/rbac.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { checkUrl, OptionError, parseJson } from './option-values.ts';
import {
  type Environment,
  INSTALLER_TARGETS,
  type QueueUrls,
  readClusters,
  readQueueUrls,
  readVariable,
  VARIABLES,
} from './options.ts';

export interface InstallerOptions {
  readonly region: string;
  readonly table: string;
  /** The name of the deployment, for the claim of a cluster. */
  readonly deployment: string;
  readonly clusters: readonly ClusterOptions[];
  readonly roles: DeploymentRoles;
  /** The id of the stack, and the logical id of the custom resource in it. */
  readonly stack: string;
  readonly resource: string;
  /** The unique name of the deployment, which objects in clusters have. */
  readonly installedBy: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  readonly queueUrls: QueueUrls<(typeof INSTALLER_TARGETS)[number]>;
  /** Of emulators, from the variables that the SDK reads too. @default AWS */
  readonly endpoints: { readonly cloudFormation?: string; readonly s3?: string };
}

/** The roles of a deployment, by ARN. */
export interface DeploymentRoles {
  /** The start of the ARN of a role of the account. */
  readonly prefix: string;
  readonly functions: Readonly<Record<ClusterFunction, string>>;
  readonly installer: string;
}

/** *Errors:* OptionError. */
export function installerOptions(environment: Environment): InstallerOptions {
  const stack = readVariable(environment, VARIABLES.stack);
  const region = readVariable(environment, 'AWS_REGION');
  const table = readVariable(environment, VARIABLES.table);
  const [, , , , account = ''] = stack.split(':');
  return {
    region,
    table,
    deployment: deploymentName({ account, region, table }),
    clusters: [...readClusters(environment).values()],
    roles: readRoles(readVariable(environment, VARIABLES.roles)),
    stack,
    resource: readVariable(environment, VARIABLES.stackResource),
    installedBy: `${stack}/${readVariable(environment, VARIABLES.installerPath)}`,
    webhookUrl: checkUrl(readVariable(environment, VARIABLES.webhookUrl), VARIABLES.webhookUrl),
    webhookSecret: readVariable(environment, VARIABLES.webhookSecret),
    queueUrls: readQueueUrls(environment, INSTALLER_TARGETS),
    endpoints: optional({
      cloudFormation: endpointOf(environment, 'CLOUDFORMATION'),
      s3: endpointOf(environment, 'S3'),
    }),
  };
}

/** The endpoint of an emulator. */
export function endpointOf(environment: Environment, service: string): string | undefined {
  return environment[`AWS_ENDPOINT_URL_${service}`] ?? environment['AWS_ENDPOINT_URL'];
}

/** By function; the stack writes names, because the ARNs share a prefix. */
function readRoles(text: string): DeploymentRoles {
  const names = parseJson(text, VARIABLES.roles);
  const arnOf = (name: string): string => {
    const value = isRecord(names) ? names[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    throw new OptionError(`${VARIABLES.roles} has no ${name}: the stack writes the names of all roles`);
  };
  const prefix = arnOf('prefix');
  const roleOf = (name: string): string => prefix + arnOf(name);
  const functions = {
    provisioning: roleOf('provisioning'),
    lifecycle: roleOf('lifecycle'),
    disruption: roleOf('disruption'),
    termination: roleOf('termination'),
  };
  return { prefix, functions, installer: roleOf('installer') };
}
