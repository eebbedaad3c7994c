import { isMap, type YAMLMap } from 'yaml';
import type { Subject } from './subject.ts';
import { present, write } from './yaml-map.ts';

const HOPS = 'httpPutResponseHopLimit';

/** A3.23: v1 lets metadata pass one hop, which containers are behind; before v1 the default was two. */
export function convertMetadataOptions(subject: Subject, spec: YAMLMap, version: 'v1alpha1' | 'v1beta1'): void {
  const options = present(spec, 'metadataOptions');
  if (options === undefined) {
    write(spec, 'metadataOptions', { [HOPS]: 2 });
    warnOfHops(subject, spec, 'metadataOptions');
  } else if (isMap(options.value)) {
    if (version === 'v1beta1') writeHops(subject, options.value);
    else writeTokens(subject, options.value);
  }
}

function writeHops(subject: Subject, options: YAMLMap): void {
  if (present(options, HOPS) !== undefined) return;
  write(options, HOPS, 2);
  warnOfHops(subject, options, HOPS);
}

function warnOfHops(subject: Subject, within: YAMLMap, field: string): void {
  subject.warn(
    { within, field },
    `${HOPS} was not given, which meant 2; it is written out because v1's default is 1`,
    `write ${HOPS}: 1 if no pod without the host's network needs the instance's metadata`,
  );
}

/** Where v1alpha1 gave some options, EC2's own defaults held for the others: one hop, and tokens optional. */
function writeTokens(subject: Subject, options: YAMLMap): void {
  if (present(options, 'httpTokens') !== undefined) return;
  write(options, 'httpTokens', 'optional');
  subject.warn(
    { within: options, field: 'httpTokens' },
    'was not given beside other metadata options, which meant optional; it is written out because v1 requires tokens',
    'write httpTokens: required if every program on the nodes uses IMDSv2',
  );
}
