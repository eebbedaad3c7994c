/** `skip`: was not checked. */
export type FindingStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** The result of one check. */
export interface Finding {
  /** Such as `subnets`. A check may have several findings. */
  readonly check: string;
  readonly status: FindingStatus;
  /** One sentence with the numbers, without a full stop. */
  readonly message: string;
  /** A command or a setting. @default nothing is to be done */
  readonly fix?: string;
}

/** A finding from a message of Kerf's functions, whose first sentence is the problem and whose others say what to do. */
export function findingOf(check: string, status: 'warn' | 'fail', text: string): Finding {
  const at = text.indexOf('. ');
  if (at === -1) return { check, status, message: text };
  return { check, status, message: text.slice(0, at), fix: text.slice(at + 2) };
}
