import { isAbsolute, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KERF_VERSION } from '../../core/version.ts';
import { type Reported, RULES } from './reported.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** SARIF 2.1.0, which code scanning of GitHub and other services read. */
export function renderSarif(reported: readonly Reported[]): string {
  const rules = Object.entries(RULES).map(([id, text]) => ({ id, shortDescription: { text } }));
  const driver = { name: 'kerf validate', version: KERF_VERSION, rules };
  const log = { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, results: reported.map(resultOf) }] };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf({ rule, severity, file, line, object, path, text }: Reported): object {
  const physicalLocation = { artifactLocation: { uri: uriOf(file) }, region: { startLine: Math.max(line, 1) } };
  const fullyQualifiedName = [object, path].filter((part) => part !== '').join(' ');
  return {
    ruleId: rule,
    level: severity,
    message: { text: object === '' ? text : `${object}: ${text}` },
    locations: [{ physicalLocation, ...(fullyQualifiedName !== '' && { logicalLocations: [{ fullyQualifiedName }] }) }],
  };
}

/** A relative path stays relative, so that the service finds it in the repository. */
function uriOf(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return normalize(file).split('\\').join('/').split('/').map(encodeURIComponent).join('/');
}
