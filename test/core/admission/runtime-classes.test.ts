import { expect, test } from 'vitest';
import type { PodSpec, RuntimeClass } from '../../../lib/apis/kubernetes.ts';
import { admitRuntimeClass } from '../../../lib/core/admission/runtime-classes.ts';

const KATA = { effect: 'NoSchedule', key: 'kata', operator: 'Exists' } as const;
const SPOT = { key: 'spot', operator: 'Exists' } as const;

function admitted(pod: Partial<PodSpec>, given: Partial<RuntimeClass>) {
  const spec = { runtimeClassName: 'kata', containers: [], ...pod };
  return admitRuntimeClass(spec, new Map([['kata', { metadata: { name: 'kata' }, ...given }]]));
}

test.each<readonly [rule: string, pod: Partial<PodSpec>, given: Partial<RuntimeClass>, added: Partial<PodSpec>]>([
  ['adds nothing where it has nothing', { nodeSelector: { a: 'b' } }, {}, { nodeSelector: { a: 'b' } }],
  ['sets its overhead', {}, { overhead: { podFixed: { cpu: '250m' } } }, { overhead: { cpu: '250m' } }],
  [
    'accepts the same overhead, written in another way',
    { overhead: { cpu: '1' } },
    { overhead: { podFixed: { cpu: '1000m' } } },
    { overhead: { cpu: '1000m' } },
  ],
  [
    'merges its node selector',
    { nodeSelector: { a: 'b', kata: 'true' } },
    { scheduling: { nodeSelector: { kata: 'true', zone: 'z' } } },
    { nodeSelector: { a: 'b', kata: 'true', zone: 'z' } },
  ],
  [
    'merges its tolerations, each once',
    { tolerations: [SPOT, KATA] },
    { scheduling: { tolerations: [KATA, { key: 'x', operator: 'Exists' }] } },
    { tolerations: [SPOT, KATA, { key: 'x', operator: 'Exists' }] },
  ],
])('a RuntimeClass %s', (...[, pod, given, added]) => {
  const spec = { runtimeClassName: 'kata', containers: [], ...pod, ...added };
  expect(admitted(pod, given)).toEqual({ kind: 'admitted', spec });
});

test.each<readonly [rule: string, pod: Partial<PodSpec>, given: Partial<RuntimeClass>, why: string]>([
  [
    'another overhead',
    { overhead: { cpu: '2' } },
    { overhead: { podFixed: { cpu: '1' } } },
    'RuntimeClass kata has another overhead than the pod',
  ],
  [
    'another value of a node label',
    { nodeSelector: { arch: 'amd64' } },
    { scheduling: { nodeSelector: { arch: 'arm64' } } },
    'RuntimeClass kata has arch: arm64 in scheduling.nodeSelector, and the pod has amd64',
  ],
])('a pod with %s than its RuntimeClass is refused', (...[, pod, given, why]) => {
  expect(admitted(pod, given)).toEqual({ kind: 'refused', why });
});

test('a class that is not there is unknown, unless the pod already has an overhead, as in an export of a cluster', () => {
  const spec = { runtimeClassName: 'gone', containers: [] };
  expect(admitRuntimeClass(spec, new Map())).toEqual({ kind: 'unknown', name: 'gone' });
  const exported = { ...spec, overhead: { cpu: '1' } };
  expect(admitRuntimeClass(exported, new Map())).toEqual({ kind: 'admitted', spec: exported });
});

test('a pod without a RuntimeClass stays as it is', () => {
  const spec = { containers: [] };
  expect(admitRuntimeClass(spec, new Map())).toEqual({ kind: 'admitted', spec });
});
