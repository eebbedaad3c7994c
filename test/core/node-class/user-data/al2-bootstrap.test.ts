import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { A_NODE, type Node, partsOf, refusalOf, type Spec, textOf } from './user-data-readers.ts';

const BASH = spawnSync('bash', ['--version']).status === 0;

function scriptOf(spec: Spec = {}, over: Partial<Node> = {}): string {
  return partsOf(textOf({ amiFamily: 'AL2', ...spec }, over)).at(-1)?.body ?? '';
}

/** What the script calls AWS's with, as a real shell sees it. */
function callOf(script: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-al2-'));
  try {
    writeFileSync(join(folder, 'bootstrap.sh'), '#!/bin/bash\nprintf "%s\\0" "$@"\n', { mode: 0o700 });
    const run = spawnSync('bash', ['-c', script.replace('/etc/eks/bootstrap.sh', join(folder, 'bootstrap.sh'))]);
    return run.stdout.toString().split('\0').slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The value behind an option. */
function option(call: readonly string[], name: string): string | undefined {
  return call.includes(name) ? call[call.indexOf(name) + 1] : undefined;
}

describe.skipIf(!BASH)('the call of AWS’s script, read by bash (skipped where there is no bash)', () => {
  test('C70: it names the cluster, its DNS, labels and taints', () => {
    expect(callOf(scriptOf())).toEqual([
      'demo',
      '--apiserver-endpoint',
      'https://demo.eks.example',
      '--b64-cluster-ca',
      'Q0E=',
      '--dns-cluster-ip',
      '10.100.0.10',
      '--kubelet-extra-args',
      '--node-labels=karpenter.sh/do-not-sync-taints=true,karpenter.sh/nodepool=general ' +
        '--register-with-taints=team=web:NoSchedule,karpenter.sh/unregistered:NoExecute',
    ]);
  });

  test('C70: each field of the kubelet that has a flag becomes it', () => {
    const kubelet = {
      clusterDNS: ['169.254.20.10'],
      maxPods: 58,
      podsPerCore: 4,
      kubeReserved: { memory: '1Gi', cpu: '70m' },
      systemReserved: { memory: '100Mi' },
      evictionHard: { 'nodefs.available': '10%', 'memory.available': '5%' },
      evictionSoft: { 'memory.available': '10%' },
      evictionSoftGracePeriod: { 'memory.available': '1m30s' },
      evictionMaxPodGracePeriod: 60,
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      cpuCFSQuota: false,
    };
    const call = callOf(scriptOf({ kubelet }));
    expect(option(call, '--dns-cluster-ip')).toBe('169.254.20.10');
    expect(option(call, '--use-max-pods')).toBe('false');
    expect(option(call, '--kubelet-extra-args')?.split(' ').slice(2)).toEqual([
      '--max-pods=58',
      '--pods-per-core=4',
      '--system-reserved=memory=100Mi',
      '--kube-reserved=cpu=70m,memory=1Gi',
      '--eviction-hard="memory.available<5%,nodefs.available<10%"',
      '--eviction-soft="memory.available<10%"',
      '--eviction-soft-grace-period=memory.available=1m30s',
      '--eviction-max-pod-grace-period=60',
      '--image-gc-high-threshold=85',
      '--image-gc-low-threshold=80',
      '--cpu-cfs-quota=false',
    ]);
  });

  test('C70: a number of pods that was worked out for the type is used as well', () => {
    const call = callOf(scriptOf({}, { kubelet: { maxPods: 110 } }));
    expect(option(call, '--use-max-pods')).toBe('false');
    expect(option(call, '--kubelet-extra-args')).toContain('--max-pods=110');
  });

  test('C70: disks are joined where the NodeClass asks', () => {
    expect(option(callOf(scriptOf({ instanceStorePolicy: 'RAID0' })), '--local-disks')).toBe('raid0');
  });

  test('C70: an IPv6 cluster has its own arguments', () => {
    const bootstrap = { ...A_NODE.bootstrap, serviceCidr: 'fd30:1c53:5f8a::/108' };
    const call = callOf(scriptOf({}, { bootstrap }));
    expect(option(call, '--ip-family')).toBe('ipv6');
    expect(option(call, '--service-ipv6-cidr')).toBe('fd30:1c53:5f8a::/108');
    expect(option(call, '--dns-cluster-ip')).toBe('fd30:1c53:5f8a::a');
  });

  test('C75: a service range that cannot be read leaves the DNS to the script', () => {
    const bootstrap = { ...A_NODE.bootstrap, serviceCidr: 'somewhere' };
    expect(callOf(scriptOf({}, { bootstrap }))).not.toContain('--dns-cluster-ip');
  });

  test('no text of the cluster’s is a command', () => {
    const odd = `a'b"c$(touch /tmp/x)\`true\`\\ \n;&|<>*~#`;
    const bootstrap = { clusterName: odd, endpoint: odd, certificateAuthority: odd, serviceCidr: `${odd}:` };
    const call = callOf(scriptOf({}, { bootstrap }));
    expect(call.filter((argument) => argument === odd)).toHaveLength(3);
    expect(option(call, '--service-ipv6-cidr')).toBe(`${odd}:`);
  });
});

test.each(['AL2', 'Windows2022'] as const)(
  'C70: on %s, an amount that the kubelet’s command line would break is refused',
  (amiFamily) => {
    for (const amount of ['1 --anonymous-auth=true', '1"', "1'", '$(true)', '1\n', '`', '1;true', '\\']) {
      expect(refusalOf({ amiFamily, kubelet: { evictionHard: { 'memory.available': amount } } })).toMatch(
        /UnsupportedKubeletConfiguration: .*--eviction-hard=memory\.available</,
      );
    }
  },
);

test('C70: what the user wrote comes first', () => {
  const parts = partsOf(textOf({ amiFamily: 'AL2', userData: '#!/bin/bash\necho first' }));
  expect(parts.map(({ type }) => type)).toEqual(['text/x-shellscript', 'text/x-shellscript']);
  expect(parts[0]?.body).toBe('#!/bin/bash\necho first');
  expect(parts[1]?.body).toMatch(/^#!\/bin\/bash\nset -e\n\/etc\/eks\/bootstrap\.sh /);
});
