import type { YAMLMap } from 'yaml';
import type { Subject } from './subject.ts';
import { find, isEmpty, newPair, present, setText, textAt, write } from './yaml-map.ts';

/** The families whose newest image v1 names with an alias (A3.5); before v1 they were found by the family alone. */
const ALIASED: ReadonlySet<string> = new Set(['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022']);

/** Every node class of v1 says which images it takes: the alias of its family, where it named no images. */
export function convertAmis(subject: Subject, spec: YAMLMap, familyByDefault: 'AL2' | undefined): void {
  if (familyByDefault !== undefined && present(spec, 'amiFamily') === undefined)
    addFamily(subject, spec, familyByDefault);
  const family = textAt(spec, 'amiFamily');
  const terms = find(spec, 'amiSelectorTerms');
  if (family === 'Ubuntu') convertUbuntu(subject, spec);
  if (terms !== undefined && !isEmpty(terms.value)) return;
  if (family === undefined || !ALIASED.has(family)) {
    warnOfNoImages(subject, spec, family);
    return;
  }
  const alias = newPair('amiSelectorTerms', [{ alias: `${family.toLowerCase()}@latest` }]);
  if (terms === undefined) spec.items.splice(afterFamily(spec), 0, alias);
  else terms.value = alias.value;
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

/** Ubuntu's user data has the format of AL2's; its root volume is another. */
function convertUbuntu(subject: Subject, spec: YAMLMap): void {
  const family = find(spec, 'amiFamily');
  if (family === undefined) return;
  setText(family, 'AL2');
  subject.warn(
    family,
    'Ubuntu is no AMI family of v1; it became AL2, whose user data has the same format',
    'name the Ubuntu images in amiSelectorTerms, by id or by name and owner',
  );
  if (present(spec, 'blockDeviceMappings') !== undefined) return;
  write(spec, 'blockDeviceMappings', [
    { deviceName: '/dev/sda1', rootVolume: true, ebs: { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' } },
  ]);
  subject.warn(
    { within: spec, field: 'blockDeviceMappings' },
    "Ubuntu's root volume is written out, since AL2's has another device name",
    'check that the images boot from /dev/sda1',
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
