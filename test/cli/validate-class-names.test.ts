import { describe, expect, test } from 'vitest';
import type { ValidatedObject } from '../../lib/cli/validate/validation.ts';
import { CLASS, join, POOL } from './manifest-texts.ts';
import { runKerf } from './run-kerf.ts';

async function validated(
  files: Readonly<Record<string, string>>,
  paths: readonly string[] = Object.keys(files),
): Promise<{ readonly objects: readonly ValidatedObject[]; readonly code: number }> {
  const { stdout, code } = await runKerf(['validate', ...paths, '--output', 'json'], files);
  const { objects }: { readonly objects: readonly ValidatedObject[] } = JSON.parse(stdout);
  return { objects, code };
}

describe('the EC2NodeClass of a NodePool', () => {
  const MISTYPED = POOL.replace('EC2NodeClass, name: default', 'EC2NodeClass, name: defualt');
  const CLAIM = `apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: one}
spec:
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: defualt}
  requirements: []
`;

  test('that is not among the given objects is an error, which suggests the nearest name', async () => {
    const { objects, code } = await validated({ 'pool.yaml': MISTYPED, 'class.yaml': CLASS });
    expect(code).toBe(1);
    expect(objects[0]).toMatchObject({ kind: 'NodePool', valid: false });
    expect(objects[0]?.findings).toEqual([
      {
        severity: 'error',
        path: 'spec.template.spec.nodeClassRef.name',
        line: 8,
        message: 'no file has an EC2NodeClass "defualt"; did you mean default?',
        fix: 'write one of default, or add the EC2NodeClass to the files',
      },
    ]);
  });

  test('is found also if the class itself is invalid', async () => {
    const { objects } = await validated({ 'a.yaml': join(POOL, CLASS.replace('role: node', 'role: 1')) });
    expect(objects.map(({ valid }) => valid)).toEqual([true, false]);
  });

  test('of a NodeClaim without a NodePool is checked too; a NodeClaim of a NodePool keeps the name of a former class', async () => {
    const owned = CLAIM.replace('{name: one}', '{name: two, labels: {karpenter.sh/nodepool: default}}');
    const { objects } = await validated({ 'a.yaml': join(CLASS, CLAIM, owned) });
    expect(objects.map(({ name, findings }) => [name, findings.map(({ message }) => message)])).toEqual([
      ['default', []],
      ['one', ['no file has an EC2NodeClass "defualt"; did you mean default?']],
      ['two', []],
    ]);
  });

  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ['no EC2NodeClass is given', { 'a.yaml': MISTYPED }],
    ['a name has a placeholder', { 'a.yaml': join(POOL.replace('name: default}', 'name: "${CLASS}"}'), CLASS) }],
    [
      'a class has a placeholder as its name',
      { 'a.yaml': join(POOL, CLASS.replace('{name: default}', '{name: "${A}"}')) },
    ],
    [
      'it references a class of EKS Auto Mode',
      {
        'a.yaml': join(
          POOL.replace('karpenter.k8s.aws, kind: EC2NodeClass', 'eks.amazonaws.com, kind: NodeClass'),
          CLASS.replace('{name: default}', '{name: a}'),
        ),
      },
    ],
  ])('is not checked if %s', async (_, files) => {
    const { objects } = await validated(files);
    expect(objects.find(({ kind }) => kind === 'NodePool')).toMatchObject({ valid: true });
  });

  test('is not checked if a file could not be read, because it may contain the class', async () => {
    for (const paths of [
      ['a.yaml', 'none.yaml'],
      ['a.yaml', 'broken.yaml'],
    ]) {
      const { objects } = await validated({ 'a.yaml': join(MISTYPED, CLASS), 'broken.yaml': 'a: b: c\n' }, paths);
      expect(objects.flatMap(({ findings }) => findings)).toEqual([]);
    }
  });
});
