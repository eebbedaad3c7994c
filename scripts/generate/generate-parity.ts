/** Generates `docs/parity.md` and `docs/parity`: the tests of each row of behaviour. A test checks that they are up to date. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { heldSections, parityDocuments, titlesOfProject } from './parity-table.ts';

const ROOT = join(import.meta.dirname, '../..');

mkdirSync(join(ROOT, 'docs/parity'), { recursive: true });
for (const [path, text] of parityDocuments(heldSections(ROOT, titlesOfProject(ROOT)))) {
  writeFileSync(join(ROOT, path), text);
  console.log(path);
}
