import { ownField, textField } from '../../apis/record.ts';
import type { SourceObject } from './source-object.ts';

/** A valid object that a simulation or a plan does not use, or not as a cluster does. */
export interface IgnoredObject {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly name: string;
  /** The reason, such as `its pods are not simulated`. */
  readonly note: string;
}

export function ignoredObject({ file, document, base, value }: SourceObject, note: string): IgnoredObject {
  const metadata = ownField(value, 'metadata');
  const { line } = document.locate(base);
  return { file, line, kind: textField(value, 'kind') ?? '', name: textField(metadata, 'name') ?? '', note };
}
