/**
 * Builds the command line to JavaScript for Node.js 20.12 and newer into `dist`, with the packages that it uses and their licenses.
 * `npm pack` runs this script.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as bundle, type Metafile, type Plugin } from 'esbuild';
import { isRecord } from '../../lib/apis/record.ts';
import { pageAssets } from '../../lib/cli/live/page-assets.ts';
import { onlyUsedShapes } from '../../lib/stack/bundles/only-used-shapes.ts';
import { REQUIRE_BANNER } from '../../lib/stack/bundles/require-banner.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');

/** The package reads its data two folders above its modules, as the sources do. */
const MODULES = join(DIST, 'cli');

rmSync(DIST, { recursive: true, force: true });
const { metafile } = await bundle({
  absWorkingDir: ROOT,
  entryPoints: ['lib/cli/main.ts', 'scripts/package/missing-in-node-20.ts'],
  entryNames: '[name]',
  outdir: MODULES,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  target: 'node20.12',
  minify: true,
  // Messages name the classes of errors.
  keepNames: true,
  legalComments: 'none',
  banner: { js: REQUIRE_BANNER },
  alias: { undici: './scripts/package/no-undici.ts' },
  // The package has the built page, and does not build it.
  external: ['esbuild'],
  plugins: [onlyWhatIsUsed('@kubernetes/client-node'), onlyUsedShapes()],
  metafile: true,
});
writeFileSync(join(DIST, 'LICENSES.txt'), licensesOf(metafile));
const page = await pageAssets();
mkdirSync(join(DIST, 'page'));
writeFileSync(join(DIST, 'page/main.js'), page.script);
writeFileSync(join(DIST, 'page/page.css'), page.style);

/** Leaves out the modules of a package that nothing uses, although it does not declare that they have no side effects. */
function onlyWhatIsUsed(name: string): Plugin {
  return {
    name: 'only-what-is-used',
    setup(build) {
      build.onResolve({ filter: /^[.@]/ }, async ({ path, pluginData, ...options }) => {
        const concerned = path === name || options.importer.includes(`/node_modules/${name}/`);
        if (pluginData === 'resolved' || !concerned) return undefined;
        const found = await build.resolve(path, { ...options, pluginData: 'resolved' });
        return { ...found, sideEffects: false };
      });
    },
  };
}

/** The licenses of the packages in the bundle. */
function licensesOf({ outputs }: Metafile): string {
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const folders = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const byText = Map.groupBy([...folders].toSorted(), licenseIn);
  return [...byText]
    .map(([text, those]) => `${those.map(nameIn).join('\n')}\n\n${text.trim()}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseIn(folder: string): string {
  const files = readdirSync(join(ROOT, folder)).filter((name) => /^(?:licen[cs]e|notice)/i.test(name));
  if (files.length === 0) return `License: ${String(manifestIn(folder)['license'])}`;
  return files.map((file) => readFileSync(join(ROOT, folder, file), 'utf8')).join('\n');
}

function nameIn(folder: string): string {
  const { name, version } = manifestIn(folder);
  return `${String(name)} ${String(version)}`;
}

function manifestIn(folder: string): Readonly<Record<string, unknown>> {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  return isRecord(manifest) ? manifest : {};
}
