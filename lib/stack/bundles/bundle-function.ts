/** Bundles the function of a folder: `node bundle-function.ts functions/webhook FOLDER` writes `FOLDER/index.mjs`. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { onlyUsedShapes } from './only-used-shapes.ts';
import { REQUIRE_BANNER } from './require-banner.ts';

const [folder = '', output = ''] = process.argv.slice(2);

await build({
  absWorkingDir: join(import.meta.dirname, '../../..'),
  entryPoints: [join(folder, 'handler.ts')],
  outfile: join(output, 'index.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  target: 'node24',
  minify: true,
  // In a file of its own, which is not read when the function starts.
  legalComments: 'external',
  banner: { js: REQUIRE_BANNER },
  plugins: [onlyUsedShapes()],
  logLevel: 'warning',
});
