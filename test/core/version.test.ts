import { expect, test } from 'vitest';
import { KERF_VERSION } from '../../lib/core/version.ts';
import packageJson from '../../package.json' with { type: 'json' };

test('records have the version of the package', () => expect(KERF_VERSION).toBe(packageJson.version));
