/** What differs from a real cluster in this simulation, for its summary. */
export interface Remarks {
  /**
   * Adds a remark. `text` states what is left out or assumed, such as `its volumes are not simulated`; `subject` is the object, such
   * as `StatefulSet default/db`. The same remark can be added many times.
   */
  add(text: string, subject?: string): void;
  /** One line for each text, in the order of the first remark; with the subjects before it. */
  lines(): readonly string[];
}

/** The number of subjects that a line names. */
const MAX_NAMED = 3;

export function remarks(): Remarks {
  const subjectsOf = new Map<string, Set<string>>();
  return {
    add(text, subject) {
      const subjects = subjectsOf.get(text) ?? new Set();
      subjectsOf.set(text, subjects);
      if (subject !== undefined) subjects.add(subject);
    },
    lines: () => [...subjectsOf].map(([text, subjects]) => lineOf(text, [...subjects])),
  };
}

/** `StatefulSet default/a, StatefulSet default/b and 2 more: its volumes are not simulated`. */
function lineOf(text: string, subjects: readonly string[]): string {
  if (subjects.length === 0) return text;
  const named = subjects.slice(0, MAX_NAMED).join(', ');
  const more = subjects.length - MAX_NAMED;
  return `${named}${more > 0 ? ` and ${more} more` : ''}: ${text}`;
}
