import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import { nodeClassAdvice } from '../../../lib/manifests/lint/node-class.ts';
import { nodePoolAdvice } from '../../../lib/manifests/lint/node-pool.ts';
import { podDisruptionBudgetAdvice } from '../../../lib/manifests/lint/pod-disruption-budget.ts';
import { shippedFigures } from '../../../lib/manifests/lint/values/shipped-figures.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { sentences } from './sentences.ts';

const EXAMPLES = new URL('../../../examples/', import.meta.url);
const figures = shippedFigures();

/** Snapshots and workflows have no manifests of their own. */
const folders = readdirSync(EXAMPLES).filter((folder) => !['plan', 'ci'].includes(folder));

/** The files of a folder that are used together: two of `office` are alternatives. */
const sets = folders.flatMap((folder) => {
  const files = readdirSync(new URL(`${folder}/`, EXAMPLES)).filter((file) => file.endsWith('.yaml'));
  const without = (left: string) => ({ folder, files: files.filter((file) => file !== left) });
  return folder === 'office' ? [without('always-on.yaml'), without('scale-to-zero.yaml')] : [{ folder, files }];
});

test.each(sets)('no advice on examples/$folder: $files', ({ folder, files }) => {
  const sources = files.map((file) => ({ file, text: readFileSync(new URL(`${folder}/${file}`, EXAMPLES), 'utf8') }));
  const { manifests, problems } = readManifests(sources);
  expect(problems.map(formatProblem)).toEqual([]);
  expect(manifests.nodePools.length).toBeGreaterThan(0);
  const workloads = manifests.deployments.map((one) => ({ ...one, kind: 'Deployment' }));
  const advice = [
    ...manifests.nodePools.flatMap((nodePool) => nodePoolAdvice(nodePool, figures)),
    ...manifests.nodeClasses.flatMap(nodeClassAdvice),
    ...manifests.podDisruptionBudgets.flatMap((budget) => podDisruptionBudgetAdvice(budget, workloads)),
  ];
  expect(sentences(advice)).toEqual([]);
});
