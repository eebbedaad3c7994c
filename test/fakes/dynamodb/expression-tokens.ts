import { invalid } from './errors.ts';
import { RESERVED_WORDS } from './reserved-words.ts';

export interface Token {
  /** `name` is an attribute, keyword or function, `#name` and `:value` are placeholders. */
  readonly kind: 'name' | '#name' | ':value' | 'index' | 'symbol' | 'end';
  readonly text: string;
}

/** A step of a path: an attribute, a placeholder of one (`#name`), or an index of a list. */
export type Path = readonly (string | number)[];

const TOKEN = /\s*(?:(#\w+)|(:\w+)|([A-Za-z]\w*)|(\d+)|(<>|<=|>=|[=<>(),.[\]+-]))/y;
/** *Source:* Quotas: 4 KB. */
const MAX_BYTES = 4_096;
const END: Token = { kind: 'end', text: '<EOF>' };

/** Reads the tokens of one expression, in order. */
export class Tokens {
  readonly #kind: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  /** The placeholders that were read. */
  readonly names = new Set<string>();
  readonly values = new Set<string>();

  /** @param kind `ConditionExpression`, … */
  constructor(kind: string, text: string) {
    this.#kind = kind;
    if (text.trim() === '') throw this.wrong('The expression can not be empty;');
    if (Buffer.byteLength(text) > MAX_BYTES) throw this.wrong('Expression size has exceeded the maximum allowed size;');
    this.#tokens = this.#split(text);
  }

  get next(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  get afterNext(): Token {
    return this.#tokens[this.#at + 1] ?? END;
  }

  take(): Token {
    const token = this.next;
    this.#at += 1;
    return token;
  }

  /** Whether the next token is the symbol or keyword, which is then taken. Keywords have no case. */
  takes(text: string): boolean {
    const { kind, text: found } = this.next;
    const matches = kind === 'symbol' ? found === text : kind === 'name' && found.toUpperCase() === text;
    if (matches) this.#at += 1;
    return matches;
  }

  need(text: string): void {
    if (!this.takes(text)) throw this.wrongNext();
  }

  end(): void {
    if (this.next.kind !== 'end') throw this.wrongNext();
  }

  path(): Path {
    const steps: (string | number)[] = [this.#name()];
    for (;;) {
      if (this.takes('.')) steps.push(this.#name());
      else if (this.takes('[')) {
        const { kind, text } = this.take();
        if (kind !== 'index') throw this.wrongNext();
        steps.push(Number(text));
        this.need(']');
      } else return steps;
    }
  }

  value(): string {
    const { kind, text } = this.take();
    if (kind !== ':value') throw this.wrongNext();
    this.values.add(text);
    return text;
  }

  wrong(message: string): Error {
    return invalid(`Invalid ${this.#kind}: ${message}`);
  }

  wrongNext(): Error {
    return this.wrong(`Syntax error; token: "${this.next.text}"`);
  }

  #name(): string {
    const { kind, text } = this.take();
    if (kind === '#name') this.names.add(text);
    else if (kind !== 'name') throw this.wrongNext();
    else if (RESERVED_WORDS.has(text.toUpperCase())) {
      throw this.wrong(`Attribute name is a reserved keyword; reserved keyword: ${text}`);
    }
    return text;
  }

  #split(text: string): readonly Token[] {
    const tokens: Token[] = [];
    const trimmed = text.trimEnd();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < trimmed.length) {
      const { lastIndex } = TOKEN;
      const match = TOKEN.exec(trimmed);
      if (match === null) throw this.wrong(`Syntax error; near: "${trimmed.slice(lastIndex, lastIndex + 10)}"`);
      const at = match.slice(1).findIndex((part) => part !== undefined);
      const kind = (['#name', ':value', 'name', 'index', 'symbol'] as const)[at] ?? 'symbol';
      tokens.push({ kind, text: match[at + 1] ?? '' });
    }
    return tokens;
  }
}
