import { type Fields, fieldsOf, isFields } from './project.ts';

/** Parts that the pods of one Deployment have alike. */
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
/** Where everything differs, remembering must not take the memory that it saves elsewhere. */
const MOST_PARTS = 5_000;
const LONGEST_TEXT = 10_000;

/** Objects that come one by one, as a watch brings them: equal parts of them are held once. */
export class SharedParts {
  readonly #known = new Map<string, unknown>();

  /** The object as it is read from JSON, its parts replaced by equal ones. */
  share(raw: Fields): Fields {
    const parts = Object.entries(raw).map(([name, part]) => [name, isFields(part) ? this.#shareIn(part) : part]);
    return fieldsOf(Object.fromEntries(parts));
  }

  #shareIn(part: Fields): Fields {
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
    if (this.#known.size < MOST_PARTS && text.length < LONGEST_TEXT) this.#known.set(text, value);
    return value;
  }
}
