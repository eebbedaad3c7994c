import type { Parsed } from './condition-parser.ts';
import { type Path, Tokens } from './expression-tokens.ts';

export type SetOperand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'if-not-exists'; readonly path: Path; readonly otherwise: SetOperand }
  | { readonly kind: 'list-append'; readonly left: SetOperand; readonly right: SetOperand };

export interface Arithmetic {
  readonly kind: 'plus' | 'minus';
  readonly left: SetOperand;
  readonly right: SetOperand;
}

export type SetValue = SetOperand | Arithmetic;

export interface Update {
  readonly set: readonly { readonly path: Path; readonly value: SetValue }[];
  readonly remove: readonly Path[];
  readonly add: readonly { readonly path: Path; readonly value: string }[];
  readonly delete: readonly { readonly path: Path; readonly value: string }[];
}

const CLAUSES = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

/** *Source:* Update expressions. Each clause appears at most once. */
export function parseUpdate(text: string): Parsed<Update> {
  const tokens = new Tokens('UpdateExpression', text);
  const found = new Map<string, readonly unknown[]>();
  const set: Update['set'][number][] = [];
  const remove: Path[] = [];
  const changes = { ADD: [] as Update['add'][number][], DELETE: [] as Update['delete'][number][] };
  while (tokens.next.kind !== 'end') {
    const clause = CLAUSES.find((name) => tokens.takes(name));
    if (clause === undefined) throw tokens.wrongNext();
    if (found.has(clause)) throw tokens.wrong(`The "${clause}" section can only be used once in an update expression;`);
    found.set(clause, []);
    do {
      const path = tokens.path();
      if (clause === 'SET') {
        tokens.need('=');
        set.push({ path, value: setValue(tokens) });
      } else if (clause === 'REMOVE') remove.push(path);
      else changes[clause].push({ path, value: tokens.value() });
    } while (tokens.takes(','));
  }
  return {
    tree: { set, remove, add: changes.ADD, delete: changes.DELETE },
    names: tokens.names,
    values: tokens.values,
  };
}

/** *Source:* Projection expressions. */
export function parseProjection(text: string): Parsed<readonly Path[]> {
  const tokens = new Tokens('ProjectionExpression', text);
  const tree = [tokens.path()];
  while (tokens.takes(',')) tree.push(tokens.path());
  tokens.end();
  return { tree, names: tokens.names, values: tokens.values };
}

function setValue(tokens: Tokens): SetValue {
  const left = setOperand(tokens);
  if (tokens.takes('+')) return { kind: 'plus', left, right: setOperand(tokens) };
  if (tokens.takes('-')) return { kind: 'minus', left, right: setOperand(tokens) };
  return left;
}

function setOperand(tokens: Tokens): SetOperand {
  const { next, afterNext } = tokens;
  if (next.kind === ':value') return { kind: 'value', value: tokens.value() };
  if (next.kind !== 'name' || afterNext.text !== '(') return { kind: 'path', path: tokens.path() };
  tokens.take();
  tokens.need('(');
  const operand = setFunction(tokens, next.text);
  tokens.need(')');
  return operand;
}

function setFunction(tokens: Tokens, name: string): SetOperand {
  if (name === 'if_not_exists') {
    const path = tokens.path();
    tokens.need(',');
    return { kind: 'if-not-exists', path, otherwise: setOperand(tokens) };
  }
  if (name !== 'list_append') throw tokens.wrong(`Invalid function name; function: ${name}`);
  const left = setOperand(tokens);
  tokens.need(',');
  return { kind: 'list-append', left, right: setOperand(tokens) };
}
