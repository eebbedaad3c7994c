/** What Kerf reports against its documents: every alarm, problem, metric, event, condition and log message, and nothing else. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOG_MESSAGES } from '../lib/controllers/run/telemetry.ts';
import { CONDITIONS } from '../lib/core/model/conditions.ts';
import { EVENT_REASONS } from '../lib/core/model/event.ts';
import { NODE_CLASS_CONDITIONS } from '../lib/core/node-class/status/conditions.ts';
import { METRIC_MEANINGS, METRICS } from '../lib/operator/options/options.ts';
import { ALARMS } from '../lib/stack/monitoring/alarms.ts';
import { QUERIES } from '../lib/stack/monitoring/queries.ts';
import { RUNBOOK_SECTIONS, signalsDocument } from '../scripts/generate/signals-document.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNBOOK = read('docs/runbook.md');
const OPERATIONS = read('docs/operations.md');
/** Where the tables are. */
const TABLES = ['lib/controllers/run/telemetry.ts', 'lib/core/model/conditions.ts', 'lib/core/model/event.ts'];
const CODE = [...globSync('lib/**/*.ts', { cwd: ROOT }), ...globSync('functions/**/*.ts', { cwd: ROOT })]
  .filter((path) => !TABLES.includes(path) && !path.startsWith('lib/simulator') && !path.startsWith('lib/cli'))
  .map(read)
  .join('\n');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The names in the first column of the table with this head. */
function namesIn(page: string, head: string): readonly string[] {
  const table = page.slice(page.indexOf(head)).split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/[`[]([A-Za-z_]+)[`\]]/g)].map(([, name = '']) => name));
}

test('docs/signals.md is current: `npm run generate` writes it', () => {
  expect(read('docs/signals.md')).toBe(signalsDocument());
});

describe('the runbook', () => {
  test('has a section for each alarm and each problem, and for nothing else', () => {
    const sections = [...RUNBOOK.matchAll(/^## ([A-Za-z]+)$/gm)].map(([, name = '']) => name);
    expect(sections.toSorted()).toEqual(RUNBOOK_SECTIONS.toSorted());
  });

  test.each(RUNBOOK_SECTIONS)('says of %s what it means, what to look at and what to do', (name) => {
    const section = RUNBOOK.slice(RUNBOOK.indexOf(`\n## ${name}\n`) + 1).split(/\n##? /)[0] ?? '';
    const parts = ['**Meaning.**', '**Look at**', '**Do'].map((part) => section.indexOf(part));
    expect(parts.every((at) => at > 0)).toBe(true);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
  });

  test('and the other documents name only log messages that exist', () => {
    const documents = globSync('docs/*.md', { cwd: ROOT }).map(read).join('\n');
    const named = [...documents.matchAll(/message = "([^"]+)"|line `([^`]+)`/g)].map(([, one, other]) => one ?? other);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((message = '') => !Object.hasOwn(LOG_MESSAGES, message))).toEqual([]);
  });

  test('names only commands of kerf that exist', () => {
    const named = [...RUNBOOK.matchAll(/kerf -- ([a-z-]+)|`kerf ([a-z-]+)/g)].map(
      ([, one, other]) => one ?? other ?? '',
    );
    expect(named.length).toBeGreaterThan(5);
    const app = read('lib/cli/app.ts');
    expect(named.filter((command) => !new RegExp(`^ +'?${command}'?[:,]`, 'm').test(app))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  test('has a row for each metric', () => {
    const names = Object.entries(METRICS).flatMap(([key, name]) => (key === 'namespace' ? [] : [name]));
    expect(namesIn(OPERATIONS, '| metric | dimension').toSorted()).toEqual(names.toSorted());
    expect(Object.keys(METRIC_MEANINGS)).toHaveLength(names.length);
  });

  test('has a row for each alarm', () => {
    expect(namesIn(OPERATIONS, '| alarm | reads').toSorted()).toEqual(Object.keys(ALARMS).toSorted());
  });
});

describe('docs/karpenter-metrics.md', () => {
  const page = read('docs/karpenter-metrics.md');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

  test('names each saved query, and only those that exist', () => {
    const named = new Set([...page.matchAll(/query \*([^*]+)\*/g)].map(([, title = '']) => title));
    expect([...named].toSorted()).toEqual(
      Object.values(QUERIES)
        .map(({ title }) => title)
        .toSorted(),
    );
  });

  test('names the metrics with the names of Karpenter, and only those that exist', () => {
    const named = rows.flatMap((row) => [...row.matchAll(/metric `([^`]+)`/g)].map(([, name = '']) => name));
    const paid = Object.values(METRICS).filter((name) => name.startsWith('karpenter_'));
    expect(named.toSorted()).toEqual(paid.toSorted());
  });

  test('has each metric once, with its place', () => {
    const metrics = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([a-z_*]+)`/g)].map(([, one]) => one),
    );
    expect(metrics.length).toBeGreaterThan(60);
    expect(new Set(metrics).size).toBe(metrics.length);
    for (const row of rows) expect(row.split('|')[2]?.trim()).toMatch(/^(metric|query|not there|Kubernetes|AWS\/)/);
  });
});

// The types allow no other names in lib.
describe('every name of a table is used in lib', () => {
  test.each([
    ['log message', Object.keys(LOG_MESSAGES)],
    ['reason of an event', Object.keys(EVENT_REASONS)],
    ['condition', Object.values(CONDITIONS).flatMap((conditions) => Object.keys(conditions))],
  ])('%s', (_, names) => {
    expect(names.filter((name) => !CODE.includes(`'${name}'`) && !CODE.includes(`${name}: `))).toEqual([]);
  });

  test('the conditions of an EC2NodeClass', () => {
    expect(Object.keys(CONDITIONS.EC2NodeClass)).toEqual(NODE_CLASS_CONDITIONS);
  });
});
