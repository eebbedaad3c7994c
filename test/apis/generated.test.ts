import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { generatedFiles } from '../../scripts/generate/generated-apis.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = await generatedFiles();

test.each([...files])('%s is generated from the schemas by `npm run generate`', (path, text) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
});

test.each(['lib/apis/generated', 'data/crds', 'data/schemas'])('%s contains no other files', (folder) => {
  const expected = [...files.keys()]
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length + 1));
  const found = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  expect(found.filter((file) => /\.(?:ts|yaml|json)$/.test(file)).toSorted()).toEqual(expected.toSorted());
});
