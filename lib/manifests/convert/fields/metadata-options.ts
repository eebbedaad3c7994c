import { isMap, type YAMLMap } from 'yaml';
import { present, write } from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

const HOPS = 'httpPutResponseHopLimit';

/** A3.23: the default hop limit is one in v1, which excludes containers; before v1 it was two. */
export function convertMetadataOptions(
  subject: ConversionSubject,
  spec: YAMLMap,
  version: 'v1alpha1' | 'v1beta1',
): void {
  const options = present(spec, 'metadataOptions');
  if (options === undefined) {
    write(spec, 'metadataOptions', { [HOPS]: 2 });
    warnOfHops(subject, spec, 'metadataOptions');
  } else if (isMap(options.value)) {
    if (version === 'v1beta1') writeHops(subject, options.value);
    else writeTokens(subject, options.value);
  }
}

function writeHops(subject: ConversionSubject, options: YAMLMap): void {
  if (present(options, HOPS) !== undefined) return;
  write(options, HOPS, 2);
  warnOfHops(subject, options, HOPS);
}

function warnOfHops(subject: ConversionSubject, within: YAMLMap, field: string): void {
  subject.warn(
    { within, field },
    `${HOPS} was not set, and the default was 2; it is written explicitly because the default of v1 is 1`,
    `write ${HOPS}: 1 if no pod without hostNetwork needs the instance metadata`,
  );
}

/** Where v1alpha1 set some options, the defaults of EC2 applied to the others: one hop, and tokens optional. */
function writeTokens(subject: ConversionSubject, options: YAMLMap): void {
  if (present(options, 'httpTokens') !== undefined) return;
  write(options, 'httpTokens', 'optional');
  subject.warn(
    { within: options, field: 'httpTokens' },
    'was not set, and the default was optional; it is written explicitly because v1 requires tokens by default',
    'write httpTokens: required if all software on the nodes uses IMDSv2',
  );
}
