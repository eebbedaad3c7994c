import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Decision } from '../../../core/model/decision.ts';
import { RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { isTransientCode, translated } from '../client/errors.ts';
import { decisionDetail } from './decision-detail.ts';

export interface DecisionBusOptions {
  readonly client: EventBridgeClient;
  readonly busName: string;
}

/** The source and detail type of every decision, which rules match. */
const DECISION_SOURCE = 'kerf';
const DECISION_DETAIL_TYPE = 'Decision';

export class EventBridgeDecisionBus {
  readonly #client: EventBridgeClient;
  readonly #busName: string;

  constructor({ client, busName }: DecisionBusOptions) {
    this.#client = client;
    this.#busName = busName;
  }

  async publish(decision: Decision): Promise<void> {
    const entry = {
      EventBusName: this.#busName,
      Source: DECISION_SOURCE,
      DetailType: DECISION_DETAIL_TYPE,
      Detail: decisionDetail(decision),
    };
    const doing = `publish decision ${decision.id} on bus ${this.#busName}`;
    const answer = await translated(doing, () => this.#client.send(new PutEventsCommand({ Entries: [entry] })));
    // PutEvents returns 200 with the error in the entry.
    const failed = answer.Entries?.find((each) => each.ErrorCode !== undefined);
    if (failed === undefined) return;
    const message = `${doing}: ${failed.ErrorCode}: ${failed.ErrorMessage ?? 'no message'}`;
    throw isTransientCode(failed.ErrorCode) ? new UnreachableError(message) : new RefusedError(message);
  }
}
