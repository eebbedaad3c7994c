import {
  loadYaml,
  type V1DaemonSet,
  type V1Deployment,
  type V1Node,
  type V1Pod,
  type V1PodDisruptionBudget,
} from '@kubernetes/client-node';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Condition, DaemonSet, Deployment, Node, Pod, PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import { fieldsOf, podOf } from '../../lib/providers/kubernetes/project/project.ts';

/**
 * A type by the names and kinds of its fields alone. client-node has dates where the wire has text, `string` for every
 * closed list of words, and hardly a required field; none of that is what this test is about.
 */
type Outline<T> = T extends Date | string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Outline<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]-?: Outline<NonNullable<T[Key]>> }
      : T;

/** Our one Condition serves every kind; a node's conditions alone have no `observedGeneration`. */
type NodeAsServed = Omit<Node, 'status'> & {
  readonly status: Omit<NonNullable<Node['status']>, 'conditions'> & {
    readonly conditions: readonly Omit<Condition, 'observedGeneration'>[];
  };
};

describe('the types match the Kubernetes API', () => {
  test('every field of Kerf’s types has the same name and kind in client-node (tsc checks it)', () => {
    expectTypeOf<Outline<V1Pod>>().toExtend<Outline<Pod>>();
    expectTypeOf<Outline<V1Node>>().toExtend<Outline<NodeAsServed>>();
    expectTypeOf<Outline<V1Deployment>>().toExtend<Outline<Deployment>>();
    expectTypeOf<Outline<V1DaemonSet>>().toExtend<Outline<DaemonSet>>();
    expectTypeOf<Outline<V1PodDisruptionBudget>>().toExtend<Outline<PodDisruptionBudget>>();
  });

  test('the comparison finds a misspelled field and a field of another kind', () => {
    expectTypeOf<Outline<V1Pod>>().not.toExtend<Outline<{ readonly spec: { readonly nodename: string } }>>();
    expectTypeOf<Outline<V1Pod>>().not.toExtend<Outline<{ readonly spec: { readonly priority: string } }>>();
  });

  test('a pod that client-node has read and written is unchanged', () => {
    const yaml = `
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: default
  uid: uid-1
  creationTimestamp: "2026-01-31T08:00:00Z"
spec:
  nodeName: node-1
  tolerations: [{ key: team, operator: Exists, effect: NoSchedule }]
  containers:
    - name: main
      image: nginx
      resources: { requests: { cpu: 500m, memory: 1Gi } }
status:
  phase: Running
`;
    const throughClientNode: unknown = JSON.parse(JSON.stringify(loadYaml<V1Pod>(yaml)));
    expect(podOf(fieldsOf(throughClientNode))).toEqual({
      metadata: {
        name: 'web-1',
        namespace: 'default',
        uid: 'uid-1',
        creationTimestamp: expectedTime(throughClientNode),
      },
      spec: {
        nodeName: 'node-1',
        tolerations: [{ key: 'team', operator: 'Exists', effect: 'NoSchedule' }],
        containers: [{ name: 'main', resources: { requests: { cpu: '500m', memory: '1Gi' } } }],
      },
      status: { phase: 'Running' },
    });
  });
});

/** The same instant: client-node writes milliseconds, the API server does not. */
function expectedTime(object: unknown): unknown {
  const time = fieldsOf(fieldsOf(object)['metadata'])['creationTimestamp'];
  expect(Date.parse(String(time))).toBe(Date.parse('2026-01-31T08:00:00Z'));
  return time;
}
