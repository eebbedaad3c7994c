import type { Document, YAMLMap } from 'yaml';
import { warnOfDuplicates } from './documents/duplicates.ts';
import { keptUnchanged, type OpenDocument, openDocument } from './documents/open-document.ts';
import { placeExpiries } from './fields/claim-expiry.ts';
import { placeKubelets } from './fields/place-kubelets.ts';
import type { ConversionWarning } from './subject.ts';

export type { ConversionWarning };

export interface Conversion {
  /**
   * The replacement of the document: the unchanged document, or a converted copy followed by the objects that were split
   * off, each of which begins with `---`.
   */
  readonly documents: readonly Document[];
  readonly converted: boolean;
  readonly warnings: readonly ConversionWarning[];
}

/**
 * Converts objects of Karpenter before v1, and workloads that use its old names. The documents are not modified. *Shape:*
 * one conversion for each document, in the same order. Kubelet settings move from pools to the node classes that they
 * reference, which may be in another document.
 */
export function convertDocuments(documents: readonly Document[]): readonly Conversion[] {
  try {
    const open = documents.map(openDocument);
    const objects = open.flatMap((document) => document.objects);
    placeExpiries(objects);
    placeKubelets(objects);
    warnOfDuplicates(objects);
    return open.map(close);
  } catch (error) {
    // Walking a document recurses: one that nests too deeply overflows the stack.
    if (!(error instanceof RangeError)) throw error;
    if (documents.length > 1) return documents.flatMap((document) => convertDocuments([document]));
    return documents.map((document) => ({
      documents: [document],
      converted: false,
      warnings: [keptUnchanged(document, 'nests too deeply to be converted', 'write less deeply nested YAML')],
    }));
  }
}

function close(open: OpenDocument): Conversion {
  const { original, working, warnings, added } = open;
  if (working === undefined || !open.isChanged()) return { documents: [original], converted: false, warnings };
  return { documents: [working, ...documentsOf(added, working)], converted: true, warnings };
}

/** Documents with the schema of another. The schema decides whether text such as "yes" is quoted. */
function documentsOf(roots: readonly YAMLMap[], like: Document): readonly Document[] {
  if (roots.length === 0) return [];
  const blank = like.clone();
  blank.contents = null;
  blank.commentBefore = null;
  blank.comment = null;
  if (blank.directives !== undefined) blank.directives.docStart = true;
  return roots.map((root) => {
    const document = blank.clone();
    document.contents = root;
    return document;
  });
}
