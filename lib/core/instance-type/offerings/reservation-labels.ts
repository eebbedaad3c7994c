import type { Labels } from '../../../apis/kubernetes.ts';
import { RESERVATION_ID, RESERVATION_INTERRUPTIBLE, RESERVATION_TYPE } from '../../../apis/labels.ts';
import type { Reservation } from '../../model/instance-type.ts';

/** C22: the labels of a node from a reservation. */
export function reservationLabels({ id, kind = 'default' }: Pick<Reservation, 'id' | 'kind'>): Labels {
  return {
    [RESERVATION_ID]: id,
    [RESERVATION_TYPE]: kind === 'capacity-block' ? 'capacity-block' : 'default',
    [RESERVATION_INTERRUPTIBLE]: String(kind === 'interruptible'),
  };
}
