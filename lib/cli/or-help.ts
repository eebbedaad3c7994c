/** Commands that are only the beginning of others. */
const GROUPS: ReadonlySet<string> = new Set(['plan']);

/** Who names no command wants to know which there are. */
export function orHelp(args: readonly string[]): readonly string[] {
  const [first = '', ...more] = args;
  return args.length === 0 || (GROUPS.has(first) && more.length === 0) ? [...args, '--help'] : args;
}
