import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CUSTOM_RESOURCES } from '../../../lib/apis/custom-resources.ts';
import { isRecord } from '../../../lib/apis/record.ts';
import { edit, NODE_CLASS, NODE_POOL, SCENARIO } from '../../manifests/check/texts.ts';
import { runKerf } from '../run-kerf.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

async function checker(...kind: readonly string[]): Promise<(manifest: unknown) => readonly string[]> {
  const { stdout, code } = await runKerf(['schema', ...kind]);
  expect(code).toBe(0);
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  const schema: unknown = JSON.parse(stdout);
  if (!isRecord(schema)) throw new TypeError('the schema is not an object');
  const validate = ajv.compile(schema);
  return (manifest) => {
    validate(manifest);
    return (validate.errors ?? [])
      .filter(({ keyword }) => keyword !== 'if')
      .map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

test.each([...CUSTOM_RESOURCES.map(({ kind }) => kind), 'Scenario'])('%s has a schema', async (kind) => {
  expect(JSON.parse((await runKerf(['schema', kind])).stdout)).toMatchObject({
    title: kind,
    additionalProperties: false,
  });
});

test.each([
  ['EC2NodeClass', NODE_CLASS],
  ['NodePool', NODE_POOL],
  ['Scenario', SCENARIO],
])('a valid %s meets its schema, and that of all kinds', async (kind, text) => {
  expect((await checker(kind))(parse(text))).toEqual([]);
  expect((await checker())(parse(text))).toEqual([]);
});

test('the manifests of all examples meet the schema of all kinds', async () => {
  const check = await checker();
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!v1alpha5.*)\.yaml$/.test(file),
  );
  const documents = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(EXAMPLES, file), 'utf8')).map((document): unknown => document.toJS()),
  );
  expect(documents.length).toBeGreaterThan(10);
  expect(documents.flatMap(check)).toEqual([]);
});

test.each([
  [
    'an unknown field',
    'nodeClassRef:',
    'nodeClasRef:',
    "/spec/template/spec must have required property 'nodeClassRef'",
  ],
  ['a value that is not allowed', 'operator: In', 'operator: IN', 'must be equal to one of the allowed values'],
])('%s is an error of both schemas', async (_, from, ...[to, message]) => {
  const manifest: unknown = parse(edit(NODE_POOL, from, to));
  for (const check of [await checker('NodePool'), await checker()])
    expect(check(manifest)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
});

test('the schema of all kinds accepts any other kind', async () => {
  expect((await checker())({ apiVersion: 'v1', kind: 'Service', spec: 7 })).toEqual([]);
});

test('a kind is found without regard to case, and a misspelt one is suggested', async () => {
  expect((await runKerf(['schema', 'nodepool'])).stdout).toBe((await runKerf(['schema', 'NodePool'])).stdout);
  const { stderr, code } = await runKerf(['schema', 'NodePol']);
  expect({ stderr, code }).toEqual({
    stderr:
      'there is no schema of "NodePol": did you mean NodePool? write one of NodePool, NodeClaim, NodeOverlay, EC2NodeClass, CapacityBuffer, Scenario\n',
    code: 2,
  });
});
