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

test.each(['lib/apis/generated', 'data/crds'])('%s contains no other files', (folder) => {
  const expected = [...files.keys()]
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length + 1));
  expect(readdirSync(join(ROOT, folder)).toSorted()).toEqual(expected.toSorted());
});
