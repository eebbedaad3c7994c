import type { Document, YAMLMap } from 'yaml';
import { placeExpiries } from './claim-expiry.ts';
import { leftAlone, type OpenDocument, openDocument } from './open-document.ts';
import { placeKubelets } from './place-kubelets.ts';
import type { ConversionWarning } from './subject.ts';
import { warnOfTwins } from './twins.ts';

export type { ConversionWarning };

export interface Conversion {
  /**
   * What stands in the document's place: itself, untouched, or a converted copy and, behind it, the objects that had to
   * be split off, each of which begins with `---`.
   */
  readonly documents: readonly Document[];
  readonly converted: boolean;
  readonly warnings: readonly ConversionWarning[];
}

/**
 * Converts what was written for Karpenter before v1, and the workloads of those years; the documents themselves stay as
 * they are. *Shape:* one conversion for each document, in the same order. Kubelet settings move from pools to the node
 * classes that they name, in whichever document those stand.
 */
export function convertDocuments(documents: readonly Document[]): readonly Conversion[] {
  try {
    const open = documents.map(openDocument);
    const objects = open.flatMap((document) => document.objects);
    placeExpiries(objects);
    placeKubelets(objects);
    warnOfTwins(objects);
    return open.map(close);
  } catch (error) {
    // Walking a document recurses: one that nests too deeply ends in a full stack.
    if (!(error instanceof RangeError)) throw error;
    if (documents.length > 1) return documents.flatMap((document) => convertDocuments([document]));
    return documents.map((document) => ({
      documents: [document],
      converted: false,
      warnings: [leftAlone(document, 'nests too deeply to be converted', 'write less deeply nested YAML')],
    }));
  }
}

function close(open: OpenDocument): Conversion {
  const { original, working, warnings, added } = open;
  if (working === undefined || !open.isChanged()) return { documents: [original], converted: false, warnings };
  return { documents: [working, ...documentsOf(added, working)], converted: true, warnings };
}

/** Documents with the schema of another, by which texts such as "yes" are quoted. */
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
