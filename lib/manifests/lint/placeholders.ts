import type { FieldProblem } from '../../core/validation/field-problem.ts';

/** `${NAME}`, `$(NAME)`, `$NAME`, `{{ name }}`, `<NAME>`, `<<NAME>>`, `__NAME__`: text that a tool or a user should have replaced. */
const PLACEHOLDER =
  /\$\{[^}]*\}|\$\([A-Za-z_]\w*\)|\$[A-Z_][A-Z0-9_]+|\{\{[^}]*\}\}|<<?[A-Za-z][\w .-]*>?>|__[A-Z][A-Z0-9_]*__/;

/** Warns of unreplaced placeholders in all text inside a value, including keys. */
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
  const message = `${JSON.stringify(text)} contains a placeholder that was not replaced: ${found}`;
  return [{ path, message, allowed: `the value for ${found} before you apply the object` }];
}
