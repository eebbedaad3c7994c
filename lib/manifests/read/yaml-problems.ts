import type { ErrorCode, LineCounter, YAMLParseError } from 'yaml';
import { cutText } from '../../apis/formats/quote.ts';

/** An error in the text itself, before objects are parsed. */
export interface TextProblem {
  readonly line: number;
  readonly column?: number;
  readonly message: string;
  readonly allowed?: string;
  /** True for a template that is not rendered. */
  readonly isTemplate?: true;
}

interface Sentence {
  readonly message: string;
  readonly allowed: string;
}

const TAB: Sentence = {
  message: 'this line is indented with a tab',
  allowed: 'spaces: YAML does not allow tabs for indentation',
};
const NO_COLON: Sentence = { message: 'a line has no colon', allowed: '"key: value" or "- item"' };

const A_STAR: Sentence = {
  message: 'a star begins an alias in YAML',
  allowed: 'the value in quotes, as in "*/5 * * * *"',
};

const SENTENCES: Partial<Readonly<Record<ErrorCode, Sentence>>> = {
  TAB_AS_INDENT: TAB,
  BAD_INDENT: {
    message: 'this line has another indentation than the lines around it',
    allowed: 'the fields of one object with the same indentation',
  },
  BAD_ALIAS: A_STAR,
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'this line has a second "key: value", or is indented too far',
    allowed: 'one field per line, and text that contains ": " in quotes',
  },
  BAD_SCALAR_START: { message: 'a value cannot begin with this character', allowed: 'it in quotes' },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a line has no colon and is read as part of the next key',
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

/** Codes of the parser that stand for several errors, distinguished by the parser's message. */
const BY_COMPLAINT: readonly (readonly [complaint: RegExp, sentence: Sentence])[] = [
  [
    /must (?:be sufficiently indented and )?end with a|^Expected flow (?:map|sequence) to end/,
    { message: 'a bracket is never closed', allowed: 'the ] or } that is missing' },
  ],
  [/^Missing closing .quote/, { message: 'a quote is never closed', allowed: 'the quote that is missing' }],
  [/^Implicit map keys need/, NO_COLON],
  [
    /^Unexpected .* at node end/,
    { message: 'there is more text after the end of a value', allowed: 'the whole value in one pair of quotes' },
  ],
  [/^Sequence item without/, { message: 'an entry of a list has no "- "', allowed: '"- " before each entry' }],
  [/^Block collection cannot/, { message: 'a field is on the same line as "---"', allowed: 'it on a line of its own' }],
  [/^Missing ,/, { message: 'a comma is missing before this', allowed: 'a comma between two entries' }],
  [
    /^Unexpected (?:,|empty item) in/,
    { message: 'a comma has no entry before it', allowed: 'one comma for each entry' },
  ],
  [
    /^Unexpected flow-(?:seq|map)-end/,
    { message: 'a closing bracket has no opening bracket', allowed: 'each bracket in pairs, or the text in quotes' },
  ],
  [
    /^Block scalar header|^Not a YAML token/,
    { message: 'there is more text after | or >', allowed: 'the text on the lines below' },
  ],
  [/^Comments must be/, { message: 'a # follows a value without a space', allowed: 'a space before it, or quotes' }],
  [/^Missing space after/, { message: 'a colon is not followed by a space', allowed: '"key: value"' }],
];

/** Describes an error of the parser in the words of this project. */
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

/** Finds an unrendered template that makes the text invalid. Ignores braces in quotes, comments and lines without an error. */
export function templatingProblem(text: string, problems: readonly TextProblem[]): TextProblem | undefined {
  if (problems.length === 0) return undefined;
  const near = new Set(problems.flatMap(({ line }) => [line - 1, line, line + 1]));
  const all = text.split('\n');
  const isTemplate = (line: string): boolean => {
    const start = line.slice(0, MAX_OF_A_LINE);
    return TEMPLATE.test(start) || TERRAFORM_CALL.test(start);
  };
  const index = all.findIndex((line, number) => DIRECTIVE.test(line) || (near.has(number + 1) && isTemplate(line)));
  const found = all[index];
  if (found === undefined) return undefined;
  const [message, allowed] = templateOf(found, text);
  return { line: index + 1, message, allowed, isTemplate: true };
}

/** A Terraform directive, which YAML reads as a directive of its own. The parser's error may be many lines away. */
const DIRECTIVE = /^%\{/;
/** The pattern overflows the stack on a line of megabytes; lines written by hand are shorter. */
const MAX_OF_A_LINE = 10_000;
const TEMPLATE = /^(?:[^"'#]|"[^"]*"|'[^']*'|(?<=\S)#)*(?:\{\{|\{%|%\{)/;

/** `${join("\",\"", types)}`: a call of a function of Terraform, also in quotes, because its own quotes end them. */
const TERRAFORM_CALL = /\$\{\s*[a-z][a-z0-9_]*\(/;

function templateOf(line: string, text: string): readonly [message: string, allowed: string] {
  if (!line.includes('{{') && (line.includes('%{') || TERRAFORM_CALL.test(line)))
    return [
      `is a Terraform template ("${line.includes('%{') ? '%' : '$'}{ … }") that is not rendered`,
      'the result of templatefile() to a file and use that file',
    ];
  if (/\{%.*%\}/.test(text))
    return [
      'is a Jinja template ("{% … %}") that is not rendered',
      'the rendered template to a file and use that file',
    ];
  return [
    'is a Helm template ("{{ … }}") that is not rendered',
    'the output of `helm template` to a file and use that file',
  ];
}

function firstLower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).trimEnd();
}
