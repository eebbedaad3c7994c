import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageAssets } from './page-html.ts';

/** The package has the script and the style of the page beside its modules. */
const BUILT = join(import.meta.dirname, '../page');
const SOURCES = join(import.meta.dirname, '../../page');

/** The script and the style of the page: those of the package, or built from the sources. */
export async function pageAssets(): Promise<PageAssets> {
  if (existsSync(join(BUILT, 'main.js')))
    return {
      script: readFileSync(join(BUILT, 'main.js'), 'utf8'),
      style: readFileSync(join(BUILT, 'page.css'), 'utf8'),
    };
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, 'browser/main.ts'), join(SOURCES, 'page.css')],
    outdir: SOURCES,
    bundle: true,
    minify: true,
    target: 'es2022',
    format: 'iife',
    legalComments: 'none',
    write: false,
  });
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}
