import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { nodeUserData, whyNotStartable } from '../../../lib/core/node-class/user-data.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const NODE = {
  bootstrap: {
    clusterName: 'demo',
    endpoint: 'https://demo.eks.example',
    certificateAuthority: 'Q0E=',
    serviceCidr: '10.100.0.0/16',
  },
  labels: { 'karpenter.sh/nodepool': 'general' },
  taints: [{ key: 'team', value: 'web', effect: 'NoSchedule' }],
} as const;

interface ReadPart {
  readonly type: string;
  readonly body: string;
}

/** Reads the message as cloud-init would, without our own reader. */
function partsOf(text: string): readonly ReadPart[] {
  const boundary = /^Content-Type: multipart\/mixed; boundary="([^"]+)"$/m.exec(text)?.[1] ?? '';
  expect(text.endsWith(`--${boundary}--\n`)).toBe(true);
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...body] = part.replace(/^\n/, '').split('\n\n');
      return { type: /content-type:\s*([^;\n]+)/i.exec(head)?.[1] ?? '', body: body.join('\n\n') };
    });
}

function userData(
  spec: Partial<EC2NodeClass['spec']> = {},
  over: Partial<Parameters<typeof nodeUserData>[1]> = {},
): string {
  const data = nodeUserData(aNodeClass(spec), { ...NODE, ...over });
  if (data.kind === 'unsupported') throw new Error(data.message);
  return data.text;
}

function configOf(text: string): unknown {
  return parse(partsOf(text).at(-1)?.body ?? '');
}

describe('the NodeConfig', () => {
  test('C69: it names the cluster and how to reach it, and registers with the taint of an unregistered node', () => {
    expect(configOf(userData())).toEqual({
      apiVersion: 'node.eks.aws/v1alpha1',
      kind: 'NodeConfig',
      spec: {
        cluster: {
          name: 'demo',
          apiServerEndpoint: 'https://demo.eks.example',
          certificateAuthority: 'Q0E=',
          cidr: '10.100.0.0/16',
        },
        kubelet: {
          config: {
            registerWithTaints: [
              { key: 'team', value: 'web', effect: 'NoSchedule' },
              { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
            ],
          },
          flags: ['--node-labels=karpenter.sh/do-not-sync-taints=true,karpenter.sh/nodepool=general'],
        },
      },
    });
  });

  test('the taint of an unregistered node is not given twice', () => {
    const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] as const;
    expect(configOf(userData({}, { taints }))).toMatchObject({
      spec: { kubelet: { config: { registerWithTaints: taints } } },
    });
  });

  test('C74: labels that no kubelet may set are left to registration', () => {
    const labels = {
      'team.example.com/a': '1',
      plain: '',
      'node.kubernetes.io/exclude-from-external-load-balancers': 'true',
      'sub.node.kubernetes.io/x': '1',
      'topology.kubernetes.io/zone': 'us-east-1a',
      'kubernetes.io/arch': 'amd64',
      'node-restriction.kubernetes.io/x': '1',
      'app.k8s.io/x': '1',
      'karpenter.k8s.aws/instance-family': 'm5',
      'notkubernetes.io/x': '1',
    };
    expect(configOf(userData({}, { labels }))).toMatchObject({
      spec: {
        kubelet: {
          flags: [
            '--node-labels=karpenter.k8s.aws/instance-family=m5,karpenter.sh/do-not-sync-taints=true,' +
              'node.kubernetes.io/exclude-from-external-load-balancers=true,notkubernetes.io/x=1,plain=,' +
              'sub.node.kubernetes.io/x=1,team.example.com/a=1',
          ],
        },
      },
    });
  });

  test('kubelet settings pass as they are, and disks are joined where the NodeClass asks', () => {
    const kubelet = { maxPods: 42, systemReserved: { cpu: '100m' }, cpuManagerPolicy: 'static' };
    expect(configOf(userData({ kubelet, instanceStorePolicy: 'RAID0' }))).toMatchObject({
      spec: { kubelet: { config: kubelet }, instance: { localStorage: { strategy: 'RAID0' } } },
    });
  });

  test('the same input gives the same bytes', () => {
    expect(userData()).toBe(userData());
  });
});

