import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCENARIO } from '../lib/apis/schemas/scenario.ts';
import type { Schema } from '../lib/apis/schemas/schema.ts';
import { formatProblem } from '../lib/manifests/explain/format-problem.ts';
import { readManifests } from '../lib/manifests/read/read-manifests.ts';
import { SCENARIO_EXAMPLE, scenarioDocument } from '../scripts/generate/scenario-document.ts';
import { DEPLOYMENT, edit, join as joined, NODE_CLASS, NODE_POOL } from './manifests/check/texts.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../docs/scenario.md'), 'utf8');

test('docs/scenario.md is current: `npm run generate` writes it', () => {
  expect(PAGE).toBe(scenarioDocument());
});

test('its example is valid', () => {
  const cluster = joined(
    edit(NODE_POOL, '  name: default\n', '  name: general\n'),
    NODE_CLASS,
    edit(DEPLOYMENT, '  name: web\n', '  name: web\n  namespace: shop\n'),
  );
  const sources = [
    { file: 'scenario.yaml', text: readFileSync(SCENARIO_EXAMPLE, 'utf8') },
    { file: 'cluster.yaml', text: cluster },
  ];
  const { problems, manifests } = readManifests(sources);
  expect(problems.map(formatProblem)).toEqual([]);
  expect(manifests.scenarios).toHaveLength(1);
});

test('its links lead to headings', () => {
  const anchors = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...PAGE.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = '']) => anchor);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
});

describe('each field has a description that ends with a full stop', () => {
  test.each(fieldsOf('spec', SCENARIO.properties?.['spec'] ?? {}))('%s', (_, description) => {
    expect(description).toMatch(/\.$/);
  });
});

function fieldsOf(path: string, schema: Schema): readonly (readonly [string, string])[] {
  const inner = schema.items ?? schema;
  if (inner.tsType === 'PodTemplate') return [];
  return Object.entries(inner.properties ?? {}).flatMap(([name, field]) => [
    [`${path}.${name}`, field.description ?? ''] as const,
    ...fieldsOf(`${path}.${name}`, field),
  ]);
}
