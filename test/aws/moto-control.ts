/** What our launcher of moto lets a test ask for (`scripts/moto/rules.py`): faults, missing capacity, and what was called. */

export interface MotoRule {
  readonly kind: 'missing-capacity' | 'throttle' | 'lose-reply' | 'endless-pages' | 'deny' | 'impaired' | 'event';
  /** @default all */
  readonly actions?: readonly string[];
  /** @default all requests; else those whose body holds this text, such as a cluster's name */
  readonly containing?: string;
  /** The part of the calls that it strikes. @default 1 */
  readonly share?: number;
  /** @default for ever */
  readonly times?: number;
  /** Of endless pages: three of them in a circle. @default false */
  readonly circle?: boolean;
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: 'on-demand' | 'spot';
  /** Of an event, its own; of missing capacity, the error's. @default InsufficientInstanceCapacity */
  readonly code?: string;
  /** Of what is said of one instance: `impaired` with the part and the time, `event` with its code. */
  readonly instanceId?: string;
  readonly part?: 'instance' | 'system';
  readonly since?: string;
}

export class MotoControl {
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** *Shape:* takes the rule back. */
  async rule(rule: MotoRule): Promise<() => Promise<void>> {
    const { id } = await this.#call('POST', 'rules', rule);
    return async () => void (await this.#call('DELETE', `rules/${id}`));
  }

  /** How often each call was made since this was last asked. */
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
