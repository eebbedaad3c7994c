/** Who may speak to the control plane of the tests, and what each of its programs is told of the others. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A user with a token of its own, beside whom the API server has anyhow. */
export interface StaticUser {
  readonly token: string;
  readonly user: string;
  readonly groups: readonly string[];
}

export interface ControlPlaneAccess {
  readonly endpoint: string;
  /** A PEM file. Trap: the API server makes it when it starts. */
  readonly certificateAuthority: string;
  /** The PEM file with the key to that certificate: whatever else serves TLS on 127.0.0.1 is believed by who believes it. */
  readonly certificateKey: string;
  /** Of a member of `system:masters`. */
  readonly token: string;
}

/** What a test needs in its environment to speak to it, and to start one of its own. */
export function clusterEnvironment(access: ControlPlaneAccess, binaries: string): Readonly<Record<string, string>> {
  return {
    KERF_CLUSTER_ENDPOINT: access.endpoint,
    KERF_CLUSTER_CA: access.certificateAuthority,
    KERF_CLUSTER_KEY: access.certificateKey,
    KERF_CLUSTER_TOKEN: access.token,
    KERF_CLUSTER_BINARIES: binaries,
  };
}

/** Each is the user `system:NAME`, to whom Kubernetes grants what it needs (its bootstrap policy). */
const CONTROLLERS = ['kube-scheduler', 'kube-controller-manager'] as const;

export type ControllerName = (typeof CONTROLLERS)[number];

export interface Layout {
  readonly folder: string;
  readonly etcd: string;
  readonly peers: string;
  readonly port: number;
}

function accessOf({ folder, port }: Layout, token: string): ControlPlaneAccess {
  const certificates = join(folder, 'certificates');
  return {
    endpoint: `https://127.0.0.1:${port}`,
    certificateAuthority: join(certificates, 'apiserver.crt'),
    certificateKey: join(certificates, 'apiserver.key'),
    token,
  };
}

/** The API server makes its own certificate, and with it the authority that signed it: neither openssl nor a package is needed. */
export function writeAccess(layout: Layout, users: readonly StaticUser[]): ControlPlaneAccess {
  const { folder } = layout;
  mkdirSync(join(folder, 'certificates'));
  const access = accessOf(layout, aToken());
  const controllers = CONTROLLERS.map((name) => ({ name, user: `system:${name}`, token: aToken(), groups: [] }));
  const everybody = [{ token: access.token, user: 'admin', groups: ['system:masters'] }, ...controllers, ...users];
  const lines = everybody.map(({ token, user, groups }) => `${token},${user},${user},"${groups.join(',')}"\n`);
  writeFileSync(join(folder, 'tokens.csv'), lines.join(''));
  for (const { name, token } of controllers) writeFileSync(kubeconfigOf(folder, name), kubeconfig(access, token));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(serviceAccountKey(folder), privateKey.export({ type: 'sec1', format: 'pem' }));
  return access;
}

function aToken(): string {
  return randomBytes(16).toString('hex');
}

/** A kubeconfig is YAML, and so is JSON. */
function kubeconfig({ endpoint, certificateAuthority }: ControlPlaneAccess, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster: { server: endpoint, 'certificate-authority': certificateAuthority } }],
    users: [{ name: 'it', user: { token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  });
}

/** What the API server asks of a token that it does not know (TokenReview); without TLS, which stays on this machine. */
export function writeTokenWebhook(folder: string, url: string): string {
  const file = join(folder, 'token-webhook.json');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster: { server: url } }],
    users: [{ name: 'it', user: {} }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

export function kubeconfigOf(folder: string, name: ControllerName): string {
  return join(folder, `${name}.kubeconfig`);
}

export function serviceAccountKey(folder: string): string {
  return join(folder, 'service-accounts.key');
}
