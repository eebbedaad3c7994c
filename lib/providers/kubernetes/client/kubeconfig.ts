import { readFileSync } from 'node:fs';
import { type Cluster, HttpMethod, KubeConfig, RequestContext, type User } from '@kubernetes/client-node';
import { optional } from '../../../apis/optional.ts';
import { errorMessage } from '../../../core/error-message.ts';
import { RefusedError } from '../../../ports/errors.ts';
import type { ApiClientOptions } from './api-client.ts';

export interface KubeconfigChoice {
  /** @default the files of KUBECONFIG, else ~/.kube/config */
  readonly file: string | undefined;
  /** @default the current context */
  readonly context: string | undefined;
}

export interface KubeconfigAccess extends Pick<ApiClientOptions, 'endpoint' | 'tlsServerName'> {
  /** PEM. */
  readonly certificateAuthority: string;
  /** Read again for each request, because the tokens of exec plugins expire. */
  readonly token: () => Promise<string>;
}

/**
 * The API server of a kubeconfig's context, and the token of the context's user. EKS accepts no client certificates, so they
 * are not read. *Errors:* RefusedError, also where the user's exec plugin fails.
 */
export async function kubeconfigAccess({ file, context }: KubeconfigChoice): Promise<KubeconfigAccess> {
  const name = file ?? 'the kubeconfig';
  const config = loaded(name, file);
  // Without a current context, client-node returns undefined.
  const wanted: string | undefined = context ?? config.getCurrentContext();
  if (wanted !== undefined) config.setCurrentContext(wanted);
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  if (wanted === undefined || cluster === null || user === null)
    throw new RefusedError(`${name} ${noContext(wanted, config)}`);
  const subject = `context ${JSON.stringify(wanted)} of ${name}`;
  refuseUnsupported(subject, cluster, user);
  const token = async (): Promise<string> => await tokenOf(config, subject);
  // A failure of the exec plugin is reported here, before the first request.
  await token();
  const { server: endpoint, tlsServerName } = cluster;
  return {
    endpoint,
    certificateAuthority: authorityOf(cluster, subject),
    ...optional({ tlsServerName }),
    token,
  };
}

function noContext(wanted: string | undefined, config: KubeConfig): string {
  const names = config.getContexts().map((one) => JSON.stringify(one.name));
  if (names.length === 0) return 'has no contexts: run aws eks update-kubeconfig';
  return wanted === undefined
    ? `has no current context: add --context with one of ${names.join(', ')}`
    : `has no context ${JSON.stringify(wanted)} with a cluster and a user: write one of ${names.join(', ')}`;
}

const NO_KUBECONFIG = 'loaded-context';

function loaded(name: string, file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (cause) {
    throw new RefusedError(`${name} cannot be read: ${readProblem(cause)}`, { cause });
  }
  // client-node makes a context for localhost if there is no file.
  if (file === undefined && config.getCurrentContext() === NO_KUBECONFIG)
    throw new RefusedError(
      'there is no kubeconfig: add --kubeconfig FILE, set KUBECONFIG, or run aws eks update-kubeconfig',
    );
  return config;
}

function refuseUnsupported(subject: string, cluster: Cluster, user: User): void {
  const fields = [
    ...(cluster.skipTLSVerify ? ['insecure-skip-tls-verify'] : []),
    ...(cluster.proxyUrl === undefined ? [] : ['proxy-url']),
    ...(user.impersonateUser === undefined ? [] : ['as']),
  ];
  if (fields.length === 0) return;
  throw new RefusedError(`${subject} has ${fields.join(', ')}, which kerf does not support: use a context without it`);
}

/** An exec plugin runs again once its token has expired. */
async function tokenOf(config: KubeConfig, subject: string): Promise<string> {
  const request = new RequestContext(config.getCurrentCluster()?.server ?? '', HttpMethod.GET);
  try {
    await config.applySecurityAuthentication(request);
  } catch (cause) {
    throw new RefusedError(`${subject}: its user gets no token: ${pluginProblem(errorMessage(cause))}`, { cause });
  }
  const token = /^Bearer (.+)$/.exec(request.getHeaders()['Authorization'] ?? '')?.[1];
  if (token === undefined) {
    throw new RefusedError(`${subject}: its user has no token and no exec plugin: run aws eks update-kubeconfig`);
  }
  return token;
}

function readProblem(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    ? 'there is no such file'
    : errorMessage(cause);
}

function pluginProblem(message: string): string {
  const program = /^spawn (.+) ENOENT$/.exec(message)?.[1];
  return program === undefined
    ? message.trim()
    : `the program ${program} of its exec plugin was not found: install it, or add its folder to PATH`;
}

function authorityOf({ caFile, caData }: Cluster, subject: string): string {
  if (caFile !== undefined) return readFileSync(caFile, 'utf8');
  if (caData !== undefined) return Buffer.from(caData, 'base64').toString('utf8');
  throw new RefusedError(`${subject} has no certificate-authority-data: run aws eks update-kubeconfig`);
}
