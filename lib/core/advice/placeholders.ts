import type { FieldProblem } from '../validation/field-problem.ts';

/** `${NAME}`, `$(NAME)`, `$NAME`, `{{ name }}`, `<NAME>`, `<<NAME>>`: what a tool or a reader was to fill in. */
const PLACEHOLDER = /\$\{[^}]*\}|\$\([A-Za-z_]\w*\)|\$[A-Z_][A-Z0-9_]+|\{\{[^}]*\}\}|<<?[A-Za-z][\w .-]*>?>/;

/** Texts below a value that were to be filled in, and were not; keys too. */
export function placeholders(value: unknown, path: FieldProblem['path']): readonly FieldProblem[] {
  if (typeof value === 'string') return inText(value, path);
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inside]) => [
    ...(isList ? [] : inText(key, [...path, key])),
    ...placeholders(inside, [...path, isList ? Number(key) : key]),
  ]);
}

function inText(text: string, path: FieldProblem['path']): readonly FieldProblem[] {
  const found = PLACEHOLDER.exec(text)?.[0];
  if (found === undefined) return [];
  const message = `${JSON.stringify(text)} has a placeholder that nobody has filled in: ${found}`;
  return [{ path, message, allowed: `what ${found} stands for, before the object is applied` }];
}
