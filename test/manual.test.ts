import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { BELOW, PARTS } from '../docs/.vitepress/pages.ts';
import { leavesManual } from '../docs/.vitepress/source-links.ts';
import { app } from '../lib/cli/app.ts';
import { configuredClusters } from '../lib/stack/configuration.ts';
import { checkContextKeys } from '../lib/stack/context-keys.ts';
import packageJson from '../package.json' with { type: 'json' };
import { runKerf } from './cli/run-kerf.ts';
import { type CodeBlock, codeBlocksOf, commandsOf } from './manual/code-blocks.ts';
import { trackedFiles } from './tracked-files.ts';

/** The manual: its pages, and every code block of the documents. `npm run manual` builds it. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const documents = trackedFiles(ROOT, /^(?:docs\/.*|README|CONTRIBUTING)\.?(?:md)?$/).filter(({ path }) =>
  path.endsWith('.md'),
);
const blocks = documents.flatMap(({ path, text }) => codeBlocksOf(text).map((block) => ({ path, ...block })));
type Found = CodeBlock & { readonly path: string };

function place({ path, line }: Found): string {
  return `${path}:${line}`;
}

describe('the pages', () => {
  test('every document is one page of the manual', () => {
    const links = [...PARTS.flatMap(({ items }) => items.map(({ link }) => link)), ...BELOW];
    const pages = documents.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(links.map((link) => `docs${link === '/' ? '/index' : link}.md`).toSorted()).toEqual(pages.toSorted());
  });

  test('a link to a page or a picture stays a link, and one to a source file becomes its name', () => {
    expect(leavesManual('settings.md#zero-nodes', 'concepts.md')).toBe(false);
    expect(leavesManual('pictures/top.svg', 'index.md')).toBe(false);
    expect(leavesManual('../behaviour.md', 'behaviour/a-apis.md')).toBe(false);
    expect(leavesManual('../README.md', 'cost.md')).toBe(true);
    expect(leavesManual('../examples/office/week.yaml', 'cost.md')).toBe(true);
    expect(leavesManual('../../test/core/a.test.ts', 'parity/a-apis.md')).toBe(true);
    expect(leavesManual('https://kubernetes.io', 'cost.md')).toBe(false);
  });

  test.each(['migration', 'from-cluster-autoscaler', 'from-auto-mode', 'start-cluster'])(
    'each step of %s has what undoes it',
    (name) => {
      const text = documents.find(({ path }) => path === `docs/${name}.md`)?.text ?? '';
      const [, rows = ''] = /^\| step \|.*\bundo \|\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(text) ?? [];
      const steps = rows
        .trim()
        .split('\n')
        .map((row) =>
          row
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        );
      expect(steps.length).toBeGreaterThanOrEqual(5);
      expect(steps.filter((cells) => cells.some((cell) => cell === ''))).toEqual([]);
    },
  );
});

const LANGUAGES = ['', 'sh', 'console', 'yaml', 'json', 'text'];

describe('every code block', () => {
  test('has a language that is checked', () => {
    expect(blocks.filter(({ language }) => !LANGUAGES.includes(language)).map(place)).toEqual([]);
  });

  test('of YAML has valid manifests', async () => {
    for (const block of blocks.filter(({ language }) => language === 'yaml')) {
      expect(
        parseAllDocuments(block.text).flatMap(({ errors }) => errors),
        place(block),
      ).toEqual([]);
      if (!/^kind: (?:NodePool|EC2NodeClass|Scenario|NodeOverlay|CapacityBuffer)$/m.test(block.text)) continue;
      const { stdout, code } = await runKerf(['validate', 'a.yaml'], { 'a.yaml': block.text });
      expect({ code, stdout }, place(block)).toMatchObject({ code: 0 });
    }
  });

  test('of JSON is JSON, and its settings are those of a cluster', () => {
    for (const block of blocks.filter(({ language, text }) => language === 'json' || /^\{[\s\S]*\}$/.test(text)))
      expect(() => checkSettings(block.text), place(block)).not.toThrow();
  });
});

/** *Errors:* OptionError if a block has the context of `cdk.json` and it cannot be used. */
function checkSettings(text: string): void {
  const { context }: { readonly context?: Readonly<Record<string, unknown>> } = parse(text);
  if (context === undefined) return;
  checkContextKeys(context);
  configuredClusters((key) => context[key]);
}

const commands = blocks.flatMap((block) => commandsOf(block).map((command) => [place(block), command] as const));

type Target = typeof app.root;

