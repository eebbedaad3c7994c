import { optional } from '../../../apis/optional.ts';
import { type DecisionRecorder, decisionRecorder } from '../../../controllers/record/decision-recorder.ts';
import { KERF_VERSION } from '../../../core/version.ts';
import type { DecisionArchive } from '../../../ports/decision-log.ts';
import { DynamoDbDecisionLog } from '../../../providers/dynamodb/decision-log.ts';
import type { TableOptions } from '../../../providers/dynamodb/table.ts';
import { decidedText } from '../../../snapshot/write-snapshot.ts';

interface RecorderPlace {
  readonly table: TableOptions;
  /** The bucket, for functions that decide for a whole cluster. */
  readonly archive?: DecisionArchive | undefined;
  /** The clusters of the deployment. @default not known */
  readonly served?: readonly string[] | undefined;
}

export function recorderIn({ table, archive, served }: RecorderPlace): DecisionRecorder {
  return decisionRecorder({
    log: new DynamoDbDecisionLog({ ...table, ...optional({ archive }) }),
    ...optional({ archive }),
    snapshotText: decidedText,
    version: KERF_VERSION,
    ...optional({ served }),
  });
}
