import type { Context } from 'aws-lambda';
import { answerWidget } from '../../lib/controllers/widgets.ts';
import { wireWidgets } from '../../lib/operator/wiring/records/widgets.ts';

const ports = wireWidgets();

/** CloudWatch calls it for each custom widget of an open dashboard. */
export async function handler(event: unknown, context: Pick<Context, 'invokedFunctionArn'>): Promise<string> {
  return await answerWidget(ports, event, context.invokedFunctionArn);
}
