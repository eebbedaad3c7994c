/** Writes `docs/commands.md`: the help of every command. A test checks that the page is up to date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsDocument } from './commands-document.ts';

writeFileSync(join(import.meta.dirname, '../../docs/commands.md'), commandsDocument());
console.log('docs/commands.md');
