/** Writes `docs/scenario.md`: the fields of the kind Scenario. A test checks that the page is up to date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarioDocument } from './scenario-document.ts';

writeFileSync(join(import.meta.dirname, '../../docs/scenario.md'), scenarioDocument());
console.log('docs/scenario.md');
