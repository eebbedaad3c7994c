import { quote } from '../../apis/quote.ts';

export type WindowsUserData =
  | {
      readonly kind: 'parts';
      /** The user's PowerShell, without its element. */
      readonly script: string;
      /** Other elements of EC2Launch, as written. */
      readonly before: readonly string[];
      readonly after: readonly string[];
    }
  | { readonly kind: 'unreadable'; readonly message: string };

/** EC2Launch's elements besides `<powershell>`. */
const ELEMENT = /^<(script|persist|powershellArguments|runAsLocalSystem|detach|stopOnError)>[^]*?<\/\1>/i;
/** Those that hold one word, where they close a script that has no element of its own. */
const CLOSING = /<(persist|powershellArguments|runAsLocalSystem|detach|stopOnError)>[^<]*<\/\1>$/i;
const TAG = /<\/?powershell>/i;

/**
 * The parts of a user's data for Windows: PowerShell by itself, or as EC2Launch wants it, in its element beside others (C72).
 * *Errors:* unreadable where what is not in an element would be lost, or a script would end the element that ours is in.
 */
export function readWindowsUserData(written: string): WindowsUserData {
  const text = written.trim();
  if (/^version:\s*['"]?\d/m.test(text) && /^tasks:/m.test(text)) {
    return unreadable('is a YAML document of EC2Launch, into which nothing can be merged: write PowerShell');
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
    return unreadable(`has the tags ${tags.slice(0, 5).join(' ')}: write one <powershell> with its </powershell>`);
  }
  const before = leadingElements(outside.trim());
  const after = leadingElements(behind.trim());
  const lost = before.rest + after.rest;
  if (lost !== '')
    return unreadable(`has ${quote(lost)} outside of its <powershell>, which nobody would run: move it inside`);
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

function unreadable(what: string): WindowsUserData {
  return { kind: 'unreadable', message: `userData ${what}` };
}