/** The problem of a call of `kerf`: a command or a flag that does not exist. */
function problemOfKerf(words: readonly string[]): string | undefined {
  let target: Target = app.root;
  let at = words[0] === 'help' ? 1 : 0;
  while ('getAllEntries' in target && at < words.length) {
    const found = target.getRoutingTargetForInput(words[at] ?? '');
    if (found === undefined) break;
    target = found;
    at++;
  }
  const isShort = words[0] === 'plan' && words[1]?.includes('.') === true;
  if ('getAllEntries' in target) {
    const [first] = words.slice(at);
    return isShort || first === undefined || ['--version', '--help', 'COMMAND'].includes(first)
      ? undefined
      : `"${first}" is not a command`;
  }
  const { flags = {}, aliases = {} } = target.parameters;
  const known = new Set([
    ...Object.keys(flags).map((name) => `--${name}`),
    ...Object.keys(aliases).map((name) => `-${name}`),
  ]);
  return words
    .slice(at)
    .map((word) => word.replace(/=.*/, ''))
    .filter((word) => /^-{1,2}[a-z]/.test(word) && !['--help', '-h'].includes(word))
    .find((word) => !known.has(word));
}

/** The words of each call of `kerf` in a command line, without quotes, comments and redirections. */
function callsOfKerf(command: string): readonly (readonly string[])[] {
  return command
    .replace(/\s#.*$/, '')
    .split(/[|;&)]|<\(/)
    .flatMap((part) => {
      const words = part
        .replace(/[<>].*$/, '')
        .trim()
        .split(/\s+/);
      const from = words[0] === 'npx' ? 1 : 0;
      if (words[from] === 'kerf') return [words.slice(from + 1)];
      const own = /^npm run(?: --silent)? kerf -- (.*)$/.exec(words.join(' '))?.[1];
      return own === undefined ? [] : [own.split(' ')];
    });
}

describe('every command', () => {
  test('there are commands to check', () => {
    expect(commands.length).toBeGreaterThan(120);
    expect(commands.flatMap(([, command]) => callsOfKerf(command)).length).toBeGreaterThan(60);
  });

  test('of kerf exists, with its flags', () => {
    const wrong = commands.flatMap(([where, command]) =>
      callsOfKerf(command).flatMap((words) => {
        const problem = problemOfKerf(words);
        return problem === undefined ? [] : [`${where}: kerf ${words.join(' ')}: ${problem}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('of npm runs a script of package.json', () => {
    const scripts = new Set(Object.keys(packageJson.scripts));
    const wrong = commands.filter(([, command]) =>
      [...command.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].some(([, name = '']) => !scripts.has(name)),
    );
    expect(wrong).toEqual([]);
  });

  test('of cdk has context keys that are settings', () => {
    const keys = commands.flatMap(([, command]) => [...command.matchAll(/ -c (\w+)=/g)].map(([, key = '']) => key));
    expect(keys.length).toBeGreaterThan(5);
    expect(() => checkContextKeys(Object.fromEntries(keys.map((key) => [key, 'x'])))).not.toThrow();
  });

  test('of kubectl and aws has a verb that these programs have', () => {
    const verbs =
      /^(?:kubectl (?:-n \S+ )?(?:apply|cordon|create|delete|describe|drain|edit|get|scale|taint|uncordon|patch|logs|annotate|label|auth|rollout|wait)|aws (?:cloudtrail|cloudwatch|dynamodb|ec2|eks|events|lambda|logs|s3|s3api|service-quotas|sqs|cloudformation|iam) [a-z-]+)\b/;
    const programs = commands.filter(([, command]) => /^(?:kubectl|aws) /.test(command));
    expect(programs.length).toBeGreaterThan(30);
    expect(programs.filter(([, command]) => !verbs.test(command))).toEqual([]);
  });
});

describe('the check of code blocks', () => {
  test('finds a flag, a command and a script that do not exist', () => {
    expect(problemOfKerf(['simulate', 'a.yaml', '--sped', '60'])).toBe('--sped');
    expect(problemOfKerf(['simulat', 'a.yaml'])).toBe('"simulat" is not a command');
    expect(problemOfKerf(['why', 'pod', 'web', '--snapshot', 'a.json'])).toBeUndefined();
    expect(callsOfKerf('kerf snapshot | npm run --silent kerf -- plan provisioning --snapshot - > a  # plan')).toEqual([
      ['snapshot'],
      ['plan', 'provisioning', '--snapshot', '-'],
    ]);
  });

  test('reads fenced and indented blocks', () => {
    const text = '# a\n\n```yaml file=a.yaml\na: 1\n```\n\n    npm ci && npm start\n\n    b\n\ntext\n';
    expect(codeBlocksOf(text)).toEqual([
      { line: 4, language: 'yaml', file: 'a.yaml', text: 'a: 1' },
      { line: 7, language: '', text: 'npm ci && npm start\n\nb' },
    ]);
    expect(readFileSync(join(ROOT, 'docs/start-laptop.md'), 'utf8')).toContain('```console\n');
  });
});
