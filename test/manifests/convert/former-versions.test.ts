import { describe, expect, test } from 'vitest';
import { convertText } from './convert-text.ts';

const SPEC = `metadata: {name: a}
spec:
  selector: {matchLabels: {app: a}}
  strategy: {type: Recreate}
  updateStrategy: {type: OnDelete}
  template: {metadata: {labels: {app: a}}}
`;

describe('versions that Kubernetes no longer serves', () => {
  const RENEWED: readonly (readonly [former: string, kind: string, today: string])[] = [
    ['extensions/v1beta1', 'Deployment', 'apps/v1'],
    ['apps/v1beta1', 'Deployment', 'apps/v1'],
    ['apps/v1beta2', 'Deployment', 'apps/v1'],
    ['extensions/v1beta1', 'DaemonSet', 'apps/v1'],
    ['apps/v1beta2', 'DaemonSet', 'apps/v1'],
    ['extensions/v1beta1', 'ReplicaSet', 'apps/v1'],
    ['apps/v1beta2', 'ReplicaSet', 'apps/v1'],
    ['apps/v1beta1', 'StatefulSet', 'apps/v1'],
    ['apps/v1beta2', 'StatefulSet', 'apps/v1'],
    ['batch/v1beta1', 'CronJob', 'batch/v1'],
    ['batch/v2alpha1', 'CronJob', 'batch/v1'],
    ['policy/v1beta1', 'PodDisruptionBudget', 'policy/v1'],
  ];

  test.each(RENEWED)('%s %s becomes %s', (former, kind, today) => {
    const { text, warnings } = convertText(`apiVersion: ${former} # old\nkind: ${kind}\n${SPEC}`);
    expect(text).toBe(`apiVersion: ${today} # old\nkind: ${kind}\n${SPEC}`);
    expect(warnings).toEqual([`apiVersion: ${former} is no longer served and became ${today}`]);
    expect(convertText(text)).toMatchObject({ conversions: [{ converted: false }], warnings: [] });
  });

  test('are those of a typed list, too', () => {
    const { objects } = convertText(
      'apiVersion: extensions/v1beta1\nkind: DeploymentList\nitems: [{metadata: {name: a}}]\n',
    );
    expect(objects).toEqual([
      {
        apiVersion: 'v1',
        kind: 'List',
        items: [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } }],
      },
    ]);
  });
});

test('a missing selector becomes the labels of the template', () => {
  const { objects, warnings, text } = convertText(`apiVersion: apps/v1beta1
kind: Deployment
spec:
  replicas: 1
  # the pods
  template:
    metadata:
      labels:
        app: a # ours
    spec: {nodeSelector: {karpenter.sh/provisioner-name: b}}
`);
  expect(objects[0]).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { nodeSelector: { 'karpenter.sh/nodepool': 'b' } } },
    },
  });
  expect(text.match(/# .*/g)).toEqual(['# the pods', '# ours']);
  expect(warnings).toEqual([
    expect.stringContaining('became apps/v1; its selector is required, and the labels'),
    expect.stringContaining('provisioner-name'),
  ]);
});

test('a changed default is reported', () => {
  const { warnings } = convertText('apiVersion: extensions/v1beta1\nkind: DaemonSet\nspec: {}\n');
  expect(warnings).toEqual([
    'apiVersion: extensions/v1beta1 is no longer served and became apps/v1; its default updateStrategy is RollingUpdate; it was OnDelete',
  ]);
});

test.each(['{}', '{matchLabels: {}}'])(
  'the selector %s of a budget selected nothing, and selects everything',
  (all) => {
    const { objects, warnings } = convertText(
      `apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nspec: {selector: ${all}}\n`,
    );
    expect(objects[0]).toMatchObject({ apiVersion: 'policy/v1' });
    expect(warnings).toEqual([
      'apiVersion: policy/v1beta1 is no longer served and became policy/v1',
      expect.stringMatching(/^spec\.selector: is empty: .* in v1 it selects every pod/),
    ]);
  },
);
