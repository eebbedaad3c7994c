import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatProblem } from '../../../lib/cli/manifests/format-problem.ts';
import { readManifests } from '../../../lib/cli/manifests/read-manifests.ts';
import { shippedFigures } from '../../../lib/cli/shipped-figures.ts';
import { nodeClassAdvice } from '../../../lib/core/advice/node-class.ts';
import { nodePoolAdvice } from '../../../lib/core/advice/node-pool.ts';
import { podDisruptionBudgetAdvice } from '../../../lib/core/advice/pod-disruption-budget.ts';
import { sentences } from './sentences.ts';

const EXAMPLES = new URL('../../../examples/', import.meta.url);
const figures = shippedFigures();

/** Snapshots have no manifests of their own. */
const folders = readdirSync(EXAMPLES).filter((folder) => folder !== 'plan');

test.each(folders)('no advice on examples/%s', (folder) => {
  const sources = readdirSync(new URL(`${folder}/`, EXAMPLES))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ file, text: readFileSync(new URL(`${folder}/${file}`, EXAMPLES), 'utf8') }));
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
