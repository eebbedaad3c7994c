/** The users and certificates of the tests' control plane, and the connections between its programs. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateForThisMachine } from './certificate.ts';

/** A user with its own token, in addition to the API server's built-in users. */
export interface StaticUser {
  readonly token: string;
  readonly user: string;
  readonly groups: readonly string[];
}

export interface ControlPlaneAccess {
  readonly endpoint: string;
  /** A PEM file. */
  readonly certificateAuthority: string;
  /** The PEM file with the key of that certificate: other TLS servers on this machine can use it too. */
  readonly certificateKey: string;
  /** The token of a member of `system:masters`. */
  readonly token: string;
}

/** The environment of a test that connects to the control plane, or starts a separate one. */
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
  readonly address: string;
  readonly port: number;
}

export function writeAccess(layout: Layout, users: readonly StaticUser[]): ControlPlaneAccess {
  const { folder, address, port } = layout;
  const access = {
    endpoint: `https://${address}:${port}`,
    certificateAuthority: certificateOf(folder),
    certificateKey: certificateKeyOf(folder),
    token: aToken(),
  };
  const { certificate, key } = certificateForThisMachine(new Date());
  writeFileSync(access.certificateAuthority, certificate);
  writeFileSync(access.certificateKey, key);
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

/** The webhook for tokens without a static user (TokenReview). It needs no TLS, because it stays on this machine. */
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

export function certificateOf(folder: string): string {
  return join(folder, 'certificate.pem');
}

export function certificateKeyOf(folder: string): string {
  return join(folder, 'certificate-key.pem');
}

export function serviceAccountKey(folder: string): string {
  return join(folder, 'service-accounts.key');
}
