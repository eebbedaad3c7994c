import { proposeCompletions, run } from '@stricli/core';
import { app } from './app.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { COMPLETE } from './help/completion-scripts.ts';

/** Runs the command that the arguments name. *Shape:* the exit code. */
export async function runCommandLine(args: readonly string[], context: CliContext): Promise<number> {
  if (args[0] === COMPLETE) {
    context.process.stdout.write(await proposals(args.slice(1), context));
    return EXIT.fine;
  }
  await run(app, inFull(args), context);
  const code = Number(context.process.exitCode ?? EXIT.fine);
  // The exit codes of Stricli for an unknown command and for invalid arguments are negative.
  return code < 0 ? EXIT.badInput : code;
}

/** `kerf help plan` is `kerf plan --help`, and `kerf plan web.yaml` is `kerf plan provisioning web.yaml`. */
function inFull(args: readonly string[]): readonly string[] {
  const [first, ...others] = args;
  if (first === 'help') return [...others, '--help'];
  return first === 'plan' && PATHS.test(others[0] ?? '') ? [first, 'provisioning', ...others] : args;
}

/** What names manifests, and is not the name of a command. */
const PATHS = /^(?!-).*[./]|^(?:-|-f|--file)$/;

/**
 * What may follow, one proposal with its description on each line. Without a proposal, shells complete file names, so that flags are
 * proposed only after a hyphen.
 */
async function proposals(words: readonly string[], context: CliContext): Promise<string> {
  const given = words[0] === 'help' ? words.slice(1) : words;
  const all = await proposeCompletions(app, given, context);
  return all
    .filter(({ completion }) => !completion.startsWith('-') || given.at(-1)?.startsWith('-') === true)
    .map(({ completion, brief }) => `${completion}\t${brief}\n`)
    .join('');
}
