import type { Catalogue } from '../core/instance-type/facts.ts';
import { type Marked, marked } from '../core/instance-type/offerings/marked.ts';
import { unavailableKey } from '../core/instance-type/offerings/unavailable.ts';
import type { UnavailableMark, UnavailableOffering } from '../core/model/decision.ts';
import { type LearnedMemory, replacesLesson } from '../core/model/learned-memory.ts';
import type { CatalogueStore } from '../ports/catalogue-store.ts';

/** The CatalogueStore in memory. */
export function memoryCatalogueStore(): CatalogueStore {
  let catalogue: Catalogue | undefined;
  const unavailable = new Map<string, { readonly mark: UnavailableMark; readonly memory: Marked }>();
  const learned = new Map<string, LearnedMemory>();
  return {
    readCatalogue: async () => catalogue,
    writeCatalogue: async (written) => {
      catalogue = written;
    },
    markUnavailable: async (marks) => {
      for (const mark of marks) {
        const before = unavailable.get(unavailableKey(mark));
        const memory = marked(before?.memory, mark.atMs, mark.reason);
        if (memory !== before?.memory) unavailable.set(unavailableKey(mark), { mark, memory });
      }
    },
    listUnavailable: async (nowMs) =>
      [...unavailable.values()]
        .filter(({ memory }) => memory.untilMs > nowMs)
        .map(({ mark, memory }) => offeringOf(mark, memory)),
    learnMemory: async (lesson, nowMs) => {
      const key = `${lesson.instanceType} ${lesson.imageId}`;
      const before = learned.get(key);
      if (before === undefined || replacesLesson(lesson, before, nowMs)) learned.set(key, lesson);
    },
    listLearnedMemory: async (nowMs) => [...learned.values()].filter(({ untilMs }) => untilMs > nowMs),
  };
}

function offeringOf({ atMs: _at, ...what }: UnavailableMark, { untilMs, markedAtMs }: Marked): UnavailableOffering {
  return { ...what, untilMs, markedAtMs };
}
