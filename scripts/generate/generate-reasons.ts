/** Writes `docs/reasons.md`: every reason for a refusal. A test checks that the page is up to date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonsDocument } from './reasons-document.ts';

writeFileSync(join(import.meta.dirname, '../../docs/reasons.md'), reasonsDocument());
console.log('docs/reasons.md');
