import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { POD_ANNOTATIONS } from '../../../lib/core/cluster/pod-annotations.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIB = globSync('lib/**/*.ts', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
const CONSTANTS = new Map(
  LIB.flatMap((text) => [...text.matchAll(/const ([A-Z_]+)\s*=\s*'([^']+)';/g)]).map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** The keys that the code takes from annotations of any object: `annotations[KEY]`, or `const { [KEY]: … } = … annotations`. */
function keysRead(): ReadonlySet<string> {
  const names = LIB.flatMap((text) => [
    ...[...text.matchAll(/annotations(?:\?\.)?\[([A-Z_]+|'[^']+')\]/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/const \{([^{}]*)\} = [^;]*annotations\b/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/\[([A-Z_]+)\]:/g)].map(([, name = '']) => name),
    ),
  ]);
  return new Set(names.map((name) => CONSTANTS.get(name) ?? name.replaceAll("'", '')));
}

/** Read from other kinds, or from pods that exist only in a simulation. */
const OF_OTHERS: readonly string[] = [
  'helm.sh/hook',
  'karpenter.k8s.aws/ec2nodeclass-hash',
  'karpenter.k8s.aws/ec2nodeclass-hash-version',
  'karpenter.k8s.aws/tagged',
  'karpenter.sh/nodeclaim-min-values-relaxed',
  'karpenter.sh/nodeclaim-termination-timestamp',
  'karpenter.sh/nodepool-hash-version',
  'karpenter.sh/price-overlay-applied',
  'kerf.dev/budget-time-zone',
  'kerf.dev/decision',
  'kerf.dev/disruption-cool-down',
  'kerf.dev/failed-probes',
  'kerf.dev/graceful-expiration',
  'kerf.dev/last-failed-probe',
  'kerf.dev/max-evictions-per-hour',
  'kerf.dev/max-price-factor',
  'kerf.dev/minimum-saving',
  'kerf.dev/simulated-workload',
  'pv.kubernetes.io/bind-completed',
  'storageclass.kubernetes.io/is-default-class',
  'volume.kubernetes.io/selected-node',
];

test('every annotation that the code reads is kept when a pod is read, or is one of another kind', () => {
  expect([...keysRead()].filter((key) => !POD_ANNOTATIONS.has(key) && !OF_OTHERS.includes(key))).toEqual([]);
});

test('every annotation that is kept of pods is read', () => {
  expect([...POD_ANNOTATIONS].filter((key) => !keysRead().has(key))).toEqual([]);
});

test('every annotation of another kind is read', () => {
  expect(OF_OTHERS.filter((key) => !keysRead().has(key))).toEqual([]);
});
