import type { Labels } from '../../apis/kubernetes.ts';
import { TENANCY } from '../../apis/labels.ts';
import { admits } from '../requirements/requirement.ts';
import type { Requirements } from '../requirements/requirements.ts';

/** C43: whether the requirements exclude the default tenancy, so that a launch asks for dedicated hardware. */
export function isDedicated(requirements: Requirements): boolean {
  const tenancy = requirements.get(TENANCY);
  return tenancy !== undefined && !admits(tenancy, 'default') && admits(tenancy, 'dedicated');
}

/** C19: the label of an instance that is launched with these requirements. */
export function tenancyLabel(requirements: Requirements): Labels {
  return { [TENANCY]: isDedicated(requirements) ? 'dedicated' : 'default' };
}
