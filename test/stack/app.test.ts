import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { kerfApp } from '../../lib/stack/kerf-app.ts';
import { listAt, readJson, textAt } from './json.ts';

const folder = mkdtempSync(join(tmpdir(), 'kerf-app-'));
afterAll(() => rmSync(folder, { recursive: true }));

function contextOf(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...cdk.context, 'aws:cdk:bundling-stacks': [], ...settings };
}

test('a configuration that cannot be used is one readable line and exit code 2', () => {
  const CDK_CONTEXT_JSON = JSON.stringify(contextOf({ cluster: 'no name' }));
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], {
    env: { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^clusters\[0\]\.name is "no name": [^\n]+ \(docs\/settings\.md\)\n$/);
  expect(status).toBe(2);
});

test('a misspelt context key is one readable line and exit code 2', () => {
  const CDK_CONTEXT_JSON = JSON.stringify(contextOf({ cluster: 'demo', shaddow: 'true' }));
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], {
    env: { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(
    /^the context key shaddow is not a setting; did you mean shadow\?: [^\n]+ \(docs\/settings\.md\)\n$/,
  );
  expect(status).toBe(2);
});

test('a deploy asks before it widens permissions, unless the caller decides otherwise', () => {
  expect(cdk).not.toHaveProperty('requireApproval');
});

test.each([
  ['one cluster', { cluster: 'demo' }],
  ['several clusters', { clusters: [{ name: 'a' }, { name: 'b', endpoint: 'https://b.test' }] }],
])('nag has no finding without a written reason: %s', (_, settings) => {
  kerfApp({ outdir: folder, context: contextOf(settings) }).app.synth();
  const report = readJson(join(folder, 'validation-report.json'));
  const nag = listAt(report, 'pluginReports').find((each) => textAt(each, 'pluginName') === 'AwsSolutions');
  expect(nag).toMatchObject({ conclusion: 'success', violations: [] });
  const acknowledged = listAt(nag, 'suppressedViolations');
  const rules = new Set(acknowledged.map((each) => textAt(each, 'ruleName').replace(/\[.*/, '')));
  expect([...rules].toSorted()).toEqual(['AwsSolutions-IAM5', 'AwsSolutions-S1']);
  for (const each of acknowledged) expect(textAt(each, 'reason').length).toBeGreaterThan(40);
});
