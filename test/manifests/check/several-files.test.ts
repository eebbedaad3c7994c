import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { DEPLOYMENT, edit, join, NODE_CLASS, NODE_POOL, POD, SCENARIO } from './texts.ts';

describe('reading several files', () => {
  test('a problem names its file, object, line and column in one line', () => {
    const { problems } = readManifests([
      { file: 'class.yaml', text: NODE_CLASS },
      { file: 'pool.yaml', text: edit(NODE_POOL, 'operator: In\n', 'operator: Inn\n') },
    ]);
    expect(problems.map(formatProblem)).toEqual([
      'pool.yaml:13:21  NodePool/default  spec.template.spec.requirements[0].operator: "Inn" is not allowed; did you mean In?; write In (one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte)',
    ]);
  });

  test('one object in two files is a problem that names the first', () => {
    const { problems } = readManifests([
      { file: 'a.yaml', text: POD },
      { file: 'b.yaml', text: POD },
    ]);
    expect(problems).toMatchObject([{ file: 'b.yaml', line: 4, field: 'metadata.name', object: 'Pod/job' }]);
  });

  test('a second Scenario is a problem', () => {
    const other = edit(
      edit(SCENARIO, 'name: busy', 'name: idle'),
      '{deployment: web, replicas: 10}',
      '{deployment: web, replicas: 1}',
    );
    const { problems } = readManifests([
      { file: 'a.yaml', text: join(SCENARIO, DEPLOYMENT, NODE_POOL, NODE_CLASS) },
      { file: 'b.yaml', text: other },
    ]);
    expect(problems).toMatchObject([
      { file: 'b.yaml', field: 'kind', message: 'is a second Scenario; the first is at a.yaml:4' },
    ]);
  });

  test('a reference to an invalid object is not a second problem', () => {
    const text = join(NODE_POOL, edit(NODE_CLASS, 'role: KarpenterNodeRole', 'role: ""'));
    expect(readManifests([{ file: 'a.yaml', text }]).problems).toHaveLength(1);
  });

  test('a file that is wrong throughout is cut after twenty problems with a count', () => {
    const text = join(
      ...Array.from({ length: 30 }, (_, index) =>
        edit(edit(POD, 'name: job', `name: job-${index}`), 'containers', 'container'),
      ),
    );
    const { problems } = readManifests([{ file: 'a.yaml', text }]);
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)?.message).toBe('10 more problems from this line on');
  });

  test('text that nests without end is a problem, not a crash', () => {
    const { problems } = readManifests([{ file: 'a.yaml', text: '['.repeat(50_000) }]);
    expect(problems).toHaveLength(1);
  });
});
