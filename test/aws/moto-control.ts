/** Controls moto in a test (`scripts/moto/rules.py`): faults, missing capacity, and the list of calls. */

export interface MotoRule {
  readonly kind: 'missing-capacity' | 'throttle' | 'lose-reply' | 'endless-pages' | 'deny' | 'impaired' | 'event';
  /** @default all */
  readonly actions?: readonly string[];
  /** A text in the body of matching requests, for example a cluster's name. @default all requests */
  readonly containing?: string;
  /** The share of the calls that fail. @default 1 */
  readonly share?: number;
  /** @default without end */
  readonly times?: number;
  /** For endless pages: repeats three of them. @default false */
  readonly circle?: boolean;
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: 'on-demand' | 'spot';
  /** The code of an event, or of the error for missing capacity. @default InsufficientInstanceCapacity */
  readonly code?: string;
  /** The status of one instance: `impaired` with the check and the time, `event` with its code. */
  readonly instanceId?: string;
  readonly part?: 'instance' | 'system';
  readonly since?: string;
}

export class MotoControl {
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** *Shape:* removes the rule. */
  async rule(rule: MotoRule): Promise<() => Promise<void>> {
    const { id } = await this.#call('POST', 'rules', rule);
    return async () => void (await this.#call('DELETE', `rules/${id}`));
  }

  /** The number of each call since the last read. */
  async takeCalls(): Promise<Readonly<Record<string, number>>> {
    return await this.#call('DELETE', 'calls');
  }

  async #call(method: string, path: string, body?: unknown) {
    const answer = await fetch(`${this.#endpoint}/kerf-test/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`moto's launcher: ${method} ${path}: ${answer.status} ${await answer.text()}`);
    return JSON.parse(await answer.text());
  }
}
