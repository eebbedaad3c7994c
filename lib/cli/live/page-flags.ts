/** The flags of commands that show a page. */
export const PAGE_FLAGS = {
  report: {
    kind: 'parsed',
    brief: 'Write the run as one HTML page to this file',
    parse: String,
    optional: true,
    placeholder: 'FILE',
  },
  web: {
    kind: 'boolean',
    brief: 'Serve the run as a live page on 127.0.0.1',
    default: false,
    withNegated: false,
  },
  port: {
    kind: 'parsed',
    brief: 'The port of --web (default: a free one)',
    parse: portNumber,
    optional: true,
    placeholder: 'PORT',
  },
} as const;

function portNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 65_535)
    throw new SyntaxError(`"${text}" is not a port: write a number from 1 to 65535, such as 8080`);
  return value;
}
