/**
 * Pure functions that keep their answers, for objects that are asked about again and again. The objects are compared by identity and
 * must not change. An answer is kept as long as its object.
 */

/** Keeps the answer. */
export function once<Answer>(ask: () => Answer): () => Answer {
  let known: { readonly answer: Answer } | undefined;
  return () => {
    known ??= { answer: ask() };
    return known.answer;
  };
}

/** Keeps the answer for each object. */
export function onceFor<About extends object, Answer>(ask: (about: About) => Answer): (about: About) => Answer {
  const known = new WeakMap<About, { readonly answer: Answer }>();
  return (about) => {
    const before = known.get(about);
    if (before !== undefined) return before.answer;
    const answer = ask(about);
    known.set(about, { answer });
    return answer;
  };
}

/** Keeps the last answer for each object. It is given again while every part of `beside` is the same. *Cost:* O(parts). */
export function lastFor<About extends object, Beside extends object, Answer>(
  ask: (about: About, beside: Beside) => Answer,
): (about: About, beside: Beside) => Answer {
  const known = new WeakMap<About, { readonly beside: Beside; readonly answer: Answer }>();
  return (about, beside) => {
    const before = known.get(about);
    if (before !== undefined && hasParts(beside, before.beside) && hasParts(before.beside, beside))
      return before.answer;
    const answer = ask(about, beside);
    known.set(about, { beside, answer });
    return answer;
  };
}

function hasParts<Parts extends object>(one: Parts, of: Parts): boolean {
  for (const part in of) if (one[part] !== of[part]) return false;
  return true;
}
