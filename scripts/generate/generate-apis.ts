/**
 * Generates files from the schemas in `lib/apis/schemas`: the TypeScript types in `lib/apis/generated` and the CRDs in
 * `data/crds`. A test checks that both are up to date.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles } from './generated-apis.ts';

const ROOT = join(import.meta.dirname, '../..');

for (const [path, text] of await generatedFiles()) {
  mkdirSync(join(ROOT, dirname(path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
  console.log(path);
}
