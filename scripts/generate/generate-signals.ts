/** Writes `docs/signals.md`. A test checks that the page is up to date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signalsDocument } from './signals-document.ts';

writeFileSync(join(import.meta.dirname, '../../docs/signals.md'), signalsDocument());
console.log('docs/signals.md');
