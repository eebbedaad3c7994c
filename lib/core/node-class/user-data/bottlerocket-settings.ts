import { isTomlTable, readToml, type TomlTable, type TomlValue, writeToml } from '../../../apis/formats/toml.ts';
import { kubeletLabels, registrationTaints } from './node-introduction.ts';
import type { NodeSettings } from './node-settings.ts';
import { asText, type Rendered, refusedUserData } from './rendered.ts';

/** The name of the bootstrap command that sets up instance storage. Commands run in the order of their names. */
const MOUNT = '000-mount-instance-storage';

/**
 * Merges the user's Bottlerocket settings with those of the node (C71).
 * *Shape:* TOML without comments. The user's settings are kept, except those that the NodeClass also sets. Labels are
 * merged, and Kerf's labels take precedence. Taints are replaced.
 * *Source:* Bottlerocket's documentation of `settings.kubernetes` and `settings.bootstrap-commands`.
 */
export function bottlerocketSettings(written: string, node: NodeSettings): Rendered {
  const read = readToml(written);
  if (read.kind === 'unreadable') {
    const message = `is not valid TOML, which Bottlerocket requires: line ${read.line}, column ${read.column}: ${read.message}`;
    return refusedUserData({ message, allowed: 'TOML such as [settings.kubernetes]' });
  }
  const misplaced = TABLES.find((path) => isNotTable(at(read.table, path)));
  if (misplaced !== undefined) {
    const name = misplaced.join('.');
    return refusedUserData({ message: `has ${name}, which is not a table`, allowed: `[${name}]` });
  }
  const settings = tableAt(read.table, ['settings']);
  const merged = {
    ...settings,
    kubernetes: kubernetes(tableAt(settings, ['kubernetes']), node),
    ...(node.joinDisks
      ? { 'bootstrap-commands': { ...tableAt(settings, ['bootstrap-commands']), [MOUNT]: JOIN_DISKS } }
      : {}),
  };
  return asText(writeToml({ ...read.table, settings: merged }));
}

/** The tables that are merged. */
const TABLES = [
  ['settings'],
  ['settings', 'kubernetes'],
  ['settings', 'kubernetes', 'node-labels'],
  ['settings', 'bootstrap-commands'],
] as const;

const JOIN_DISKS = {
  commands: [
    ['apiclient', 'ephemeral-storage', 'init'],
    ['apiclient', 'ephemeral-storage', 'bind', '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'],
  ],
  mode: 'always',
  essential: true,
} as const;

/** Tables come last, as is usual in TOML. */
function kubernetes(written: TomlTable, { bootstrap, labels, taints, kubelet, clusterDns }: NodeSettings): TomlTable {
  const ours = {
    'cluster-name': bootstrap.clusterName,
    'api-server': bootstrap.endpoint,
    'cluster-certificate': bootstrap.certificateAuthority,
    'cluster-dns-ip': kubelet.clusterDNS?.[0] ?? written['cluster-dns-ip'] ?? clusterDns,
    'max-pods': integer(kubelet.maxPods),
    'kube-reserved': kubelet.kubeReserved,
    'system-reserved': kubelet.systemReserved,
    'eviction-hard': kubelet.evictionHard,
    'eviction-soft': kubelet.evictionSoft,
    'eviction-soft-grace-period': kubelet.evictionSoftGracePeriod,
    'eviction-max-pod-grace-period': integer(kubelet.evictionMaxPodGracePeriod),
    // Bottlerocket requires text for these two settings.
    'image-gc-high-threshold-percent': kubelet.imageGCHighThresholdPercent?.toString(),
    'image-gc-low-threshold-percent': kubelet.imageGCLowThresholdPercent?.toString(),
    'cpu-cfs-quota-enforced': kubelet.cpuCFSQuota,
  };
  return {
    ...written,
    ...given(ours),
    'node-labels': { ...tableAt(written, ['node-labels']), ...Object.fromEntries(kubeletLabels(labels)) },
    'node-taints': taintsByKey(taints),
  };
}

function integer(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(Math.trunc(value));
}

function given(values: Readonly<Record<string, TomlValue | undefined>>): TomlTable {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined || value === null ? [] : [[key, value]])),
  );
}

function taintsByKey(taints: NodeSettings['taints']): TomlTable {
  const byKey = Map.groupBy(registrationTaints(taints), (taint) => taint.key);
  return Object.fromEntries(
    [...byKey].map(([key, all]) => [key, all.map(({ value = '', effect }) => `${value}:${effect}`)]),
  );
}

function at(table: TomlTable, path: readonly string[]): TomlValue | undefined {
  let value: TomlValue | undefined = table;
  for (const key of path) value = isTomlTable(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function isNotTable(value: TomlValue | undefined): boolean {
  return value !== undefined && !isTomlTable(value);
}

function tableAt(table: TomlTable, path: readonly string[]): TomlTable {
  const value = at(table, path);
  return isTomlTable(value) ? value : {};
}
