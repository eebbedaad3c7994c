import type { YAMLMap } from 'yaml';
import { setValue } from '../documents/comments.ts';
import {
  find,
  isEmptyMap,
  mapAt,
  mapsIn,
  newPair,
  present,
  setText,
  take,
  textAt,
  toNode,
  write,
} from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

/** The families whose latest image v1 selects with an alias (A3.5). Before v1 the family alone selected it. */
const ALIASED: ReadonlySet<string> = new Set(['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022']);

const ALIAS_VERSION = 'compatibility.karpenter.k8s.aws/v1-alias-version';

interface Defaults {
  readonly family?: 'AL2';
  /** The version of the family's images; always the latest for Windows. */
  readonly version?: string | undefined;
}

/** Writes the alias of the family where a node class has no images, because v1 requires amiSelectorTerms. */
export function convertAmis(subject: ConversionSubject, spec: YAMLMap, defaults: Defaults): void {
  if (defaults.family !== undefined && present(spec, 'amiFamily') === undefined)
    addFamily(subject, spec, defaults.family);
  const family = textAt(spec, 'amiFamily');
  const terms = find(spec, 'amiSelectorTerms');
  const given = terms !== undefined && !isEmptyMap(terms.value);
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

function addFamily(subject: ConversionSubject, spec: YAMLMap, family: string): void {
  write(spec, 'amiFamily', family);
  subject.warn(
    { within: spec, field: 'amiFamily' },
    `was not set, and the default was ${family}; it is written explicitly because v1 has no default`,
    'move to AL2023 when you can: amiSelectorTerms: [{alias: al2023@latest}]',
  );
}

/** v1 requires amiFamily where the images are not selected by alias. Karpenter's own conversion writes Custom. */
export function addCustomFamily(subject: ConversionSubject, spec: YAMLMap): void {
  const terms = mapsIn(spec, 'amiSelectorTerms');
  if (present(spec, 'amiFamily') !== undefined || terms.length === 0) return;
  if (terms.some((term) => find(term, 'alias') !== undefined)) return;
  write(spec, 'amiFamily', 'Custom');
  subject.warn(
    { within: spec, field: 'amiFamily' },
    'is missing, and v1 requires it unless the images are selected by alias; Custom is written, which uses the user data unchanged',
    'write the family whose user data format the images use, such as AL2023',
  );
}

/** Removes the annotation with the version of the family's images, which Karpenter v1 writes for conversion to v1beta1. */
export function takeAliasVersion(root: YAMLMap): string | undefined {
  const metadata = mapAt(root, 'metadata');
  const annotations = mapAt(metadata, 'annotations');
  if (metadata === undefined || annotations === undefined) return undefined;
  const version = textAt(annotations, ALIAS_VERSION);
  if (take(annotations, ALIAS_VERSION) !== undefined && annotations.items.length === 0) take(metadata, 'annotations');
  return version;
}

/** Ubuntu uses the user data format of AL2, but another root volume. */
function convertUbuntu(subject: ConversionSubject, spec: YAMLMap, hasImages: boolean): void {
  const family = find(spec, 'amiFamily');
  if (family === undefined) return;
  setText(family, 'AL2');
  subject.warn(
    family,
    'Ubuntu is not an AMI family of v1; it became AL2, which has the same user data format',
    'select the Ubuntu images in amiSelectorTerms, by id or by name and owner',
  );
  if (present(spec, 'blockDeviceMappings') === undefined) {
    write(spec, 'blockDeviceMappings', [
      { deviceName: '/dev/sda1', rootVolume: true, ebs: { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' } },
    ]);
    subject.warn(
      { within: spec, field: 'blockDeviceMappings' },
      "Ubuntu's root volume is written explicitly, because that of AL2 has another device name",
      'check that the images boot from /dev/sda1',
    );
  }
  if (hasImages) return;
  writeTerms(spec, { id: 'ami-placeholder' });
  subject.warn(
    { within: spec, field: 'amiSelectorTerms' },
    'is missing, and v1 has no default Ubuntu images; ami-placeholder is written, with which no node can start',
    'write the images, such as [{name: ubuntu-eks/k8s_1.33/images/*, owner: "099720109477"}]',
  );
}

function warnOfNoImages(subject: ConversionSubject, spec: YAMLMap, family: string | undefined): void {
  const why = family === undefined ? 'amiFamily is not set' : `${family} has no alias`;
  subject.warn(
    { within: spec, field: 'amiSelectorTerms' },
    `is missing and could not be derived: ${why}`,
    'add amiSelectorTerms, such as [{alias: al2023@latest}] or [{id: ami-...}]',
  );
}
