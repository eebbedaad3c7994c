import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { trackedFiles, trackedPaths } from './tracked-files.ts';

/** The rules of docs/architecture.md and CONTRIBUTING.md that no compiler knows, executed. There are no exemptions. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const tracked = trackedPaths(ROOT);

const code = trackedFiles(ROOT, /^(bin|functions|lib)\/.*\.ts$/);
const all = trackedFiles(ROOT, /^(bin|functions|lib|test|scripts|benchmarks)\/.*\.ts$/);

describe('files', () => {
  test('the top level holds what the architecture names', () => {
    const top = new Set(tracked.map((path) => path.split('/')[0]));
    const allowed = [
      '.ci',
      '.gitignore',
      '.npmrc',
      '.oxlintrc.json',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'NOTICE',
      'README.md',
      'benchmarks',
      'bin',
      'biome.json',
      'cdk.json',
      'data',
      'docs',
      'examples',
      'functions',
      'knip.json',
      'lib',
      'package-lock.json',
      'package.json',
      'scripts',
      'test',
      'tsconfig.json',
      'vitest.config.ts',
    ];
    expect([...top].filter((entry) => !allowed.includes(entry ?? ''))).toEqual([]);
  });

  test('names are kebab-case and say what is inside', () => {
    const bad = all.filter(
      ({ path }) => !/^([a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*\.ts$/.test(path),
    );
    const vague = all.filter(({ path }) => /(^|\/)(utils?|helpers?|common|misc|manager|index)\.ts$/.test(path));
    expect([...bad, ...vague].map(({ path }) => path)).toEqual([]);
  });

  test('no file that is written by hand is longer than 400 lines, no handler longer than 25', () => {
    const written = code.filter(({ path }) => !path.startsWith('lib/apis/generated/'));
    const long = written.filter(
      ({ path, text }) => text.split('\n').length - 1 > (path.startsWith('functions/') ? 25 : 400),
    );
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test('a controller fits 150 lines', () => {
    const long = code.filter(
      ({ path, text }) => path.startsWith('lib/controllers/') && text.split('\n').length - 1 > 150,
    );
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test('nothing is re-exported wholesale', () => {
    expect(code.filter(({ text }) => /^export \* /m.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('the lock file names no registry', () => {
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "(?!scripts\/)/);
  });

  test('nothing switches a check off, skips a test without a word, or leaves a note for later', () => {
    const marks =
      /oxlint-disable|eslint-disable|biome-ignore|@ts-(ignore|expect-error|nocheck)|\.only\(|\b(TODO|FIXME|XXX)\b/;
    const marked = all.filter(({ path, text }) => path !== 'test/tidy.test.ts' && marks.test(text));
    expect(marked.map(({ path }) => path)).toEqual([]);
  });
});

/** What the deployment is configured by, which the stack writes and the functions read. */
const CONFIGURATION = [
  'lib/operator/options/options.ts',
  'lib/operator/options/cluster-options.ts',
  'lib/operator/options/deploy-summary.ts',
  'lib/operator/options/node-roles.ts',
  'lib/operator/options/option-values.ts',
  'lib/operator/options/single-cluster.ts',
  'lib/operator/options/table-access.ts',
];

