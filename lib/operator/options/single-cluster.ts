import { isRecord } from '../../apis/record.ts';
import { CLUSTER_SETTINGS, parseCluster } from './cluster-options.ts';
import { OptionError } from './option-values.ts';

/**
 * The clusters of a configuration, with the settings that are context keys of their own: `-c cluster=demo -c shadow=true`.
 * *Errors:* OptionError for such a setting beside several clusters, or in both places.
 */
export function withSettings(list: readonly unknown[], contextOf: (key: string) => unknown): readonly unknown[] {
  const settings = Object.fromEntries(
    CLUSTER_SETTINGS.flatMap((key) => {
      const value = contextOf(key);
      if (value === undefined) return [];
      return [[key, typeof value === 'string' ? valueOfText(key, value) : value]];
    }),
  );
  const [key] = Object.keys(settings);
  if (key === undefined) return list;
  const [only, ...others] = list;
  if (others.length > 0) {
    throw new OptionError(
      `${key} is set beside ${list.length} clusters: write it into the object of each cluster that it applies to, ` +
        `such as -c clusters='[{"name":"a","${key}":…},{"name":"b"}]'`,
    );
  }
  if (!isRecord(only)) return list;
  const twice = Object.keys(settings).find((one) => only[one] !== undefined);
  if (twice !== undefined)
    throw new OptionError(`${twice} is set in clusters[0].${twice} and as ${twice}: set it once`);
  return [{ ...only, ...settings }];
}

/** *Shape:* the text if the setting may have it, otherwise its value as JSON; an invalid text is unchanged, for the error. */
function valueOfText(key: string, text: string): unknown {
  if (isAllowed(key, text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isAllowed(key, value) ? value : text;
  } catch {
    return text;
  }
}

function isAllowed(key: string, value: unknown): boolean {
  try {
    parseCluster({ name: 'demo', [key]: value }, key);
    return true;
  } catch (error) {
    if (error instanceof OptionError) return false;
    throw error;
  }
}
