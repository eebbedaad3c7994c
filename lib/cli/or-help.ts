/** Commands that have subcommands. */
const GROUPS: ReadonlySet<string> = new Set(['plan', 'dead-letters']);

/** Adds --help if no command is given. */
export function orHelp(args: readonly string[]): readonly string[] {
  const [first = '', ...more] = args;
  return args.length === 0 || (GROUPS.has(first) && more.length === 0) ? [...args, '--help'] : args;
}
