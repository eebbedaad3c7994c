/** The syntax of label names and values in Kubernetes. The patterns match a whole text. */

export const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
export const DNS_SUBDOMAIN = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*';

/** Describes the syntax of a name. */
export const NAME_RULE = 'at most 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends';

const WHOLE_NAME = new RegExp(`^${NAME}$`);
const WHOLE_SUBDOMAIN = new RegExp(`^${DNS_SUBDOMAIN}$`);

/** Tests for a name with an optional prefix, which is a DNS name of at most 253 characters and a slash. */
export function isQualifiedName(text: string): boolean {
  const [first = '', second, ...more] = text.split('/');
  if (more.length > 0) return false;
  const [domain, name] = second === undefined ? [undefined, first] : [first, second];
  return WHOLE_NAME.test(name) && (domain === undefined || (domain.length <= 253 && WHOLE_SUBDOMAIN.test(domain)));
}

/** Tests for the name of a Kubernetes object, such as a NodeClaim. */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && WHOLE_SUBDOMAIN.test(text);
}

export function isLabelValue(text: string): boolean {
  return text === '' || WHOLE_NAME.test(text);
}
