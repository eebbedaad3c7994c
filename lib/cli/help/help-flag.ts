import type { StricliIntegration } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { helpText } from './help-text.ts';

/** `--help` of every command, wrapped to the terminal. A group of commands without a command shows it too. */
export const HELP_FLAG: StricliIntegration<CliContext> = {
  flag: {
    brief: 'Print help and exit',
    aliases: ['h'],
    global: true,
    complete: true,
    defaultForRouteMap: true,
    run(_, { result: { target, prefix }, additionalFlags }) {
      const columns = 'columns' in this && typeof this.columns === 'number' ? this.columns : undefined;
      const color = 'color' in this && this.color === true;
      this.process.stdout.write(helpText({ target, prefix, shared: additionalFlags }, { columns, color }));
    },
  },
};
