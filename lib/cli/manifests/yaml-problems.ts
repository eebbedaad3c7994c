import type { ErrorCode, LineCounter, YAMLParseError } from 'yaml';

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

const SENTENCES: Partial<Readonly<Record<ErrorCode, Sentence>>> = {
  TAB_AS_INDENT: { message: 'a tab indents this line', allowed: 'spaces: YAML allows no tabs there' },
  BAD_INDENT: {
    message: 'this line is not indented like its neighbours',
    allowed: 'the fields of one object under each other',
  },
  BAD_ALIAS: { message: 'a star begins an alias in YAML', allowed: 'the value in quotes, as in "*/5 * * * *"' },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a second "key: value" stands in one line, or the line is indented too far',
    allowed: 'one field a line, and text that has ": " in it in quotes',
  },
  BAD_SCALAR_START: { message: 'a value cannot begin with this character', allowed: 'it in quotes' },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a line has no colon, so it is read as part of the next key',
    allowed: '"key: value" or "- item"',
  },
  BLOCK_IN_FLOW: {
    message: 'a block begins inside brackets or braces',
    allowed: 'the closing bracket, or the whole list in one style',
  },
};

/** The parser's complaint in our words. */
export function yamlProblem(error: YAMLParseError, text: string, lines: LineCounter): TextProblem {
  const { line, col: column } = lines.linePos(Math.min(error.pos[0], text.length));
  const sentence = SENTENCES[error.code] ?? { message: firstLower(error.message), allowed: 'valid YAML or JSON' };
  return { line, column, message: `not valid YAML: ${sentence.message}`, allowed: sentence.allowed };
}

/** Where a template that nobody rendered spoils the text; braces in quotes, comments and other lines do not. */
export function templatingProblem(text: string, problems: readonly TextProblem[]): TextProblem | undefined {
  const near = new Set(problems.flatMap(({ line }) => [line - 1, line, line + 1]));
  const index = text.split('\n').findIndex((line, number) => near.has(number + 1) && TEMPLATE.test(line));
  if (index < 0) return undefined;
  const allowed = 'what `helm template` prints to a file and read that';
  return { line: index + 1, message: 'is a Helm template ("{{ … }}") that is not rendered', allowed };
}

const TEMPLATE = /^(?:[^"'#]|"[^"]*"|'[^']*'|(?<=\S)#)*\{\{/;

function firstLower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).trimEnd();
}
