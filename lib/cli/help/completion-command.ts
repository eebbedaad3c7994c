import { buildCommand, type Command } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from './completion-scripts.ts';

/** `kerf completion SHELL`: prints a script. */
export const completionCommand: Command<CliContext> = buildCommand<Record<never, never>, [Shell], CliContext>({
  docs: {
    brief: 'Print a script that completes commands and flags in a shell',
    fullDescription: [
      'Prints a script for bash, zsh or fish, which completes commands, flags and their',
      'values. File names are completed as for other commands. The script calls kerf,',
      'which must be in the PATH.',
      '',
      'Exit code 0: printed; 2: bad input.',
      '',
      'Examples:',
      '  source <(kerf completion bash)     # in ~/.bashrc',
      '  source <(kerf completion zsh)      # in ~/.zshrc, after compinit',
      '  kerf completion fish | source      # in ~/.config/fish/config.fish',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'bash, zsh or fish',
          placeholder: 'SHELL',
          parse: shellOf,
          proposeCompletions: (partial) => SHELLS.filter((shell) => shell.startsWith(partial)),
        },
      ],
    },
  },
  func(_, shell) {
    this.process.stdout.write(COMPLETION_SCRIPTS[shell]);
    this.process.exitCode = EXIT.fine;
  },
});

function shellOf(text: string): Shell {
  const shell = SHELLS.find((name) => name === text);
  if (shell === undefined) throw new SyntaxError(`"${text}" is not allowed; write bash, zsh or fish`);
  return shell;
}
