/** The flags of each program of the control plane: those of EKS, as far as they are public. */
import { join } from 'node:path';
import type { ServerName } from './cluster-build.ts';
import {
  type ControllerName,
  certificateKeyOf,
  certificateOf,
  kubeconfigOf,
  type Layout,
  serviceAccountKey,
  writeTokenWebhook,
} from './control-plane-access.ts';

export interface ControlPlaneTuning {
  /** The scheduler's requests per second; the burst is twice that. @default 50, as in Kubernetes. EKS's value is not public. */
  readonly schedulerQps?: number;
  /** A node that is silent for this time becomes NotReady. @default 15; Kubernetes has 50. */
  readonly nodeGraceSeconds?: number;
  /** Answers TokenReviews, over plain HTTP, for tokens that are no static user's. @default none */
  readonly tokenWebhookUrl?: string;
}

export function flagsOf(name: ServerName, layout: Layout, tuning: ControlPlaneTuning): readonly string[] {
  switch (name) {
    case 'etcd':
      return etcdFlags(layout);
    case 'kube-apiserver':
      return apiServerFlags(layout, tuning);
    case 'kube-scheduler':
      return schedulerFlags(layout, tuning);
    case 'kube-controller-manager':
      return controllerFlags(layout, tuning);
  }
}

function etcdFlags({ folder, etcd, peers }: Layout): readonly string[] {
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
    // 20,000 pods and their history do not fit into the default of 2 GiB.
    '--quota-backend-bytes=8589934592',
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
}

function apiServerFlags(
  { folder, etcd, address, port }: Layout,
  { tokenWebhookUrl }: ControlPlaneTuning,
): readonly string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--bind-address=${address}`,
    `--secure-port=${port}`,
    `--advertise-address=${address}`,
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${certificateOf(folder)}`,
    `--tls-private-key-file=${certificateKeyOf(folder)}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction,ExtendedResourceToleration',
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccountKey(folder)}`,
    `--service-account-signing-key-file=${serviceAccountKey(folder)}`,
    '--service-cluster-ip-range=10.100.0.0/16',
    ...(tokenWebhookUrl === undefined
      ? []
      : [`--authentication-token-webhook-config-file=${writeTokenWebhook(folder, tokenWebhookUrl)}`]),
  ];
}

/** One instance of each program, identified by its token, without a port for requests. */
function clientFlags(folder: string, name: ControllerName): readonly string[] {
  const kubeconfig = kubeconfigOf(folder, name);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
  ];
}

function schedulerFlags({ folder }: Layout, { schedulerQps = 50 }: ControlPlaneTuning): readonly string[] {
  return [
    ...clientFlags(folder, 'kube-scheduler'),
    `--kube-api-qps=${schedulerQps}`,
    `--kube-api-burst=${2 * schedulerQps}`,
  ];
}

function controllerFlags({ folder }: Layout, { nodeGraceSeconds = 15 }: ControlPlaneTuning): readonly string[] {
  return [
    ...clientFlags(folder, 'kube-controller-manager'),
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${serviceAccountKey(folder)}`,
    `--root-ca-file=${certificateOf(folder)}`,
    `--node-monitor-grace-period=${nodeGraceSeconds}s`,
    // A test creates in seconds what a cluster creates in hours.
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}
