/** Writes `docs/parity.md`: which test holds which row of Karpenter's scheduling. A test holds the page to what this would write. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { heldRows, parityDocument, titlesOfProject } from './parity-table.ts';

const ROOT = join(import.meta.dirname, '..');

const titles = titlesOfProject(ROOT);
writeFileSync(join(ROOT, 'docs/parity.md'), parityDocument(titles));
console.log('docs/parity.md');
const open = heldRows(titles).filter(({ tests, notHeld }) => tests.length === 0 && notHeld === undefined);
if (open.length > 0) console.log(`rows without a test: ${open.map(({ row }) => row).join(', ')}`);
