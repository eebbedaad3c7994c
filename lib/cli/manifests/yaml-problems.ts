import type { ErrorCode, LineCounter, YAMLParseError } from 'yaml';
import { cutText } from '../../apis/quote.ts';

/** A fault of the text itself, before there are objects. */
export interface TextProblem {
  readonly line: number;
  readonly column?: number;
  readonly message: string;
  readonly allowed?: string;
}

interface Sentence {
  readonly message: string;
  readonly allowed: string;
}

const TAB: Sentence = { message: 'a tab indents this line', allowed: 'spaces: YAML allows no tabs there' };
const NO_COLON: Sentence = { message: 'a line has no colon', allowed: '"key: value" or "- item"' };

const A_STAR: Sentence = {
  message: 'a star begins an alias in YAML',
  allowed: 'the value in quotes, as in "*/5 * * * *"',
};

const SENTENCES: Partial<Readonly<Record<ErrorCode, Sentence>>> = {
  TAB_AS_INDENT: TAB,
  BAD_INDENT: {
    message: 'this line is not indented like its neighbours',
    allowed: 'the fields of one object under each other',
  },
  BAD_ALIAS: A_STAR,
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a second "key: value" stands in one line, or the line is indented too far',
    allowed: 'one field a line, and text that has ": " in it in quotes',
  },
  BAD_SCALAR_START: { message: 'a value cannot begin with this character', allowed: 'it in quotes' },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a line has no colon, so it is read as part of the next key',
    allowed: NO_COLON.allowed,
  },
  BLOCK_IN_FLOW: {
    message: 'a block begins inside brackets or braces',
    allowed: 'the closing bracket, or the whole list in one style',
  },
  BAD_DQ_ESCAPE: {
    message: 'a backslash in double quotes begins an escape that does not exist',
    allowed: 'the backslash twice, or the value in single quotes',
  },
  MULTIPLE_ANCHORS: { message: 'a value has two anchors', allowed: 'one name after "&", or the value in quotes' },
  MULTIPLE_TAGS: { message: 'a value has two tags', allowed: 'one word after "!", or the value in quotes' },
  TAG_RESOLVE_FAILED: { message: 'what begins with "!" is a tag in YAML', allowed: 'the value in quotes' },
  KEY_OVER_1024_CHARS: { message: 'a key has more than 1024 characters', allowed: 'a shorter key' },
};

/** What one code of the parser stands for is many things. */
const BY_COMPLAINT: readonly (readonly [complaint: RegExp, sentence: Sentence])[] = [
  [
    /must (?:be sufficiently indented and )?end with a|^Expected flow (?:map|sequence) to end/,
    { message: 'a bracket is never closed', allowed: 'the ] or } that is missing' },
  ],
  [/^Missing closing .quote/, { message: 'a quote is never closed', allowed: 'the quote that is missing' }],
  [/^Implicit map keys need/, NO_COLON],
  [
    /^Unexpected .* at node end/,
    { message: 'more text stands behind the end of a value', allowed: 'the whole value in one pair of quotes' },
  ],
  [/^Sequence item without/, { message: 'an entry of a list has no "- "', allowed: '"- " before each entry' }],
  [/^Block collection cannot/, { message: 'a field stands in the line of "---"', allowed: 'it in a line of its own' }],
  [/^Missing ,/, { message: 'a comma is missing before this', allowed: 'a comma between two entries' }],
  [
    /^Unexpected (?:,|empty item) in/,
    { message: 'a comma has no entry before it', allowed: 'one comma for each entry' },
  ],
  [
    /^Unexpected flow-(?:seq|map)-end/,
    { message: 'a bracket is closed that was never opened', allowed: 'each bracket in pairs, or the text in quotes' },
  ],
  [
    /^Block scalar header|^Not a YAML token/,
    { message: 'more text stands behind | or >', allowed: 'the text in the lines below' },
  ],
  [/^Comments must be/, { message: 'a # stands right behind a value', allowed: 'a space before it, or quotes' }],
  [/^Missing space after/, { message: 'no space stands behind a colon', allowed: '"key: value"' }],
];

/** The parser's complaint in our words. */
export function yamlProblem(error: YAMLParseError, text: string, lines: LineCounter): TextProblem {
  const { line, col: column } = lines.linePos(Math.min(error.pos[0], text.length));
  const sentence = sentenceOf(error, text.slice(lines.lineStarts[line - 1] ?? 0, error.pos[1]));
  return { line, column, message: `not valid YAML: ${sentence.message}`, allowed: sentence.allowed };
}

function sentenceOf({ code, message }: YAMLParseError, start: string): Sentence {
  if (/ at node end/.test(message) && /(?:^|[:-] +)\*/.test(start)) return A_STAR;
  const known = BY_COMPLAINT.find(([complaint]) => complaint.test(message));
  if (known !== undefined) return known[1];
  if (code === 'BAD_INDENT' && /^ *\t/.test(start)) return TAB;
  return SENTENCES[code] ?? { message: cutText(firstLower(message), 200), allowed: 'valid YAML or JSON' };
}

/** Where a template that nobody rendered spoils the text; braces in quotes, comments and other lines do not. */
export function templatingProblem(text: string, problems: readonly TextProblem[]): TextProblem | undefined {
  if (problems.length === 0) return undefined;
  const near = new Set(problems.flatMap(({ line }) => [line - 1, line, line + 1]));
  const all = text.split('\n');
  const isTemplate = (line: string): boolean => TEMPLATE.test(line.slice(0, MOST_OF_A_LINE));
  const index = all.findIndex((line, number) => DIRECTIVE.test(line) || (near.has(number + 1) && isTemplate(line)));
  const found = all[index];
  if (found === undefined) return undefined;
  const [message, allowed] = templateOf(found, text);
  return { line: index + 1, message, allowed };
}

/** A line of Terraform's that YAML takes for a directive of its own, far from where it gives up. */
const DIRECTIVE = /^%\{/;
/** The pattern fills the stack on a line of some megabytes; what people write by hand is shorter. */
const MOST_OF_A_LINE = 10_000;
const TEMPLATE = /^(?:[^"'#]|"[^"]*"|'[^']*'|(?<=\S)#)*(?:\{\{|\{%|%\{)/;

function templateOf(line: string, text: string): readonly [message: string, allowed: string] {
  if (!line.includes('{{') && line.includes('%{'))
    return [
      'is a Terraform template ("%{ … }") that is not rendered',
      'what templatefile() returns to a file and read that',
    ];
  if (/\{%.*%\}/.test(text))
    return [
      'is a Jinja template ("{% … %}") that is not rendered',
      'what the template renders to a file and read that',
    ];
  return ['is a Helm template ("{{ … }}") that is not rendered', 'what `helm template` prints to a file and read that'];
}

function firstLower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).trimEnd();
}
