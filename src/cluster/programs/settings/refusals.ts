import type { ConfigurationTable } from './configuration-table.ts';
import { valueAt } from './written-values.ts';

/** Why settings cannot be had that differ from the default. */
export function refusals({ all }: ConfigurationTable, settings: object): readonly string[] {
  return all.flatMap(({ path, setting }) => {
    const value = valueAt(settings, path);
    if (setting.verdict !== 'refused' || JSON.stringify(value) === JSON.stringify(setting.default)) return [];
    const flag = setting.flag === undefined ? '' : ` (--${setting.flag})`;
    return [`${path.join('.')}${flag} ${JSON.stringify(value)} is refused: ${setting.why}`];
  });
}
