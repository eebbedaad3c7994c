import { isDeepStrictEqual } from 'node:util';

type Json = Readonly<Record<string, unknown>>;

/** RFC 6902 with `test`, `add` and `remove` on fields of objects. A test of an absent field against null succeeds, as in the API server. */
export function jsonPatch(before: Json, operations: readonly unknown[]): Json | 'test failed' {
  const patched = structuredClone(before);
  for (const operation of operations) {
    const { op, path, value } = fieldsOf(operation);
    const names = String(path).split('/').slice(1);
    const last = names.pop() ?? '';
    const holder = names.reduce<Record<string, unknown>>((holds, name) => fieldsOf(holds[name]), patched);
    if (op === 'test' && !isDeepStrictEqual(holder[last] ?? null, value)) return 'test failed';
    if (op === 'add') holder[last] = value;
    if (op === 'remove') delete holder[last];
  }
  return patched;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
