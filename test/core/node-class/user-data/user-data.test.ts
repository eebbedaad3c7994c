import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { whyNotStartable } from '../../../../lib/core/node-class/user-data/user-data.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';
import { dataOf, partsOf, refusalOf, textOf } from './user-data-readers.ts';

function configOf(text: string): unknown {
  return parse(partsOf(text).at(-1)?.body ?? '');
}

describe('the NodeConfig', () => {
  test('C69: it names the cluster and how to reach it, and registers with the taint of an unregistered node', () => {
    expect(configOf(textOf())).toEqual({
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
    expect(configOf(textOf({}, { taints }))).toMatchObject({
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
    expect(configOf(textOf({}, { labels }))).toMatchObject({
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

  test('an empty list of DNS addresses is the DNS of the cluster (C75)', () => {
    expect(configOf(textOf({ kubelet: { clusterDNS: [] } }))).toEqual(configOf(textOf()));
  });

  test('kubelet settings pass as they are, and disks are joined where the NodeClass asks', () => {
    const kubelet = { maxPods: 42, systemReserved: { cpu: '100m' }, cpuManagerPolicy: 'static' };
    expect(configOf(textOf({ kubelet, instanceStorePolicy: 'RAID0' }))).toMatchObject({
      spec: { kubelet: { config: kubelet }, instance: { localStorage: { strategy: 'RAID0' } } },
    });
  });

  test('the same input gives the same bytes', () => {
    expect(textOf()).toBe(textOf());
  });
});

function types(text: string): readonly string[] {
  return partsOf(text).map(({ type }) => type);
}

describe('what the user wrote', () => {
  test('a script comes first, ours last', () => {
    const text = textOf({ userData: '#!/bin/bash\necho hello\n' });
    expect(types(text)).toEqual(['text/x-shellscript', 'application/node.eks.aws']);
    expect(partsOf(text)[0]?.body).toContain('#!/bin/bash\necho hello\n');
  });

  test.each([
    ['YAML', 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    config:\n      maxPods: 7\n'],
    ['YAML after a comment', '# ours\n---\nkind: NodeConfig\napiVersion: "node.eks.aws/v1alpha1"\n'],
    ['JSON', '{ "apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig" }'],
  ])('a NodeConfig in %s is a NodeConfig', (_, written) => {
    const text = textOf({ userData: written });
    expect(types(text)).toEqual(['application/node.eks.aws', 'application/node.eks.aws']);
    expect(partsOf(text)[0]?.body).toContain(written.trim());
  });

  test('a script that writes a NodeConfig is a script', () => {
    const script = '#!/bin/sh\ncat <<EOF > /tmp/x\napiVersion: node.eks.aws/v1alpha1\nEOF\n';
    expect(types(textOf({ userData: script }))[0]).toBe('text/x-shellscript');
  });

  test.each(['\n', '\r\n'])('the parts of a MIME message are taken one by one, with line ends %j', (end) => {
    const message = [
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed;',
      ' boundary="//"',
      '',
      'a preamble that is not read',
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
    const text = textOf({ userData: message });
    expect(types(text)).toEqual(['text/cloud-config', 'application/node.eks.aws', 'application/node.eks.aws']);
    expect(partsOf(text)[0]?.body.trim()).toBe('packages: [jq]');
    expect(text).not.toContain('preamble');
  });

  test('a message that Kerf made can be given to Kerf', () => {
    const text = textOf({ userData: textOf({ userData: '#!/bin/sh\ntrue\n' }) });
    expect(types(text)).toEqual(['text/x-shellscript', 'application/node.eks.aws', 'application/node.eks.aws']);
  });

  test('a part keeps every character: blank lines before and behind, and no line end at all', () => {
    for (const body of ['\n\n#!/bin/sh\n\n\n', '#!/bin/sh', '', '\n', 'a\r\nb\rc']) {
      const message = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\nContent-Type: text/plain\n\n${body}\n--//--\n`;
      expect(partsOf(textOf({ userData: message }))[0]).toEqual({ type: 'text/plain', body });
    }
  });

  test('a part without headers keeps its first line, with and without the empty line that should be there', () => {
    for (const gap of ['', '\n']) {
      const message = `Content-Type: multipart/mixed; boundary=b\nMIME-Version: 1.0\n\n--b\n${gap}#!/bin/sh\ntrue\n--b--\n`;
      expect(partsOf(textOf({ userData: message }))[0]).toEqual({ type: '', body: '#!/bin/sh\ntrue' });
    }
  });

  test('a message of one part is that part', () => {
    const message = 'Content-Type: text/cloud-config\nMIME-Version: 1.0\n\npackages: [jq]\n';
    expect(partsOf(textOf({ userData: message }))[0]).toEqual({ type: 'text/cloud-config', body: 'packages: [jq]\n' });
  });

  test('a part that is a message itself stays as it is', () => {
    const inner = 'Content-Type: multipart/mixed; boundary="//2"\n\n--//2\n\nä\n--//2--\n';
    const message = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\n${inner}\n--//--\n`;
    expect(textOf({ userData: message })).toContain(inner);
  });

  test('what is not ASCII is encoded, which cloud-init would spoil otherwise, and decodes to the same', () => {
    const script = `#!/bin/sh\necho 'grüße, 日本 🐧' = \t \r\n${'x='.repeat(100)}\n `;
    const text = textOf({ userData: script });
    expect(text).toMatch(/^[\0-\x7f]*$/);
    expect(partsOf(text)[0]).toEqual({ type: 'text/x-shellscript', body: script });
    expect(
      text
        .slice(0, text.indexOf('node.eks.aws'))
        .split('\n')
        .filter((line) => line.length > 76),
    ).toEqual([]);
    const message = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/x-shellscript\nContent-Transfer-Encoding: 7bit\n\n${script}\n--b--\n`;
    expect(partsOf(textOf({ userData: message }))[0]?.body).toBe(script);
  });

  test('a part that is encoded already is left alone', () => {
    const message = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/x-shellscript\nContent-Transfer-Encoding: base64\n\nIyEvYmluL3No\n--b--\n`;
    expect(textOf({ userData: message })).toContain('Content-Transfer-Encoding: base64\n\nIyEvYmluL3No\n');
  });

  test.each([
    ['#cloud-config\nwrite_files:\n- content: |\n    apiVersion: node.eks.aws/v1alpha1\n', 'text/cloud-config'],
    ['#cloud-boothook\ntrue\n', 'text/cloud-boothook'],
    ['#cloud-configuration is what this is about\n', 'text/x-shellscript'],
    ['\ufeff\n #!/bin/sh\n', 'text/x-shellscript'],
    ['just words', 'text/x-shellscript'],
  ])('what cloud-init knows by its first line goes under its own type: %j', (written, type) => {
    expect(partsOf(textOf({ userData: written }))[0]).toEqual({ type, body: written.trimStart() });
  });

  test('a NodeConfig keeps its indentation', () => {
    const written = '\n\n  apiVersion: node.eks.aws/v1alpha1\n  kind: NodeConfig\n';
    const [first] = partsOf(textOf({ userData: `\ufeff${written}{}` }));
    expect(first?.body).toBe('  apiVersion: node.eks.aws/v1alpha1\n  kind: NodeConfig\n{}');
  });

  test('a type that nodeadm cannot read would keep the node from starting, and is refused', () => {
    const message = 'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: shell script\n\ntrue\n--b--\n';
    expect(refusalOf({ userData: message })).toContain('Content-Type shell script');
  });

  test('a script that contains our boundary does not end the message', () => {
    const text = textOf({ userData: '#!/bin/sh\necho --KERF-BOUNDARY\n' });
    expect(types(text)).toEqual(['text/x-shellscript', 'application/node.eks.aws']);
  });

  test.each([
    'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--x\n\nbody\n--x--\n',
    'Content-Type: multipart/mixed; boundary=x\n\nno part\n',
    'MIME-Version: 1.0\n',
  ])('a MIME message without parts is refused, not guessed at: %j', (written) => {
    expect(refusalOf({ userData: written })).toMatch(/UnreadableUserData: .* MIME message/);
  });
});

describe('Custom', () => {
  test('C73: it gets the user data unchanged, regardless of kubelet settings', () => {
    const written = '  \r\nanything at all';
    expect(textOf({ amiFamily: 'Custom', userData: written, kubelet: { maxPods: 'vcpus * 2' } })).toBe(written);
    expect(textOf({ amiFamily: 'Custom' })).toBe('');
  });
});

describe('amounts for the type', () => {
  const kubelet = {
    maxPods: 'vcpus * 10',
    kubeReserved: { cpu: 'vcpus * 10', memory: '100Mi' },
    systemReserved: { cpu: '50m' },
  };

  test('A3.17: what was worked out stands in the place of the expression, key by key', () => {
    const text = textOf({ kubelet }, { kubelet: { maxPods: 40, kubeReserved: { cpu: '70m' } } });
    expect(configOf(text)).toMatchObject({
      spec: {
        kubelet: {
          config: { maxPods: 40, kubeReserved: { cpu: '70m', memory: '100Mi' }, systemReserved: { cpu: '50m' } },
        },
      },
    });
  });

  test.each(['AL2023', 'AL2', 'Bottlerocket', 'Windows2022'] as const)(
    'A3.17: an expression that was not worked out goes to no node of %s',
    (amiFamily) => {
      expect(refusalOf({ amiFamily, kubelet })).toMatch(/KubeletExpressionEvaluationFailed: .*maxPods "vcpus \* 10"/);
      expect(refusalOf({ amiFamily, kubelet }, { kubelet: { maxPods: 4 } })).toContain('kubelet.kubeReserved.cpu');
    },
  );

  test('A3.17: an expression alone keeps no NodeClass from starting nodes: types differ', () => {
    expect(whyNotStartable(aNodeClass({ kubelet }))).toBeUndefined();
  });
});

const COMMENT = '# a comment\n';

describe('limits', () => {
  test('what no comments can make so long is refused before it is read', () => {
    const bottlerocket = { amiFamily: 'Bottlerocket' as const, amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] };
    expect(textOf({ ...bottlerocket, userData: COMMENT.repeat(20_000) })).not.toContain('comment');
    expect(refusalOf({ ...bottlerocket, userData: COMMENT.repeat(30_000) })).toMatch(
      /UserDataSizeLimitExceeded.* 360000 bytes/,
    );
  });

  test('C75: more than EC2 takes is refused with both numbers, counted in bytes', () => {
    expect(refusalOf({ amiFamily: 'Custom', userData: 'ä'.repeat(8_193) })).toMatch(
      /UserDataSizeLimitExceeded: EC2NodeClass default: .*16386 bytes.*16384/,
    );
    expect(textOf({ amiFamily: 'Custom', userData: 'ä'.repeat(8_192) })).toHaveLength(8_192);
  });

  test('C75: what is added counts', () => {
    const ours = textOf().length;
    const room = 16_384 - textOf({ userData: '#!/bin/sh\n' }).length;
    expect(textOf({ userData: `#!/bin/sh\n${'#'.repeat(room)}` })).toHaveLength(16_384);
    expect(refusalOf({ userData: `#!/bin/sh\n${'#'.repeat(room + 1)}` })).toContain('16385 bytes');
    expect(ours).toBeLessThan(1_000);
  });

  test.each(['AL2', 'Bottlerocket', 'Windows2019', 'Windows2025'] as const)(
    'A3.18: a field of the kubelet that %s has no setting for is named',
    (amiFamily) => {
      const refusal = refusalOf({ amiFamily, kubelet: { cpuManagerPolicy: 'static' } });
      expect(refusal).toMatch(/^UnsupportedKubeletConfiguration: EC2NodeClass default: kubelet\.cpuManagerPolicy/);
      expect(whyNotStartable(aNodeClass({ amiFamily, kubelet: { clusterDNS: ['10.0.0.1', '10.0.0.2'] } }))).toContain(
        'kubelet.clusterDNS has 2 addresses',
      );
    },
  );

  test.each([
    { amiFamily: 'Bottlerocket', kubelet: { podsPerCore: 4 } },
    { amiFamily: 'Bottlerocket', userData: '[settings' },
    { amiFamily: 'Windows2022', userData: '</powershell>' },
    { amiFamily: 'AL2023', userData: 'MIME-Version: 1.0' },
    { amiFamily: 'Custom', userData: 'x'.repeat(16_385) },
  ] as const)('A3.18: what no node could be started with is known before there is a node: %j', (spec) => {
    expect(whyNotStartable(aNodeClass(spec))).toBe(refusalOf(spec).replace(/^\w+: /, ''));
  });

  test.each(['AL2023', 'AL2', 'Bottlerocket', 'Windows2019', 'Windows2022', 'Windows2025', 'Custom'] as const)(
    '%s can be started',
    (amiFamily) => {
      expect(whyNotStartable(aNodeClass({ amiFamily }))).toBeUndefined();
      expect(dataOf({ amiFamily }).kind).toBe('user-data');
    },
  );
});
