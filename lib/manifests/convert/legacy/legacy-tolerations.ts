import type { YAMLMap } from 'yaml';
import { DISRUPTED_TAINT } from '../../../apis/taints.ts';
import { moveComments } from '../documents/comments.ts';
import { find, mapsIn, newPair, setText, take, textAt, write } from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

/** Before v1 the taint of a draining node had this key and the value "disrupting". */
const FORMER_KEY = 'karpenter.sh/disruption';

/** *Shape:* whether anything changed. A toleration with another value had no effect, and is kept. */
export function convertTolerations(subject: ConversionSubject, pod: YAMLMap | undefined): boolean {
  const former = mapsIn(pod, 'tolerations').filter(toleratesDisruption);
  for (const toleration of former) convertToleration(subject, toleration);
  return former.length > 0;
}

function toleratesDisruption(toleration: YAMLMap): boolean {
  if (textAt(toleration, 'key') !== FORMER_KEY) return false;
  return textAt(toleration, 'operator') === 'Exists' || textAt(toleration, 'value') === 'disrupting';
}

function convertToleration(subject: ConversionSubject, toleration: YAMLMap): void {
  const key = find(toleration, 'key');
  if (key === undefined) return;
  setText(key, DISRUPTED_TAINT.key);
  const value = take(toleration, 'value');
  if (find(toleration, 'operator') === undefined)
    toleration.items.splice(toleration.items.indexOf(key) + 1, 0, newPair('operator', 'Exists'));
  else write(toleration, 'operator', 'Exists');
  const operator = find(toleration, 'operator');
  if (operator !== undefined) moveComments(value, operator);
  subject.warn(
    key,
    `"${FORMER_KEY}" became "${DISRUPTED_TAINT.key}", the taint of draining nodes, which has no value`,
    `write {key: ${DISRUPTED_TAINT.key}, operator: Exists}`,
  );
}
