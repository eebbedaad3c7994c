/** Reads fields of JSON documents: templates, manifests, reports. */
import { readFileSync } from 'node:fs';

export function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** *Shape:* what lies at the path, undefined where there is nothing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  );
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  throw new TypeError(`${path.join('.')} is ${JSON.stringify(found)}: it must be a text`);
}

/** *Shape:* none where there is no list. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found: unknown = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** *Shape:* empty where there is no object. */
export function recordAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
  const found: unknown = at(value, ...path);
  return typeof found === 'object' && found !== null ? { ...found } : {};
}
