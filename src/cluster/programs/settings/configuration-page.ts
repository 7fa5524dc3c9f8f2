import { formatDuration } from '../../../base/index.ts';
import type { ConfigurationFile } from '../program.ts';
import type { ConfigurationTable } from './configuration-table.ts';
import type { Setting } from './setting.ts';

/** A kind of configuration file as the page of flags shows it. */
export function configurationPage({ group, version, kind, all }: ConfigurationTable): ConfigurationFile {
  return {
    title: `${kind} (${group}/${version})`,
    fields: all
      .map(({ path, setting }) => ({
        name: path.join('.'),
        default: defaultText(setting),
        verdict: setting.verdict,
        why: setting.why,
      }))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
  };
}

function defaultText({ default: value, form }: Setting): string {
  if (value === undefined || value === '') return '';
  if (form === 'duration' && typeof value === 'number') return formatDuration(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}
