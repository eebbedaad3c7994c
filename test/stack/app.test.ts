import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { listAt, readJson, textAt } from './json.ts';

const folder = mkdtempSync(join(tmpdir(), 'kerf-app-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `bin/app.ts` as the CDK's command line does. */
async function synthesize(settings: Readonly<Record<string, unknown>>) {
  const environment = {
    ...process.env,
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify({ ...cdk.context, 'aws:cdk:bundling-stacks': [], ...settings }),
  };
  return await new Promise<{ readonly code: number; readonly stderr: string }>((resolve) => {
    const child = execFile(process.execPath, ['bin/app.ts'], { env: environment }, (_, __, stderr) =>
      resolve({ code: child.exitCode ?? -1, stderr }),
    );
  });
}

test('a configuration that cannot be used is one readable line and exit code 2', async () => {
  const { code, stderr } = await synthesize({ cluster: 'no name' });
  expect(stderr).toMatch(/^clusters\[0\]\.name is "no name": [^\n]+\n$/);
  expect(code).toBe(2);
});

test.each([
  ['one cluster', { cluster: 'demo' }],
  ['several clusters', { clusters: [{ name: 'a' }, { name: 'b', endpoint: 'https://b.test' }] }],
])('nag has no finding without a written reason: %s', async (_, settings) => {
  expect(await synthesize(settings)).toMatchObject({ code: 0 });
  const report = readJson(join(folder, 'validation-report.json'));
  const nag = listAt(report, 'pluginReports').find((each) => textAt(each, 'pluginName') === 'AwsSolutions');
  expect(nag).toMatchObject({ conclusion: 'success', violations: [] });
  const acknowledged = listAt(nag, 'suppressedViolations');
  const rules = new Set(acknowledged.map((each) => textAt(each, 'ruleName').replace(/\[.*/, '')));
  expect([...rules].toSorted()).toEqual(['AwsSolutions-IAM5', 'AwsSolutions-S1', 'AwsSolutions-SMG4']);
  for (const each of acknowledged) expect(textAt(each, 'reason').length).toBeGreaterThan(40);
});
