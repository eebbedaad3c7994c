import type { Reported } from './reported.ts';

/** Workflow commands of GitHub Actions, which shows them as annotations of the lines of the files. */
export function renderGithub(reported: readonly Reported[]): string {
  return reported
    .map(({ severity, file, line, object, text }) => {
      const title = object === '' ? '' : `,title=${inProperty(object)}`;
      return `::${severity} file=${inProperty(file)},line=${line}${title}::${escaped(text)}\n`;
    })
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function inProperty(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
