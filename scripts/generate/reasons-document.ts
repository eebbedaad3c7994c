import { REASONS } from '../../lib/core/explain/reason-texts.ts';

/** The text of docs/reasons.md. */
export function reasonsDocument(): string {
  const rows = Object.entries(REASONS).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`);
  return `${INTRODUCTION}\n| reason | what it means and what to do |\n|---|---|\n${rows.join('\n')}\n`;
}

const INTRODUCTION = `<!-- Generated from lib/core/explain/reason-texts.ts by \`npm run generate\`: do not edit. -->
# Reasons

When Kerf does not do something, it reports a refusal: the object that the refusal is about (\`subject\`), the \`nodePool\` if one is
involved, a \`reason\` from this table, a \`message\` with the details, and \`numbers\`. Refusals are in the decisions that Kerf publishes
on the event bus (\`detail.blocked\`), in the logs, in Kubernetes events and conditions, and in the JSON output of the command line. A
version of Kerf reports no reason that is not in its table.
`;
