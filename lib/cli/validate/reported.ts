import type { Unreadable } from '../read-sources.ts';
import type { Finding, ValidatedObject } from './validation.ts';

/** The findings and read errors in one form, for the formats of CI systems. */
export interface Reported {
  readonly rule: RuleId;
  readonly severity: Finding['severity'];
  readonly file: string;
  readonly line: number;
  /** `NodePool/general`, or empty for text that cannot be read. */
  readonly object: string;
  readonly path: string;
  /** The message with the field and the fix, in one line. */
  readonly text: string;
}

export const RULES = {
  unreadable: 'The file or document cannot be read',
  invalid: 'The API server or Karpenter rejects the object',
  unintended: 'The setting is valid, but probably unintended',
} as const;
type RuleId = keyof typeof RULES;

export function reportedOf(
  objects: readonly ValidatedObject[],
  unreadable: readonly Unreadable[],
): readonly Reported[] {
  return [
    ...unreadable.map(({ file, line, message }): Reported => {
      return { rule: 'unreadable', severity: 'error', file, line, object: '', path: '', text: message };
    }),
    ...objects.flatMap(({ file, kind, name, findings }) =>
      findings.map(({ severity, path, line, message, fix }): Reported => {
        const what = path === '' ? message : `${path}: ${message}`;
        return {
          rule: severity === 'error' ? 'invalid' : 'unintended',
          severity,
          file,
          line,
          object: name === '' ? kind : `${kind}/${name}`,
          path,
          text: fix === '' ? what : `${what}; ${fix}`,
        };
      }),
    ),
  ];
}
