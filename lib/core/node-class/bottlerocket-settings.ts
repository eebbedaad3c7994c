import { isTomlTable, readToml, type TomlTable, type TomlValue, writeToml } from '../../apis/toml.ts';
import { kubeletLabels, registrationTaints } from './node-introduction.ts';
import type { NodeSettings } from './node-settings.ts';
import { asText, type Rendered, refused } from './rendered.ts';

/** Of the setting that joins the disks: it comes first, as its name does. */
const MOUNT = '000-mount-instance-storage';

/**
 * What Bottlerocket makes a node from (C71): what the user wrote, with what the node must be told in its place.
 * *Shape:* TOML. Every setting of the user's stays but those that the NodeClass says too; its labels are joined with ours,
 * of which ours win, and its taints replaced; comments go.
 * *Source:* Bottlerocket's documentation of `settings.kubernetes` and `settings.bootstrap-commands`.
 */
export function bottlerocketSettings(written: string, node: NodeSettings): Rendered {
  const read = readToml(written);
  if (read.kind === 'unreadable') {
    const message = `userData is no TOML, which Bottlerocket reads: line ${read.line}, column ${read.column}: ${read.message}`;
    return refused('UnreadableUserData', message);
  }
  const misplaced = TABLES.find((path) => isElsething(at(read.table, path)));
  if (misplaced !== undefined) {
    const name = misplaced.join('.');
    return refused('UnreadableUserData', `userData: ${name} is not a table: write [${name}]`);
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

/** What is joined with ours. */
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

/** Tables last, so that the text reads as one would write it. */
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
    // Bottlerocket wants these two as text.
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

function isElsething(value: TomlValue | undefined): boolean {
  return value !== undefined && !isTomlTable(value);
}

function tableAt(table: TomlTable, path: readonly string[]): TomlTable {
  const value = at(table, path);
  return isTomlTable(value) ? value : {};
}
