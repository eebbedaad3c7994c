/** What an output of the stack is for: the command or the page that needs it. */

const EXACT: Readonly<Record<string, string>> = {
  TableName: 'The table of records: --table of kerf status, decisions, show, why, replay, cost and adopt',
  BodiesBucketName: 'The bucket of snapshots and large payloads: --bucket of kerf replay',
  EventBusName: 'The event bus on which every decision is published',
  CatalogueFunctionName: 'The function that reads instance types and prices (docs/operations.md)',
  WebhookUrl: 'The address that the API servers call when pods have no node (docs/webhook.md)',
  WebhookFunctionName: 'The webhook: its environment has the secret in its address (docs/webhook.md)',
};

/** By the end of the name; the rest of it names the function. */
const ENDS: readonly (readonly [end: string, textOf: (name: string) => string])[] = [
  ['QueueUrl', (name) => `The queue of ${name}: --queue of kerf dead-letters`],
  ['LogGroup', (name) => `The log of ${name} (docs/runbook.md)`],
  ['RoleArn', (name) => `The role of ${name}, for clusters without access entries (docs/operations.md)`],
];

/** *Errors:* RangeError for an output without a description. */
export function describeOutput(name: string): string {
  const exact = Object.hasOwn(EXACT, name) ? EXACT[name] : undefined;
  if (exact !== undefined) return exact;
  const found = ENDS.find(([end]) => name.endsWith(end));
  if (found === undefined) throw new RangeError(`the output ${name} has no description`);
  const [end, textOf] = found;
  return textOf(name.slice(0, -end.length).toLowerCase());
}
