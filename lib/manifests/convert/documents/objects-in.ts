import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { isFormer, type KindHead } from '../kinds.ts';
import { setHead } from '../subject.ts';
import { find, textAt } from './yaml-map.ts';

export interface FoundObject {
  readonly root: YAMLMap;
  readonly head: KindHead;
  /** The items of the List that contains it. */
  readonly list: YAMLSeq | undefined;
}

interface Around {
  readonly list: YAMLSeq;
  /** The version and kind of the items of a typed list. */
  readonly item: KindHead | undefined;
}

/** The object of a document, or those of a List, which may contain Lists too. */
export function objectsIn(root: unknown, around?: Around): readonly FoundObject[] {
  if (!isMap(root)) return [];
  const kind = textAt(root, 'kind') ?? around?.item?.kind;
  const apiVersion = textAt(root, 'apiVersion') ?? around?.item?.apiVersion;
  if (kind === undefined || apiVersion === undefined) return [];
  const items = find(root, 'items')?.value;
  if (!kind.endsWith('List') || !isSeq(items)) return [{ root, head: { apiVersion, kind }, list: around?.list }];
  const item = itemHead({ apiVersion, kind });
  return items.items.flatMap((each) => objectsIn(each, { list: items, item }));
}

/** Whether there is a typed list of a former kind, such as a ProvisionerList. */
export function hasFormerList(root: unknown): boolean {
  const around = listOf(root);
  return around !== undefined && (isFormerItem(around.item) || around.list.items.some(hasFormerList));
}

/** Turns every typed list of a former kind into a List, and writes apiVersion and kind to its items. */
export function untypeLists(root: unknown): void {
  const around = listOf(root);
  if (around === undefined || !isMap(root)) return;
  for (const item of around.list.items) untypeLists(item);
  const { item: head } = around;
  if (head === undefined || !isFormer(head)) return;
  setHead(root, 'v1', 'List');
  for (const item of around.list.items)
    if (isMap(item) && find(item, 'kind') === undefined) setHead(item, head.apiVersion, head.kind);
}

function isFormerItem(head: KindHead | undefined): boolean {
  return head !== undefined && isFormer(head);
}

function listOf(root: unknown): Around | undefined {
  if (!isMap(root)) return undefined;
  const kind = textAt(root, 'kind');
  const items = find(root, 'items')?.value;
  if (kind?.endsWith('List') !== true || !isSeq(items)) return undefined;
  return { list: items, item: itemHead({ apiVersion: textAt(root, 'apiVersion') ?? '', kind }) };
}

/** The items of a typed list, such as a PodList, may omit apiVersion and kind. */
function itemHead({ apiVersion, kind }: KindHead): KindHead | undefined {
  return kind === 'List' ? undefined : { apiVersion, kind: kind.slice(0, -'List'.length) };
}
