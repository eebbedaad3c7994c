/** Writes `docs/parity.md` and `docs/parity`: which test holds which row of behaviour. A test compares them with what this would write. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { heldSections, parityDocuments, titlesOfProject } from './parity-table.ts';

const ROOT = join(import.meta.dirname, '../..');

mkdirSync(join(ROOT, 'docs/parity'), { recursive: true });
for (const [path, text] of parityDocuments(heldSections(ROOT, titlesOfProject(ROOT)))) {
  writeFileSync(join(ROOT, path), text);
  console.log(path);
}
