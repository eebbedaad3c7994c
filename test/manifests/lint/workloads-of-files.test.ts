import { expect, test } from 'vitest';
import { runKerf } from '../../cli/run-kerf.ts';

const LABELS = 'metadata: {labels: {app: web}}, ';

function budget(minAvailable: number): string {
  return `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, minAvailable: ${minAvailable}}\n`;
}

function deployment(replicas: number, labels = LABELS): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: ${replicas}, selector: {matchLabels: {app: web}}, template: {${labels}spec: {containers: [{name: web}]}}}\n`;
}

test.each<readonly [rule: string, documents: readonly string[], words: string]>([
  ['the only replica', [budget(1), deployment(1)], 'is 1, but Deployment/web has 1 replica'],
  ['every replica', [deployment(3), budget(3)], 'is 3, but Deployment/web has 3 replicas'],
  ['more than there are', [budget(5), deployment(2)], 'is 5, but Deployment/web has 2 replicas'],
  [
    'every replica of one whose template says no labels, and which selects them',
    [budget(2), deployment(2, '')],
    'is 2, but Deployment/web has 2 replicas',
  ],
])('a budget in the files of its Deployment that needs %s has a warning', async (_, documents, words) => {
  const { stdout } = await runKerf(['validate', '-f', 'a.yaml'], { 'a.yaml': documents.join('---\n') });
  expect(stdout).toContain(words);
});

test('a budget that leaves one of the replicas has none', async () => {
  const text = [budget(1), deployment(2)].join('---\n');
  expect((await runKerf(['validate', '-f', 'a.yaml'], { 'a.yaml': text })).stdout).not.toContain('warning');
});
