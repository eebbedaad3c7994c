/** Writes the tables of `docs/security.md`: who may do what. A test checks that the page is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { securityDocument } from './security-document.ts';

const PAGE = join(import.meta.dirname, '../../docs/security.md');
writeFileSync(PAGE, securityDocument(readFileSync(PAGE, 'utf8')));
console.log('docs/security.md');
