/** Just enough of TypeScript's syntax to find calls and the text handed to them: names, strings and punctuation, no comments. */

export interface Token {
  readonly kind: 'name' | 'text' | 'mark';
  /** The content of a string; computed parts of a template are `…`. */
  readonly value: string;
}

const MATCHERS = {
  blank: /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  name: /[\p{L}\p{N}_$#@]+/uy,
  quoted: /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y,
  regex: /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y,
  mark: /=>|[\s\S]/y,
} as const;

/** The tokens of a source text, in order. *Cost:* O(text). */
export function scanTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const blank = matchAt(MATCHERS.blank, text, at);
    if (blank !== undefined) at += blank.length;
    else {
      const [token, length] = tokenAt(text, at, tokens.at(-1));
      tokens.push(token);
      at += length;
    }
  }
  return tokens;
}

function tokenAt(text: string, at: number, before: Token | undefined): readonly [Token, number] {
  const quoted = matchAt(MATCHERS.quoted, text, at);
  if (quoted !== undefined) return [{ kind: 'text', value: unquoted(quoted) }, quoted.length];
  if (text[at] === '`') return templateAt(text, at);
  const name = matchAt(MATCHERS.name, text, at);
  if (name !== undefined) return [{ kind: 'name', value: name }, name.length];
  const regex = endsValue(before) ? undefined : matchAt(MATCHERS.regex, text, at);
  const mark = regex ?? matchAt(MATCHERS.mark, text, at) ?? '';
  return [{ kind: 'mark', value: mark }, mark.length];
}

/** A slash divides after a value, and begins a regular expression elsewhere. */
function endsValue(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.kind === 'mark' ? [')', ']', '}'].includes(token.value) : token.value !== 'return';
}

function templateAt(text: string, start: number): readonly [Token, number] {
  let value = '';
  for (let at = start + 1; at < text.length; ) {
    if (text[at] === '`') return [{ kind: 'text', value }, at + 1 - start];
    if (text.startsWith('${', at)) {
      value += '…';
      at = afterComputed(text, at + 2);
    } else {
      const length = text[at] === '\\' ? 2 : 1;
      value += text.slice(at + length - 1, at + length);
      at += length;
    }
  }
  throw new Error(`a template that begins at character ${start} does not end`);
}

function afterComputed(text: string, start: number): number {
  let depth = 1;
  let at = start;
  for (let before: Token | undefined; depth > 0 && at < text.length; ) {
    const blank = matchAt(MATCHERS.blank, text, at);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const [token, length] = tokenAt(text, at, before);
    if (token.kind === 'mark') depth += Number(token.value === '{') - Number(token.value === '}');
    before = token;
    at += length;
  }
  return at;
}

function unquoted(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\\([\s\S])/g, (_, escaped: string) => ({ n: '\n', t: '\t' })[escaped] ?? escaped);
}

function matchAt(matcher: RegExp, text: string, at: number): string | undefined {
  matcher.lastIndex = at;
  return matcher.exec(text)?.[0];
}
