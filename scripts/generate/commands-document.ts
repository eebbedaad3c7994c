import { app } from '../../lib/cli/app.ts';
import { helpText } from '../../lib/cli/help/help-text.ts';

type Target = typeof app.root;

const HEAD = `# Commands

The help of every command, as \`kerf help COMMAND\` prints it in a terminal of 80 columns. \`npm run generate\` writes this page.

In a clone of the repository, write \`npm run --silent kerf --\` in place of \`kerf\`. \`npm pack\` builds a package with the command.
`;

/** `docs/commands.md`: the help of every command, in the order of `kerf --help`. */
export function commandsDocument(): string {
  const sections = pagesOf(app.root, ['kerf']).map(({ prefix, target }) => {
    const text = helpText({ target, prefix, shared: [] }, { columns: 80, color: false });
    return `\n## ${prefix.join(' ')}\n\n\`\`\`text\n${text}\`\`\`\n`;
  });
  return `${HEAD}${sections.join('')}`;
}

interface Page {
  readonly prefix: readonly string[];
  readonly target: Target;
}

function pagesOf(target: Target, prefix: readonly string[]): readonly Page[] {
  const entries = 'getAllEntries' in target ? target.getAllEntries() : [];
  return [{ prefix, target }, ...entries.flatMap((entry) => pagesOf(entry.target, [...prefix, entry.name.original]))];
}
