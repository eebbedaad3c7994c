import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { CATALOGUE_WAKE } from '../../../core/delivery/catalogue-wake.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { RefusedError, UnreachableError } from '../../../ports/errors.ts';
import type { Wake } from '../../../ports/messages.ts';
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
    const entry = { Source: DECISION_SOURCE, DetailType: DECISION_DETAIL_TYPE, Detail: decisionDetail(decision) };
    await this.#put(entry, `publish decision ${decision.id} on bus ${this.#busName}`);
  }

  /** Wakes the catalogue function, which has no queue: it is woken so rarely that polling one would be most of its cost. */
  async wakeCatalogue(wake: Wake): Promise<void> {
    const entry = { ...CATALOGUE_WAKE, Detail: JSON.stringify(wake) };
    await this.#put(entry, `wake the catalogue for ${wake.cluster} by bus ${this.#busName}`);
  }

  async #put(entry: PutEventsRequestEntry, doing: string): Promise<void> {
    const command = new PutEventsCommand({ Entries: [{ EventBusName: this.#busName, ...entry }] });
    const answer = await translated(doing, () => this.#client.send(command));
    // PutEvents returns 200 with the error in the entry.
    const failed = answer.Entries?.find((each) => each.ErrorCode !== undefined);
    if (failed === undefined) return;
    const message = `${doing}: ${failed.ErrorCode}: ${failed.ErrorMessage ?? 'no message'}`;
    throw isTransientCode(failed.ErrorCode) ? new UnreachableError(message) : new RefusedError(message);
  }
}
