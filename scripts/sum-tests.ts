/**
 * Adds up vitest's JSON reports: `node scripts/sum-tests.ts [--failed-step STEP]… STEP=REPORT…`. Names what was skipped and
 * what failed, and ends with one plain line, `N passed, N failed`. A failed step of which no test failed, a file that could
 * not be loaded and a report that is missing count as failures: silence is not success.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';

interface Sum {
  passed: number;
  readonly failed: string[];
  readonly skipped: string[];
}

const { values, positionals } = parseArgs({
  options: { 'failed-step': { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const failedSteps = new Set(values['failed-step']);
const sum: Sum = { passed: 0, failed: [], skipped: [] };
for (const positional of positionals) {
  const [step = '', file = ''] = positional.split('=');
  const before = sum.failed.length;
  addReport(file);
  if (sum.failed.length > before) failedSteps.delete(step);
}
sum.failed.push(...failedSteps);

if (sum.skipped.length > 0) console.log(`skipped:\n${sum.skipped.map((line) => `  ${line}`).join('\n')}`);
if (sum.failed.length > 0) console.log(`failed:\n${sum.failed.map((line) => `  ${line}`).join('\n')}`);
console.log(`${sum.passed} passed, ${sum.failed.length} failed`);
process.exitCode = sum.failed.length === 0 ? 0 : 1;

function addReport(file: string): void {
  let report: unknown;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    sum.failed.push(`no report ${file}: its vitest did not come to an end`);
    return;
  }
  const files = list(field(report, 'testResults'));
  if (files.length === 0) sum.failed.push(`report ${file} has no tests`);
  for (const each of files) addFile(each);
}

function addFile(file: unknown): void {
  const name = relative(process.cwd(), text(field(file, 'name')));
  const tests = list(field(file, 'assertionResults'));
  for (const test of tests) {
    const title = `${name}: ${text(field(test, 'fullName'))}`;
    const status = field(test, 'status');
    if (status === 'passed') sum.passed += 1;
    else if (status === 'failed') sum.failed.push(title);
    else sum.skipped.push(title);
  }
  const explained = tests.some((test) => field(test, 'status') === 'failed');
  if (field(file, 'status') === 'failed' && !explained) sum.failed.push(`${name}: ${text(field(file, 'message'))}`);
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
