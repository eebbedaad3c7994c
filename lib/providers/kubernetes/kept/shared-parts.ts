import { isRecord } from '../../../apis/record.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';

/** Parts that are usually equal in all pods of a Deployment. */
const SHARED: readonly string[] = [
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'containers',
  'initContainers',
  'tolerations',
  'affinity',
  'nodeSelector',
  'topologySpreadConstraints',
  'volumes',
];
/** Limits the memory for parts that turn out to be different. */
const MAX_PARTS = 5_000;
const LONGEST_TEXT = 10_000;

/** Stores equal parts of objects only once, for objects that arrive one by one from a watch. */
export class SharedParts {
  readonly #known = new Map<string, unknown>();

  /** The object with its parts replaced by equal stored parts. */
  share(raw: RawObject): RawObject {
    const parts = Object.entries(raw).map(([name, part]) => [name, isRecord(part) ? this.#shareIn(part) : part]);
    return fieldsOf(Object.fromEntries(parts));
  }

  #shareIn(part: RawObject): RawObject {
    const shared = Object.entries(part).map(([name, value]) => [
      name,
      SHARED.includes(name) ? this.#one(value) : value,
    ]);
    return fieldsOf(Object.fromEntries(shared));
  }

  #one(value: unknown): unknown {
    const text = JSON.stringify(value);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size < MAX_PARTS && text.length < LONGEST_TEXT) this.#known.set(text, value);
    return value;
  }
}
