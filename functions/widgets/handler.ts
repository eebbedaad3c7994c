import type { Context } from 'aws-lambda';
import { answerWidget } from '../../lib/controllers/widgets.ts';
import { wireWidgets } from '../../lib/operator/wiring/records/widgets.ts';

const ports = wireWidgets();

/** Called by the dashboard of CloudWatch for each custom widget that somebody opens. */
export async function handler(event: unknown, context: Pick<Context, 'invokedFunctionArn'>): Promise<string> {
  return await answerWidget(ports, event, context.invokedFunctionArn);
}
