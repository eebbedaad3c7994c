import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { type Node, refusalOf, type Spec, textOf } from './user-data-readers.ts';

function settingsOf(userData: string, spec: Spec = {}, over: Partial<Node> = {}) {
  return parse(textOf({ amiFamily: 'Bottlerocket', userData, ...spec }, over), { integersAsBigInt: true });
}

describe('the settings of a node', () => {
  test('C71: without user data: the cluster, its DNS, labels, and taints', () => {
    expect(settingsOf('')).toEqual({
      settings: {
        kubernetes: {
          'cluster-name': 'demo',
          'api-server': 'https://demo.eks.example',
          'cluster-certificate': 'Q0E=',
          'cluster-dns-ip': '10.100.0.10',
          'node-labels': { 'karpenter.sh/do-not-sync-taints': 'true', 'karpenter.sh/nodepool': 'general' },
          'node-taints': { team: ['web:NoSchedule'], 'karpenter.sh/unregistered': [':NoExecute'] },
        },
      },
    });
  });

  test('C71: taints are grouped by key', () => {
    const taints = [
      { key: 'type', value: 'gpu', effect: 'NoSchedule' },
      { key: 'type', value: 'gpu', effect: 'NoExecute' },
    ] as const;
    expect(settingsOf('', {}, { taints })).toMatchObject({
      settings: { kubernetes: { 'node-taints': { type: ['gpu:NoSchedule', 'gpu:NoExecute'] } } },
    });
  });

  test('C71: each field of the kubelet that has a setting becomes it, in the form that Bottlerocket reads', () => {
    const kubelet = {
      clusterDNS: ['169.254.20.10'],
      maxPods: 58,
      kubeReserved: { cpu: '70m' },
      systemReserved: { memory: '100Mi' },
      evictionHard: { 'memory.available': '5%' },
      evictionSoft: { 'memory.available': '10%' },
      evictionSoftGracePeriod: { 'memory.available': '1m30s' },
      evictionMaxPodGracePeriod: 60,
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      cpuCFSQuota: false,
    };
    expect(settingsOf('', { kubelet })).toMatchObject({
      settings: {
        kubernetes: {
          'cluster-dns-ip': '169.254.20.10',
          'max-pods': 58n,
          'kube-reserved': { cpu: '70m' },
          'system-reserved': { memory: '100Mi' },
          'eviction-hard': { 'memory.available': '5%' },
          'eviction-soft': { 'memory.available': '10%' },
          'eviction-soft-grace-period': { 'memory.available': '1m30s' },
          'eviction-max-pod-grace-period': 60n,
          'image-gc-high-threshold-percent': '85',
          'image-gc-low-threshold-percent': '80',
          'cpu-cfs-quota-enforced': false,
        },
      },
    });
  });

  test('C71: disks are joined by a bootstrap command that runs before the user’s', () => {
    const theirs = '[settings.bootstrap-commands.100-theirs]\ncommands = [["apiclient", "get"]]\nmode = "once"\n';
    const { settings } = settingsOf(theirs, { instanceStorePolicy: 'RAID0' });
    expect(settings).toMatchObject({
      'bootstrap-commands': {
        '000-mount-instance-storage': {
          commands: [
            ['apiclient', 'ephemeral-storage', 'init'],
            [
              'apiclient',
              'ephemeral-storage',
              'bind',
              '--dirs',
              '/var/lib/containerd',
              '/var/lib/kubelet',
              '/var/log/pods',
            ],
          ],
          mode: 'always',
          essential: true,
        },
        '100-theirs': { commands: [['apiclient', 'get']], mode: 'once' },
      },
    });
    expect(settingsOf('')).not.toHaveProperty('settings.bootstrap-commands');
  });
});

