/** The text of `--help` and `kerf help`. */
import type { Command, RouteMap } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { wrapText } from '../render/wrap-text.ts';

type Target = Command<CliContext> | RouteMap<CliContext>;
type Flag = NonNullable<Command<CliContext>['parameters']['flags']>[string];
type Positional = NonNullable<Command<CliContext>['parameters']['positional']>;

interface ShownHelp {
  readonly target: Target;
  /** The words that lead to the target, with the name of the program. */
  readonly prefix: readonly string[];
  /** Flags of every command. */
  readonly shared: readonly FlagRow[];
}

export interface FlagRow {
  readonly name: string;
  readonly brief: string;
  readonly aliases?: readonly string[];
}

interface Row {
  readonly left: string;
  readonly right: string;
}

const DEFAULT_COLUMNS = 80;
/** A longer left column has its text on the next line. */
const MAX_LEFT = 28;

/** *Shape:* lines that fit the terminal, if its words do. */
export function helpText(
  { target, prefix, shared }: ShownHelp,
  { columns = DEFAULT_COLUMNS, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  const width = Math.max(columns, 40);
  const title = (text: string): string => (color ? `\u001B[1m${text}\u001B[22m` : text);
  const section = (name: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', title(name), ...lines];
  const { text, examples } = partsOf(target.fullDescription ?? '');
  const isCommand = 'parameters' in target;
  const own = isCommand ? flagRows(target) : [];
  const lines = [
    ...wrapText(`${prefix.join(' ')}: ${target.brief}`, width),
    ...section('USAGE', [`  ${[...prefix, ...(isCommand ? usageOf(target) : ['COMMAND', '[FLAGS]'])].join(' ')}`]),
    ...(text === '' ? [] : ['', ...wrapped(text, width)]),
    ...section('EXAMPLES', examples),
    ...section('COMMANDS', isCommand ? [] : rows(commandRows(target), width)),
    ...section('ARGUMENTS', isCommand ? rows(argumentRows(target), width) : []),
    ...section('FLAGS', rows([...own, ...shared.map(sharedRow)], width)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const EXAMPLES = /^Examples:$/m;

/** A description ends with its examples, one on each line, below `Examples:`. */
function partsOf(description: string): { readonly text: string; readonly examples: readonly string[] } {
  const [text = '', examples = ''] = description.split(EXAMPLES);
  return { text: text.trim(), examples: examples.split('\n').filter((line) => line !== '') };
}

/** Paragraphs are wrapped; a paragraph of indented lines is kept. */
function wrapped(text: string, width: number): readonly string[] {
  return text.split('\n\n').flatMap((paragraph, index) => {
    const lines = paragraph.split('\n');
    const kept = lines.every((line) => line.startsWith('  '));
    return [...(index === 0 ? [] : ['']), ...(kept ? lines : wrapText(lines.join(' '), width))];
  });
}

function usageOf({ parameters: { flags = {}, positional } }: Command<CliContext>): readonly string[] {
  const required = Object.entries(flags).filter(([, flag]) => !isOptional(flag));
  const others = required.length < Object.keys(flags).length ? ['[FLAGS]'] : [];
  return [...required.map(([name, flag]) => `--${name}${valueOf(flag)}`), ...others, ...argumentsOf(positional)];
}

function argumentsOf(positional: Positional | undefined): readonly string[] {
  if (positional === undefined) return [];
  if (positional.kind === 'tuple')
    return positional.parameters.map(({ placeholder = 'VALUE', optional }) =>
      optional === true ? `[${placeholder}]` : placeholder,
    );
  const name = `${positional.parameter.placeholder ?? 'VALUE'}...`;
  return [positional.minimum === undefined ? `[${name}]` : name];
}

function argumentRows({ parameters: { positional } }: Command<CliContext>): readonly Row[] {
  if (positional === undefined) return [];
  const each = positional.kind === 'tuple' ? positional.parameters : [positional.parameter];
  const dots = positional.kind === 'tuple' ? '' : '...';
  return each.map(({ placeholder = 'VALUE', brief }) => ({ left: `${placeholder}${dots}`, right: brief }));
}

function commandRows(target: RouteMap<CliContext>): readonly Row[] {
  return target
    .getAllEntries()
    .filter(({ hidden }) => !hidden)
    .map(({ name, target: { brief } }) => ({ left: name.original, right: brief }));
}

function flagRows({ parameters: { flags = {}, aliases = {} } }: Command<CliContext>): readonly Row[] {
  const shown = Object.entries(flags).filter(([, flag]) => flag.hidden !== true);
  return shown.map(([name, flag]) => {
    const letters = Object.entries(aliases).filter(([, long]) => long === name);
    const letter = letters[0] === undefined ? '    ' : `-${letters[0][0]}, `;
    return { left: `${letter}--${name}${valueOf(flag)}`, right: `${flag.brief}${remarkOf(flag)}` };
  });
}

function sharedRow({ name, brief, aliases = [] }: FlagRow): Row {
  return { left: `${aliases[0] === undefined ? '    ' : `-${aliases[0]}, `}--${name}`, right: brief };
}

/** ` PATH...`: what is written after the name of a flag. */
function valueOf(flag: Flag): string {
  if (flag.kind === 'boolean' || flag.kind === 'counter') return '';
  const value = flag.kind === 'enum' ? flag.values.join('|') : (flag.placeholder ?? 'VALUE');
  return ` ${value}${'variadic' in flag && flag.variadic !== undefined && flag.variadic !== false ? '...' : ''}`;
}

function remarkOf(flag: Flag): string {
  if (!isOptional(flag)) return ' (required)';
  return flag.kind === 'enum' && flag.default !== undefined ? ` (default: ${String(flag.default)})` : '';
}

function isOptional(flag: Flag): boolean {
  return flag.optional === true || ('default' in flag && flag.default !== undefined);
}

/** Two columns, or the text below a left column that is too long. */
function rows(all: readonly Row[], width: number): readonly string[] {
  const lefts = all.map(({ left }) => left.length).filter((length) => length <= MAX_LEFT);
  const indent = 2 + Math.max(0, ...lefts) + 2;
  return all.flatMap(({ left, right }) => {
    const [first = '', ...more] = wrapText(right, Math.max(width - indent, 20));
    const below = more.map((line) => ' '.repeat(indent) + line);
    return left.length > indent - 4
      ? [`  ${left}`, ' '.repeat(indent) + first, ...below]
      : [`  ${left.padEnd(indent - 2)}${first}`, ...below];
  });
}
