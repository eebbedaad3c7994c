import { OptionError } from '../../operator/options/option-values.ts';
import { PortError } from '../../ports/errors.ts';
import { failureParts } from '../argument-errors.ts';
import type { Finding } from './finding.ts';

const FIXES: Readonly<Record<string, string>> = {
  cluster: 'Check --cluster and --region: aws eks list-clusters lists what exists',
  'api server': 'Check the network and your access to the cluster, or choose a context with --context',
};
const FIX = 'Check the network and the rights of your credentials, then run kerf doctor again';

/** What could be read, and a finding for each failure. A failure stops only what depends on it. */
export class Readings {
  readonly #failed: Finding[] = [];
  readonly #errors: Error[] = [];
  #answers = 0;

  /** *Shape:* undefined after a failure. *Errors:* those that are not of a service or an option. */
  async read<Value>(check: string, call: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await call();
      this.#answers += 1;
      return value;
    } catch (error) {
      this.#fail(check, error);
      return undefined;
    }
  }

  /** The same for a connection, which is not an answer yet. */
  async open<Value>(check: string, connect: () => Promise<Value>): Promise<Value | undefined> {
    const value = await this.read(check, connect);
    if (value !== undefined) this.#answers -= 1;
    return value;
  }

  get failed(): readonly Finding[] {
    return this.#failed;
  }

  /** *Errors:* the first failure, if no read succeeded. */
  expectAnswer(): void {
    const [first] = this.#errors;
    if (this.#answers === 0 && first !== undefined) throw first;
  }

  #fail(check: string, error: unknown): void {
    if (!(error instanceof PortError) && !(error instanceof OptionError)) throw error;
    this.#errors.push(error);
    const { message, hint } = failureParts(error);
    // Several checks may need the same answer.
    if (this.#failed.some((failed) => failed.message === message)) return;
    // The message of an option says what to do.
    const fix = error instanceof OptionError ? {} : { fix: hint ?? FIXES[check] ?? FIX };
    this.#failed.push({ check, status: 'fail', message, ...fix });
  }
}
