/**
 * Bundles the function of a folder: `node bundle-function.ts functions/webhook FOLDER` writes `FOLDER/index.mjs`, and beside it what the
 * function reads only when it needs it, such as the S3 client.
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import { onlyUsedShapes } from './only-used-shapes.ts';
import { REQUIRE_BANNER } from './require-banner.ts';

const [folder = '', output = ''] = process.argv.slice(2);

await build({
  absWorkingDir: join(import.meta.dirname, '../../..'),
  entryPoints: [{ in: join(folder, 'handler.ts'), out: 'index' }],
  outdir: output,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  target: 'node24',
  minify: true,
  // In files of their own, which are not read when the function starts.
  legalComments: 'external',
  banner: { js: REQUIRE_BANNER },
  plugins: [onlyUsedShapes()],
  logLevel: 'warning',
});