describe('what the user wrote', () => {
  const types = (text: string) => partsOf(text).map(({ type }) => type);

  test('a script comes first, ours last', () => {
    const text = userData({ userData: '#!/bin/bash\necho hello\n' });
    expect(types(text)).toEqual(['text/x-shellscript', 'application/node.eks.aws']);
    expect(partsOf(text)[0]?.body).toContain('#!/bin/bash\necho hello\n');
  });

  test.each([
    ['YAML', 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    config:\n      maxPods: 7\n'],
    ['YAML after a comment', '# ours\n---\nkind: NodeConfig\napiVersion: "node.eks.aws/v1alpha1"\n'],
    ['JSON', '{ "apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig" }'],
  ])('a NodeConfig in %s is a NodeConfig', (_, written) => {
    const text = userData({ userData: written });
    expect(types(text)).toEqual(['application/node.eks.aws', 'application/node.eks.aws']);
    expect(partsOf(text)[0]?.body).toContain(written.trim());
  });

  test('a script that writes a NodeConfig is a script', () => {
    const script = '#!/bin/sh\ncat <<EOF > /tmp/x\napiVersion: node.eks.aws/v1alpha1\nEOF\n';
    expect(types(userData({ userData: script }))[0]).toBe('text/x-shellscript');
  });

  test.each(['\n', '\r\n'])('the parts of a MIME message are taken one by one, with line ends %j', (end) => {
    const message = [
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed;',
      ' boundary="//"',
      '',
      'a preamble that nobody reads',
      '--//',
      'Content-Type: text/cloud-config; charset="us-ascii"',
      '',
      'packages: [jq]',
      '',
      '--//',
      'Content-Type: application/node.eks.aws',
      '',
      'kind: NodeConfig',
      '--//--',
      'an epilogue',
    ].join(end);
    const text = userData({ userData: message });
    expect(types(text)).toEqual(['text/cloud-config', 'application/node.eks.aws', 'application/node.eks.aws']);
    expect(partsOf(text)[0]?.body.trim()).toBe('packages: [jq]');
    expect(text).not.toContain('preamble');
  });

  test('a message that Kerf made can be given to Kerf', () => {
    const text = userData({ userData: userData({ userData: '#!/bin/sh\ntrue\n' }) });
    expect(types(text)).toEqual(['text/x-shellscript', 'application/node.eks.aws', 'application/node.eks.aws']);
  });

  test('a script that contains our boundary does not end the message', () => {
    const text = userData({ userData: '#!/bin/sh\necho --KERF-BOUNDARY\n' });
    expect(types(text)).toEqual(['text/x-shellscript', 'application/node.eks.aws']);
  });

  test.each([
    'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--x\n\nbody\n--x--\n',
    'Content-Type: multipart/mixed; boundary=x\n\nno part\n',
    'MIME-Version: 1.0\n',
  ])('a MIME message without parts is refused, not guessed at: %j', (written) => {
    expect(nodeUserData(aNodeClass({ userData: written }), NODE)).toMatchObject({ kind: 'unsupported' });
  });
});

describe('other families', () => {
  test('C73: Custom gets what the user wrote, byte for byte', () => {
    const written = '  \r\nanything at all';
    expect(userData({ amiFamily: 'Custom', userData: written })).toBe(written);
    expect(userData({ amiFamily: 'Custom' })).toBe('');
  });

  test('AL2 is started by its bootstrap script, after what the user wrote, its values quoted for the shell (C70)', () => {
    const text = userData({ amiFamily: 'AL2', userData: '#!/bin/bash\necho first', kubelet: { maxPods: 42 } });
    expect(text).toMatch(/^MIME-Version: 1\.0/);
    expect(text.indexOf('echo first')).toBeLessThan(text.indexOf('/etc/eks/bootstrap.sh'));
    expect(text).toMatch(
      /bootstrap\.sh '[^']+' --apiserver-endpoint '[^']+' --b64-cluster-ca '[^']+' --use-max-pods false/,
    );
    expect(text).toMatch(
      /--kubelet-extra-args '--node-labels=\S+ --register-with-taints=\S*karpenter\.sh\/unregistered:NoExecute\S* --max-pods=42'/,
    );
  });

  test('Bottlerocket is started by its settings: the cluster, labels, and taints grouped by key (C71)', () => {
    const taints = [
      { key: 'type', value: 'gpu', effect: 'NoSchedule' },
      { key: 'type', value: 'gpu', effect: 'NoExecute' },
    ] as const;
    const data = nodeUserData(aNodeClass({ amiFamily: 'Bottlerocket' }), { ...NODE, taints });
    const text = data.kind === 'user-data' ? data.text : '';
    expect(text).toMatch(
      /^\[settings\.kubernetes\]\ncluster-name = "[^"]+"\napi-server = "[^"]+"\ncluster-certificate = "/,
    );
    expect(text).toContain('"type" = ["gpu:NoSchedule", "gpu:NoExecute"]');
    expect(text).toContain('"karpenter.sh/unregistered" = [":NoExecute"]');
  });

  test('user data of Bottlerocket is not merged yet, and not lost without a word', () => {
    const data = nodeUserData(aNodeClass({ amiFamily: 'Bottlerocket', userData: '[settings.ntp]' }), NODE);
    expect(data.kind === 'unsupported' && data.message).toContain('userData');
  });

  test.each(['Windows2019', 'Windows2022', 'Windows2025'] as const)(
    '%s cannot be started yet, and says so',
    (amiFamily) => {
      const data = nodeUserData(aNodeClass({ amiFamily }), NODE);
      expect(data.kind === 'unsupported' && data.message).toContain(amiFamily);
      expect(whyNotStartable(aNodeClass({ amiFamily }))).toContain('default');
    },
  );

  test('AL2023 and Custom can be started', () => {
    expect(whyNotStartable(aNodeClass())).toBeUndefined();
    expect(whyNotStartable(aNodeClass({ amiFamily: 'Custom' }))).toBeUndefined();
  });
});

describe('limits', () => {
  test('C75: more than EC2 takes is refused with both numbers, counted in bytes', () => {
    const data = nodeUserData(aNodeClass({ amiFamily: 'Custom', userData: 'ä'.repeat(8_193) }), NODE);
    expect(data.kind === 'unsupported' && data.message).toMatch(/16386 bytes.*16384/);
    expect(userData({ amiFamily: 'Custom', userData: 'ä'.repeat(8_192) })).toHaveLength(8_192);
  });

  test('A3.17: an expression for maxPods is not passed on as if it were a number', () => {
    const data = nodeUserData(aNodeClass({ kubelet: { maxPods: 'vcpus * 10' } }), NODE);
    expect(data.kind === 'unsupported' && data.message).toContain('vcpus * 10');
  });
});