/** Who may import whom: docs/architecture.md's table. A layer is its folder; what is not listed is forbidden. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'lib/apis': ['lib/apis'],
  'lib/core': ['lib/core', 'lib/apis'],
  'lib/ports': ['lib/ports', 'lib/core', 'lib/apis'],
  'lib/controllers': ['lib/controllers', 'lib/ports', 'lib/core', 'lib/apis'],
  'lib/providers/aws': ['lib/providers/aws', 'lib/ports', 'lib/core', 'lib/apis'],
  'lib/providers/dynamodb': ['lib/providers/dynamodb', 'lib/ports', 'lib/core', 'lib/apis'],
  'lib/providers/kubernetes': ['lib/providers/kubernetes', 'lib/ports', 'lib/core', 'lib/apis'],
  'lib/operator': [
    'lib/operator',
    'lib/providers',
    'lib/controllers',
    'lib/snapshot',
    'lib/ports',
    'lib/core',
    'lib/apis',
  ],
  'lib/simulator': ['lib/simulator', 'lib/controllers', 'lib/ports', 'lib/core', 'lib/apis'],
  'lib/catalogue': ['lib/catalogue', 'lib/core', 'lib/apis'],
  'lib/manifests': ['lib/manifests', 'lib/catalogue', 'lib/core', 'lib/apis'],
  'lib/snapshot': ['lib/snapshot', 'lib/manifests', 'lib/core', 'lib/apis'],
  'lib/page': ['lib/page'],
  'lib/cli': [
    'lib/cli',
    'lib/page',
    'lib/snapshot',
    'lib/manifests',
    'lib/catalogue',
    'lib/simulator',
    'lib/operator',
    'lib/providers',
    'lib/controllers',
    'lib/ports',
    'lib/core',
    'lib/apis',
    'package.json',
  ],
  'lib/stack': ['lib/stack', ...CONFIGURATION],
  functions: ['lib/operator', 'lib/controllers', 'lib/apis'],
  bin: ['lib/cli', 'lib/stack', 'data/kerf-cost.json', ...CONFIGURATION],
};

const PACKAGES: Readonly<Record<string, RegExp>> = {
  'lib/apis': /^(smol-toml|@marcbachmann\/cel-js)$/,
  'lib/providers/aws': /^(node:|@aws-sdk\/client-(ec2|eks|sqs|eventbridge|iam|pricing|ssm)$|@smithy\/|@aws-sdk\/types)/,
  'lib/providers/dynamodb': /^(node:|@aws-sdk\/(client-dynamodb|client-s3|util-dynamodb)$)/,
  'lib/providers/kubernetes': /^(node:|@kubernetes\/)/,
  'lib/operator': /^(node:|@aws-sdk\/|@aws-lambda-powertools\/|aws-lambda$)/,
  'lib/catalogue': /^node:(fs|url)$/,
  'lib/manifests': /^(@marcbachmann\/cel-js$|ajv|yaml$)/,
  'lib/snapshot': /^(node:path$|ajv)/,
  'lib/cli': /^(node:|@stricli\/core$|esbuild$)/,
  'lib/stack': /^(node:|aws-cdk-lib|constructs$|cdk-nag$|esbuild$)/,
  functions: /^(aws-lambda$|@aws-lambda-powertools\/)/,
  bin: /^(node:|@stricli\/core$|aws-cdk-lib|cdk-nag$)/,
};

function layerOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((layer) => path.startsWith(`${layer}/`));
}

describe('the import table', () => {
  test.each(code.map((source) => [source.path, source] as const))('%s', (path, { text }) => {
    const layer = layerOf(path) ?? '';
    const wrong = importsOf(text).filter((specifier) => {
      if (!specifier.startsWith('.')) return PACKAGES[layer]?.test(specifier) !== true;
      const target = posix.normalize(posix.join(dirname(path), specifier));
      return MAY_IMPORT[layer]?.some((allowed) => target === allowed || target.startsWith(`${allowed}/`)) !== true;
    });
    expect(wrong).toEqual([]);
  });

  test('scheduling never imports disruption, and node-claim imports neither', () => {
    const crossing = code.filter(
      ({ path, text }) =>
        (path.startsWith('lib/core/scheduling/') && importsOf(text).some((one) => one.includes('/disruption/'))) ||
        (path.startsWith('lib/core/node-claim/') &&
          importsOf(text).some((one) => /\/(disruption|scheduling)\//.test(one))),
    );
    expect(crossing.map(({ path }) => path)).toEqual([]);
  });

  test('the environment is read in lib/operator, lib/cli and bin alone', () => {
    const readers = code.filter(
      ({ path, text }) => /\bprocess\.env\b/.test(text) && !/^(lib\/operator|lib\/cli|bin)\//.test(path),
    );
    expect(readers.map(({ path }) => path)).toEqual([]);
  });
});

/** A file that breaks a rule, and the rule that must catch it: a rule that does not load is silent otherwise. */
const PLANTED = [
  ['lib/core/a.ts', `import { x } from '../ports/x.ts';\nexport const a = x;\n`, 'no-restricted-imports'],
  ['lib/core/b.ts', `import fs from 'node:fs';\nexport const b = fs;\n`, 'no-restricted-imports'],
  ['lib/core/c.ts', `export const c = () => Date.now();\n`, 'no-restricted-globals'],
  ['lib/core/d.ts', `export const d = () => Math.random();\n`, 'no-restricted-properties'],
  [
    'lib/core/scheduling/e.ts',
    `import { x } from '../disruption/x.ts';\nexport const e = x;\n`,
    'no-restricted-imports',
  ],
  [
    'lib/core/node-claim/f.ts',
    `import { x } from '../scheduling/x.ts';\nexport const f = x;\n`,
    'no-restricted-imports',
  ],
  ['lib/apis/a.ts', `import fs from 'node:fs';\nexport const a = fs;\n`, 'no-restricted-imports'],
  ['lib/apis/g.ts', `import { x } from '../core/x.ts';\nexport const g = x;\n`, 'no-restricted-imports'],
  ['lib/controllers/h.ts', `import { x } from '@aws-sdk/client-ec2';\nexport const h = x;\n`, 'no-restricted-imports'],
  [
    'lib/controllers/run/o.ts',
    `import { x } from '../../providers/aws/x.ts';\nexport const o = x;\n`,
    'no-restricted-imports',
  ],
  [
    'lib/providers/aws/launch/p.ts',
    `import { x } from '../../dynamodb/x.ts';\nexport const p = x;\n`,
    'no-restricted-imports',
  ],
  [
    'lib/providers/kubernetes/client/q.ts',
    `import { x } from '../../aws/x.ts';\nexport const q = x;\n`,
    'no-restricted-imports',
  ],
  ['lib/manifests/read/r.ts', `import { x } from '../../cli/x.ts';\nexport const r = x;\n`, 'no-restricted-imports'],
  ['lib/catalogue/s.ts', `import { x } from '../manifests/x.ts';\nexport const s = x;\n`, 'no-restricted-imports'],
  ['lib/snapshot/t.ts', `import { x } from '../cli/x.ts';\nexport const t = x;\n`, 'no-restricted-imports'],
  ['lib/controllers/i.ts', `export const i = process.env;\n`, 'no-restricted-globals'],
  ['lib/providers/aws/j.ts', `import { x } from '../dynamodb/x.ts';\nexport const j = x;\n`, 'no-restricted-imports'],
  ['lib/snapshot/o.ts', `import { x } from '../controllers/x.ts';\nexport const o = x;\n`, 'no-restricted-imports'],
  ['lib/simulator/k.ts', `import { x } from '../providers/aws/x.ts';\nexport const k = x;\n`, 'no-restricted-imports'],
  [
    'functions/one/handler.ts',
    `import { x } from '../two/handler.ts';\nexport const l = x;\n`,
    'no-restricted-imports',
  ],
  ['lib/stack/m.ts', `import { x } from '../core/x.ts';\nexport const m = x;\n`, 'no-restricted-imports'],
  [
    'lib/core/n.ts',
    `export function n(a: string, b: string, c: string, d: string) {\n  return a + b + c + d;\n}\n`,
    'max-params',
  ],
] as const;

test('the linter catches a violation of every kind that it is to catch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-tidy-'));
  try {
    const config = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8'));
    const plain = { ...config, options: { ...config.options, typeAware: false, typeCheck: false } };
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(plain));
    for (const [path, text] of PLANTED) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'unix', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const missed = PLANTED.filter(
      ([path, , rule]) => !stdout.split('\n').some((line) => line.includes(path) && line.includes(rule)),
    );
    expect(missed.map(([path, , rule]) => `${path}: ${rule}`)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
