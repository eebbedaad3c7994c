import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { errorMessage } from '../lib/core/error-message.ts';

/**
 * Reads the options of the script that runs, as `parseArgs` of Node.js. `--help` prints the comment at the top of the script, and the
 * options with their defaults. A wrong option, and a RangeError about an option (`--runs is 0: …`), end the process with one line and
 * exit code 2.
 */
export function scriptOptions<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  process.on('uncaughtException', (error) => {
    const isAboutOption = error instanceof RangeError && error.message.startsWith('--');
    console.error(isAboutOption ? error.message : error);
    process.exit(isAboutOption ? 2 : 1);
  });
  if (process.argv.includes('--help')) {
    console.log(helpOf(config, readFileSync(process.argv[1] ?? '', 'utf8')));
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${errorMessage(error)}: see --help`);
    return process.exit(2);
  }
}

function helpOf({ options = {} }: ParseArgsConfig, source: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(source)?.[1] ?? '';
  const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, ''));
  const described = Object.entries(options).map(([name, { type, default: value }]) => {
    if (type === 'boolean') return `  --${value === true ? 'no-' : ''}${name}`;
    return `  --${name} VALUE${value === undefined ? '' : `   default ${String(value)}`}`;
  });
  return [lines.join('\n').trim(), '', ...described].join('\n');
}
