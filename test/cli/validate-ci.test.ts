import { expect, test } from 'vitest';
import { runKerf } from './run-kerf.ts';

const POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  disruption: {consolidateAfter: 0s, budgets: [{nodes: "0"}]}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: kubernetes.io/arch, operator: in, values: [arm64]}
`;
const FILES = { './pools/a, b.yaml': POOL };

test('-o github prints an annotation for each finding, and the summary', async () => {
  const { stdout, code } = await runKerf(['validate', './pools/a, b.yaml', 'none.yaml', '-o', 'github'], FILES);
  const [unreadable, error, ...others] = stdout.split('\n');
  expect(unreadable).toBe('::error file=none.yaml,line=1::cannot be read: no such file or folder');
  expect(error).toMatch(
    /^::error file=\.\/pools\/a%2C b\.yaml,line=10,title=NodePool\/general::spec\.template\.spec\.requirements\[0\]\.operator: "in" is not allowed; did you mean In\?; write In /,
  );
  expect(others.slice(0, -1)).toEqual(['1 object, 1 invalid, 1 read error']);
  expect(code).toBe(1);
});

test('a percent sign and a line break in a message cannot end an annotation', async () => {
  const text = POOL.replace('operator: in', 'operator: "100%\\n::error::x"');
  const { stdout } = await runKerf(['validate', 'a.yaml', '-o', 'github'], { 'a.yaml': text });
  expect(stdout.split('\n').filter((line) => line.startsWith('::'))).toHaveLength(1);
  expect(stdout).toContain('100%25');
});

test('-o sarif prints a log of SARIF 2.1.0 with the place and the rule of each finding', async () => {
  const { stdout, code } = await runKerf(['validate', './pools/a, b.yaml', 'none.yaml', '-o', 'sarif'], FILES);
  const log: unknown = JSON.parse(stdout);
  expect(log).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'kerf validate', rules: [{ id: 'unreadable' }, { id: 'invalid' }, { id: 'unintended' }] },
        },
        results: [
          {
            ruleId: 'unreadable',
            level: 'error',
            locations: [{ physicalLocation: { artifactLocation: { uri: 'none.yaml' }, region: { startLine: 1 } } }],
          },
          {
            ruleId: 'invalid',
            level: 'error',
            message: { text: expect.stringMatching(/^NodePool\/general: spec\..*"in" is not allowed/) },
            locations: [
              {
                physicalLocation: { artifactLocation: { uri: 'pools/a%2C%20b.yaml' }, region: { startLine: 10 } },
                logicalLocations: [
                  { fullyQualifiedName: 'NodePool/general spec.template.spec.requirements[0].operator' },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  expect(code).toBe(1);
});

test('warnings have their own level and rule', async () => {
  const text = POOL.replace('operator: in', 'operator: In');
  const { stdout, code } = await runKerf(['validate', 'a.yaml', '-o', 'sarif'], { 'a.yaml': text });
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ results: [{ ruleId: 'unintended', level: 'warning' }] }] });
  expect(code).toBe(0);
});

test('without findings, SARIF has no results, so that earlier ones are closed', async () => {
  const text = POOL.replace('operator: in', 'operator: In').replace(', budgets: [{nodes: "0"}]', '');
  const { stdout } = await runKerf(['validate', 'a.yaml', '-o', 'sarif'], { 'a.yaml': text });
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ results: [] }] });
});
