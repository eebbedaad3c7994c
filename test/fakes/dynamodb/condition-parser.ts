import { type Path, Tokens } from './expression-tokens.ts';

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'size'; readonly of: Operand }
  | { readonly kind: 'value'; readonly value: string };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'compare'; readonly by: Comparator; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'exists' | 'not-exists'; readonly path: Path }
  | { readonly kind: 'type' | 'begins-with' | 'contains'; readonly left: Operand; readonly right: Operand };

/** An expression and the placeholders that it uses. */
export interface Parsed<T> {
  readonly tree: T;
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies readonly Comparator[];
const MAX_IN = 100;

/**
 * Parses a condition, filter or key condition.
 * *Source:* Condition and filter expressions, operators, and functions: NOT binds closer than AND, AND closer than OR.
 */
export function parseCondition(kind: string, text: string): Parsed<Condition> {
  const tokens = new Tokens(kind, text);
  const tree = new ConditionParser(tokens).or();
  tokens.end();
  return { tree, names: tokens.names, values: tokens.values };
}

class ConditionParser {
  readonly #tokens: Tokens;
  readonly #grouped = new WeakSet<Condition>();

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  or(): Condition {
    const of = [this.#and()];
    while (this.#tokens.takes('OR')) of.push(this.#and());
    const [only] = of;
    return of.length === 1 && only !== undefined ? only : { kind: 'or', of };
  }

  #and(): Condition {
    const of = [this.#not()];
    while (this.#tokens.takes('AND')) of.push(this.#not());
    const [only] = of;
    return of.length === 1 && only !== undefined ? only : { kind: 'and', of };
  }

  #not(): Condition {
    return this.#tokens.takes('NOT') ? { kind: 'not', of: this.#not() } : this.#primary();
  }

  #primary(): Condition {
    if (!this.#tokens.takes('(')) return this.#isFunction() ? this.#function() : this.#comparison();
    const inner = this.or();
    this.#tokens.need(')');
    if (this.#grouped.has(inner)) throw this.#tokens.wrong('The expression has redundant parentheses;');
    this.#grouped.add(inner);
    return inner;
  }

  #isFunction(): boolean {
    const { next, afterNext } = this.#tokens;
    return next.kind === 'name' && next.text !== 'size' && afterNext.text === '(';
  }

  #function(): Condition {
    const tokens = this.#tokens;
    const { text } = tokens.take();
    tokens.need('(');
    const condition = this.#call(text);
    tokens.need(')');
    return condition;
  }

  #call(name: string): Condition {
    const tokens = this.#tokens;
    switch (name) {
      case 'attribute_exists':
        return { kind: 'exists', path: tokens.path() };
      case 'attribute_not_exists':
        return { kind: 'not-exists', path: tokens.path() };
      case 'attribute_type':
      case 'begins_with':
      case 'contains': {
        const kinds = { attribute_type: 'type', begins_with: 'begins-with', contains: 'contains' } as const;
        const left = this.#operand();
        tokens.need(',');
        return { kind: kinds[name], left, right: this.#operand() };
      }
      default:
        throw tokens.wrong(`Invalid function name; function: ${name}`);
    }
  }

  #comparison(): Condition {
    const tokens = this.#tokens;
    const left = this.#operand();
    if (tokens.takes('BETWEEN')) {
      const low = this.#operand();
      tokens.need('AND');
      return { kind: 'between', operand: left, low, high: this.#operand() };
    }
    if (tokens.takes('IN')) return { kind: 'in', operand: left, list: this.#list() };
    const { text } = tokens.next;
    if (!isComparator(text)) throw tokens.wrongNext();
    tokens.take();
    return { kind: 'compare', by: text, left, right: this.#operand() };
  }

  #list(): readonly Operand[] {
    this.#tokens.need('(');
    const list = [this.#operand()];
    while (this.#tokens.takes(',')) list.push(this.#operand());
    this.#tokens.need(')');
    if (list.length > MAX_IN) throw this.#tokens.wrong(`The IN operator is provided with too many operands;`);
    return list;
  }

  #operand(): Operand {
    const tokens = this.#tokens;
    if (tokens.next.kind === ':value') return { kind: 'value', value: tokens.value() };
    if (tokens.next.text !== 'size' || tokens.afterNext.text !== '(') return { kind: 'path', path: tokens.path() };
    tokens.take();
    tokens.need('(');
    const of = this.#operand();
    tokens.need(')');
    return { kind: 'size', of };
  }
}

function isComparator(text: string): text is Comparator {
  return COMPARATORS.includes(text);
}
