import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandsDocument } from '../scripts/generate/commands-document.ts';

test('docs/commands.md is current: `npm run generate` writes it', () => {
  expect(readFileSync(join(import.meta.dirname, '../docs/commands.md'), 'utf8')).toBe(commandsDocument());
});
