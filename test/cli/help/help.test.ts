import { expect, test } from 'vitest';
import { app } from '../../../lib/cli/app.ts';
import { runKerf } from '../run-kerf.ts';

type Target = typeof app.root;

/** The full names of the commands and of their groups. */
function namesOf(target: Target, before: readonly string[] = []): readonly (readonly string[])[] {
  const below = 'getAllEntries' in target ? target.getAllEntries() : [];
  return [before, ...below.flatMap((entry) => namesOf(entry.target, [...before, entry.name.original]))];
}

function targetOf(names: readonly string[]): Target {
  return names.reduce<Target>((target, name) => {
    const found = 'getAllEntries' in target ? target.getRoutingTargetForInput(name) : undefined;
    if (found === undefined) throw new Error(`there is no command ${names.join(' ')}`);
    return found;
  }, app.root);
}

const NAMES = namesOf(app.root).map((names) => [['kerf', ...names].join(' '), names] as const);
const COMMANDS = NAMES.filter(([, names]) => !('getAllEntries' in targetOf(names)));

async function helpOf(names: readonly string[], columns = 80): Promise<string> {
  return (await runKerf([...names, '--help'], {}, { columns })).stdout;
}

test.each(NAMES)('the help of %s fits 80 columns', async (_, names) => {
  expect((await helpOf(names)).split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each(NAMES)('kerf help shows the help of %s', async (_, names) => {
  const { stdout, code } = await runKerf(['help', ...names]);
  expect({ stdout, code }).toEqual({ stdout: (await runKerf([...names, '--help'])).stdout, code: 0 });
});

test.each(COMMANDS)('the help of %s has two examples whose flags exist', async (name, names) => {
  const text = await helpOf(names);
  const [, examples = ''] = /\nEXAMPLES\n((?: {2}.*\n)+)/.exec(text) ?? [];
  const lines = examples.trim().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(2);
  const target = targetOf(names);
  for (const line of lines) {
    const own = line.split(/\||; /).find((part) => part.includes(name)) ?? '';
    expect(own, line).toContain(name);
    for (const [, flag = ''] of own.matchAll(/ --([a-z-]+)/g))
      expect('parameters' in target ? Object.keys(target.parameters.flags ?? {}) : [], line).toContain(flag);
  }
});

const GROUPS = NAMES.filter(([, names]) => 'getAllEntries' in targetOf(names));

test.each(GROUPS)('the help of %s, which has commands, has two examples of them', async (name, names) => {
  const text = await helpOf(names);
  const [, examples = ''] = /\nEXAMPLES\n((?: {2}.*\n)+)/.exec(text) ?? [];
  const lines = examples.trim().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(2);
  for (const line of lines) expect(line).toContain(name);
});

test.each(COMMANDS)('the help of %s states its exit codes', async (_, names) => {
  expect((await helpOf(names)).replaceAll(/\s+/g, ' ')).toMatch(/Exit codes?:? 0/);
});

test('every command that prints data has -o', async () => {
  for (const [name, names] of COMMANDS.filter(([command]) => command !== 'kerf completion'))
    expect(await helpOf(names), name).toContain('-o, --output ');
});

test('a wider terminal has wider lines, a narrow one narrower lines', async () => {
  const [wide, narrow] = [await helpOf(['simulate'], 140), await helpOf(['simulate'], 60)];
  expect(Math.max(...wide.split('\n').map(({ length }) => length))).toBeGreaterThan(120);
  expect(wide.split('\n').every(({ length }) => length <= 140)).toBe(true);
  // Only examples are longer than the terminal.
  expect(narrow.split('\n').filter(({ length }, index) => length > 60 && index > 0)).toEqual([
    '  kerf simulate cluster/ scenario.yaml --fail-on-pending -o json',
  ]);
});

test('the help has its titles in bold if the terminal has colors', async () => {
  expect((await runKerf(['help'], {}, { color: true })).stdout).toContain('\u001B[1mUSAGE\u001B[22m\n');
});

test('the usage names what is required', async () => {
  expect(await helpOf(['plan', 'disruption'])).toContain('  kerf plan disruption --snapshot FILE [FLAGS] [PATH...]\n');
  expect(await helpOf(['plan', 'provisioning'])).toContain('  kerf plan provisioning [FLAGS] [PATH...]\n');
  expect(await helpOf(['simulate'])).toContain('  kerf simulate [FLAGS] PATH...\n');
  expect(await helpOf(['why', 'pod'])).toContain('  kerf why pod [FLAGS] NAME\n');
});

test.each([[[]], [['plan']], [['why']], [['dead-letters']]])(
  'kerf %s without a command shows its help',
  async (names) => {
    expect(await runKerf(names)).toMatchObject({ stdout: (await runKerf([...names, '--help'])).stdout, code: 0 });
  },
);

test('help for an unknown command says what to write', async () => {
  expect(await runKerf(['help', 'simulat'])).toMatchObject({
    code: 2,
    stderr: '"simulat" is not a command: write simulate, or see kerf --help\n',
  });
});
