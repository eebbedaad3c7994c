import type { YAMLMap } from 'yaml';
import { setValue } from './comments.ts';
import type { Subject } from './subject.ts';
import { find, isEmpty, mapAt, mapsIn, newPair, present, setText, take, textAt, toNode, write } from './yaml-map.ts';

/** The families whose newest image v1 names with an alias (A3.5); before v1 they were found by the family alone. */
const ALIASED: ReadonlySet<string> = new Set(['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022']);

const ALIAS_VERSION = 'compatibility.karpenter.k8s.aws/v1-alias-version';

interface Defaults {
  readonly family?: 'AL2';
  /** Of the images of the family; that of Windows is always the latest. */
  readonly version?: string | undefined;
}

/** Every node class of v1 says which images it takes: the alias of its family, where it named no images. */
export function convertAmis(subject: Subject, spec: YAMLMap, defaults: Defaults): void {
  if (defaults.family !== undefined && present(spec, 'amiFamily') === undefined)
    addFamily(subject, spec, defaults.family);
  const family = textAt(spec, 'amiFamily');
  const terms = find(spec, 'amiSelectorTerms');
  const given = terms !== undefined && !isEmpty(terms.value);
  if (family === 'Ubuntu') convertUbuntu(subject, spec, given);
  else if (!given && (family === undefined || !ALIASED.has(family))) warnOfNoImages(subject, spec, family);
  else if (!given && family !== undefined) {
    const version = family.startsWith('Windows') ? undefined : defaults.version;
    writeTerms(spec, { alias: `${family.toLowerCase()}@${version ?? 'latest'}` });
  }
}

function writeTerms(spec: YAMLMap, term: Readonly<Record<string, string>>): void {
  const terms = find(spec, 'amiSelectorTerms');
  if (terms === undefined) spec.items.splice(afterFamily(spec), 0, newPair('amiSelectorTerms', [term]));
  else setValue(terms, toNode([term]));
}

function afterFamily(spec: YAMLMap): number {
  const family = find(spec, 'amiFamily');
  return family === undefined ? spec.items.length : spec.items.indexOf(family) + 1;
}

function addFamily(subject: Subject, spec: YAMLMap, family: string): void {
  write(spec, 'amiFamily', family);
  subject.warn(
    { within: spec, field: 'amiFamily' },
    `was not given, which meant ${family}; it is written out because v1 has no such default`,
    'move to AL2023 when you can: amiSelectorTerms: [{alias: al2023@latest}]',
  );
}

/** v1 wants the family of images that are no alias, and Karpenter's own conversion calls it Custom. */
export function addCustomFamily(subject: Subject, spec: YAMLMap): void {
  const terms = mapsIn(spec, 'amiSelectorTerms');
  if (present(spec, 'amiFamily') !== undefined || terms.length === 0) return;
  if (terms.some((term) => find(term, 'alias') !== undefined)) return;
  write(spec, 'amiFamily', 'Custom');
  subject.warn(
    { within: spec, field: 'amiFamily' },
    'is missing, and v1 needs it beside such images; Custom is written, whose user data is used as it stands',
    'write the family whose user data the images take, such as AL2023',
  );
}

/** Takes out the version of the family's images, which Karpenter's v1 noted on a class for its v1beta1 self to keep. */
export function takeAliasVersion(root: YAMLMap): string | undefined {
  const metadata = mapAt(root, 'metadata');
  const annotations = mapAt(metadata, 'annotations');
  if (metadata === undefined || annotations === undefined) return undefined;
  const version = textAt(annotations, ALIAS_VERSION);
  if (take(annotations, ALIAS_VERSION) !== undefined && annotations.items.length === 0) take(metadata, 'annotations');
  return version;
}

/** Ubuntu's user data has the format of AL2's; its root volume is another. */
function convertUbuntu(subject: Subject, spec: YAMLMap, hasImages: boolean): void {
  const family = find(spec, 'amiFamily');
  if (family === undefined) return;
  setText(family, 'AL2');
  subject.warn(
    family,
    'Ubuntu is no AMI family of v1; it became AL2, whose user data has the same format',
    'name the Ubuntu images in amiSelectorTerms, by id or by name and owner',
  );
  if (present(spec, 'blockDeviceMappings') === undefined) {
    write(spec, 'blockDeviceMappings', [
      { deviceName: '/dev/sda1', rootVolume: true, ebs: { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' } },
    ]);
    subject.warn(
      { within: spec, field: 'blockDeviceMappings' },
      "Ubuntu's root volume is written out, since AL2's has another device name",
      'check that the images boot from /dev/sda1',
    );
  }
  if (hasImages) return;
  writeTerms(spec, { id: 'ami-placeholder' });
  subject.warn(
    { within: spec, field: 'amiSelectorTerms' },
    'is missing, and v1 finds no Ubuntu images by itself; ami-placeholder stands in, with which no node starts',
    'write the images, such as [{name: ubuntu-eks/k8s_1.33/images/*, owner: "099720109477"}]',
  );
}

function warnOfNoImages(subject: Subject, spec: YAMLMap, family: string | undefined): void {
  const why = family === undefined ? 'no AMI family is given' : `${family} has no alias`;
  subject.warn(
    { within: spec, field: 'amiSelectorTerms' },
    `is missing and could not be made up: ${why}`,
    'add amiSelectorTerms, such as [{alias: al2023@latest}] or [{id: ami-...}]',
  );
}
