/** The queries of the dashboard read fields that the log lines have. */
import { beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { isRecord } from '../../../lib/apis/record.ts';
import { telemetryOf } from '../../../lib/operator/telemetry/telemetry.ts';
import { type LogQuery, QUERIES, queryLines } from '../../../lib/stack/monitoring/queries.ts';
import { EVENTS, live, SMALL_CATALOGUE } from '../../controllers/life.ts';
import { heard } from '../../heard.ts';

/** The fields of a line as Logs Insights names them: `actions.0.kind`. */
function fieldsOf(value: unknown, path: readonly string[] = []): readonly string[] {
  const fields = Array.isArray(value) ? Object.entries(value) : isRecord(value) ? Object.entries(value) : undefined;
  return fields?.flatMap(([key, field]) => fieldsOf(field, [...path, key])) ?? [path.join('.')];
}

/** The fields that a query reads, without those that it makes and those of Lambda. */
function readBy(query: LogQuery): readonly string[] {
  const text = queryLines(query, 'demo')
    .join('\n')
    .replaceAll(/"[^"]*"|\/[^/]*\/|as \w+/g, '');
  const words = [...text.matchAll(/`([^`]+)`|[\w@.]+/g)].map(([word, quoted]) => quoted ?? word);
  return words.filter((word) => !WORDS.has(word) && !word.startsWith('@') && !/^\d/.test(word));
}

const WORDS = new Set(
  'filter stats fields sort desc limit by bin sum max pct coalesce ispresent parse and in like refused'.split(' '),
);
/** Lines of actions that this life does not have. */
const OTHER = ['deletions', 'actionCounts'];

let lines: readonly unknown[] = [];
let known: ReadonlySet<string> = new Set();

beforeAll(async () => {
  const refused = 2;
  let launches = 0;
  const text = await heard(async () => {
    await live({
      catalogue: SMALL_CATALOGUE,
      scenario: { name: 'queries', events: EVENTS },
      durationMs: 30 * MINUTE_MS,
      telemetryOf: (name) => telemetryOf(name, 'table'),
      wrapPorts: (ports) => ({
        ...ports,
        cloud: {
          ...ports.cloud,
          launch: async (request) => {
            launches += 1;
            if (launches > refused) return ports.cloud.launch(request);
            return { kind: 'refused', missing: [], message: 'UnauthorizedOperation' };
          },
        },
      }),
    });
    telemetryOf('lifecycle').failure({ cluster: 'demo', reason: 'tick' }, new Error('no answer'));
  });
  lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  known = new Set(lines.flatMap((line) => fieldsOf(line)));
});

describe.each(Object.entries(QUERIES))('%s', (_, query: LogQuery) => {
  test('reads fields that exist', () => {
    const fields = readBy(query).filter((field) => !OTHER.some((one) => field.startsWith(`${one}.`)));
    expect(fields.filter((field) => !known.has(field))).toEqual([]);
  });
});

test.each(['node_lost', 'overprovisioned', 'initialization_timeout', 'scheduled_change'])(
  'deletions with the reason %s are in the query of deletions',
  (reason) => {
    expect(queryLines(QUERIES.deletions).join()).toContain(`\`deletions.${reason}\``);
  },
);

test('counts of actions and of deletions are fields', () => {
  for (const field of [
    'actionCounts.create-node-claim',
    'actionCounts.launch-instance',
    'deletions.empty',
    'deletions.spot_interrupted',
  ])
    expect(known).toContain(field);
  expect(readBy(QUERIES.actions)).toContain('actionCounts.create-node-claim');
});