describe('what the user wrote', () => {
  test('C71: other settings of the user are kept, also unknown ones', () => {
    const written = `
# A comment may go.
settings.motd = "hello\\nworld"
[settings.kernel.sysctl]
"vm.max_map_count" = "262144"
[settings.kubernetes]
max-pods = 20
log-level = 2
pod-pids-limit = 9223372036854775807
[settings.kubernetes.kube-reserved]
cpu = "10m"
[[future.things]]
when = 1979-05-27T07:32:00Z
ratio = 1.0
`;
    expect(settingsOf(written)).toMatchObject({
      settings: {
        motd: 'hello\nworld',
        kernel: { sysctl: { 'vm.max_map_count': '262144' } },
        kubernetes: {
          'max-pods': 20n,
          'log-level': 2n,
          'pod-pids-limit': 9_223_372_036_854_775_807n,
          'kube-reserved': { cpu: '10m' },
          'cluster-name': 'demo',
        },
      },
      future: { things: [{ ratio: 1 }] },
    });
    expect(textOf({ amiFamily: 'Bottlerocket', userData: written })).toMatch(/ratio = 1\.0\n/);
  });

  test('C71: the NodeClass takes precedence over user data, and the parameters of the cluster cannot be changed', () => {
    const written = `[settings.kubernetes]
cluster-name = "other"
api-server = "https://other"
cluster-certificate = "b3RoZXI="
max-pods = 20
[settings.kubernetes.kube-reserved]
cpu = "10m"
memory = "1Gi"
`;
    const { settings } = settingsOf(written, { kubelet: { maxPods: 58, kubeReserved: { cpu: '70m' } } });
    expect(settings).toMatchObject({
      kubernetes: {
        'cluster-name': 'demo',
        'api-server': 'https://demo.eks.example',
        'cluster-certificate': 'Q0E=',
        'max-pods': 58n,
        'kube-reserved': { cpu: '70m' },
      },
    });
    expect(settings).not.toHaveProperty('kubernetes.kube-reserved.memory');
  });

  test('C75: the DNS address of the NodeClass takes precedence over that of the user, and the latter over that of the cluster', () => {
    const written = 'settings.kubernetes.cluster-dns-ip = ["169.254.20.10", "10.100.0.10"]';
    expect(settingsOf(written)).toHaveProperty('settings.kubernetes.cluster-dns-ip', ['169.254.20.10', '10.100.0.10']);
    const kubelet = { clusterDNS: ['10.1.1.1'] };
    expect(settingsOf(written, { kubelet })).toHaveProperty('settings.kubernetes.cluster-dns-ip', '10.1.1.1');
  });

  test('C71: labels are joined and ours win, taints are replaced', () => {
    const written = `[settings.kubernetes.node-labels]
"karpenter.sh/nodepool" = "theirs"
theirs = "1"
[settings.kubernetes.node-taints]
theirs = ["1:NoSchedule"]
`;
    expect(settingsOf(written)).toMatchObject({
      settings: { kubernetes: { 'node-labels': { theirs: '1', 'karpenter.sh/nodepool': 'general' } } },
    });
    expect(settingsOf(written)).not.toHaveProperty('settings.kubernetes.node-taints.theirs');
  });

  test('C71: invalid TOML is rejected with line and column', () => {
    expect(refusalOf({ amiFamily: 'Bottlerocket', userData: '[settings]\nmotd = hello\n' })).toMatch(
      /^UnreadableUserData: EC2NodeClass default: userData is not valid TOML, .*line 2, column 8: /,
    );
  });

  test.each([
    ['settings = 1', 'settings'],
    ['[[settings]]\na = 1', 'settings'],
    ['settings.kubernetes = "x"', 'settings.kubernetes'],
    ['settings.kubernetes.node-labels = 1979-05-27', 'settings.kubernetes.node-labels'],
    ['settings.bootstrap-commands = true', 'settings.bootstrap-commands'],
  ])('what should be a table and is none is refused, not overwritten: %j', (userData, name) => {
    expect(refusalOf({ amiFamily: 'Bottlerocket', userData })).toContain(
      `userData has ${name}, which is not a table; write [${name}]`,
    );
  });
});
