import { ARCH } from '../../apis/labels.ts';
import { requirementsFrom, whyLabelsFail } from '../requirements/requirements.ts';
import type { LaunchType } from './node-claim-record.ts';
import type { ResolvedImage } from './resolved-node-class.ts';

/** C62, C65: the first image whose requirements the type meets. */
export function imageFor<Image extends Pick<ResolvedImage, 'requirements'>>(
  { architecture, imageLabels }: Pick<LaunchType, 'architecture' | 'imageLabels'>,
  images: readonly Image[],
): Image | undefined {
  const labels = { ...imageLabels, [ARCH]: architecture };
  return images.find(({ requirements }) => whyLabelsFail(labels, requirementsFrom(requirements)) === undefined);
}
