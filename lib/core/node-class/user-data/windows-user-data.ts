import { quote } from '../../../apis/formats/quote.ts';
import { type Unreadable, unreadable } from './rendered.ts';

export type WindowsUserData =
  | {
      readonly kind: 'parts';
      /** The user's PowerShell, without its element. */
      readonly script: string;
      /** Other elements of EC2Launch, unchanged. */
      readonly before: readonly string[];
      readonly after: readonly string[];
    }
  | Unreadable;

/** EC2Launch's elements besides `<powershell>`. */
const ELEMENT = /^<(script|persist|powershellArguments|runAsLocalSystem|detach|stopOnError)>[^]*?<\/\1>/i;
/** Elements with one word that may follow a script without a `<powershell>` element. */
const CLOSING = /<(persist|powershellArguments|runAsLocalSystem|detach|stopOnError)>[^<]*<\/\1>$/i;
const TAG = /<\/?powershell>/i;

/**
 * Reads the parts of Windows user data: plain PowerShell, or a `<powershell>` element with other elements of EC2Launch (C72).
 * *Errors:* unreadable where text outside an element would be lost, or the script would end the `<powershell>` element.
 */
export function readWindowsUserData(written: string): WindowsUserData {
  const text = written.trim();
  if (/^version:\s*['"]?\d/m.test(text) && /^tasks:/m.test(text)) {
    return unreadable('is a YAML document of EC2Launch, which cannot be merged', 'PowerShell');
  }
  return TAG.test(text) ? wrapped(text) : bare(text);
}

function bare(text: string): WindowsUserData {
  const { elements: before, rest } = leadingElements(text);
  const after: string[] = [];
  let script = rest;
  for (let match = CLOSING.exec(script); match !== null; match = CLOSING.exec(script)) {
    after.unshift(match[0]);
    script = script.slice(0, match.index).trimEnd();
  }
  return { kind: 'parts', script, before, after };
}

function wrapped(text: string): WindowsUserData {
  const [outside = '', script = '', behind = '', ...more] = text.split(/<\/?powershell>/i);
  const tags = [...text.matchAll(/<\/?powershell>/gi)].map(([tag]) => tag.toLowerCase());
  if (more.length > 0 || tags[0] !== '<powershell>' || tags[1] !== '</powershell>') {
    return unreadable(`has the tags ${tags.slice(0, 5).join(' ')}`, 'one <powershell> with its </powershell>');
  }
  const before = leadingElements(outside.trim());
  const after = leadingElements(behind.trim());
  const lost = before.rest + after.rest;
  if (lost !== '')
    return unreadable(
      `has ${quote(lost)} outside its <powershell> element, which EC2Launch does not run`,
      'it inside the element',
    );
  return { kind: 'parts', script: script.trim(), before: before.elements, after: after.elements };
}

function leadingElements(text: string): { readonly elements: readonly string[]; readonly rest: string } {
  const elements: string[] = [];
  let rest = text;
  for (let match = ELEMENT.exec(rest); match !== null; match = ELEMENT.exec(rest)) {
    elements.push(match[0]);
    rest = rest.slice(match[0].length).trimStart();
  }
  return { elements, rest };
}
