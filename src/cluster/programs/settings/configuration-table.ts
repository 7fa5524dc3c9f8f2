import { type ConfigurationFields, type ConfigurationKind, objectOf } from '../../../api/index.ts';
import type { Setting, SettingTable } from './setting.ts';

/** A field and its place: `['authentication', 'x509', 'clientCAFile']`. */
export interface PlacedSetting {
  readonly path: readonly string[];
  readonly setting: Setting;
}

/** A kind of configuration file, as a table of its fields. */
export interface ConfigurationTable<Fields extends SettingTable = SettingTable> {
  /** `kubelet.config.k8s.io` */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly fields: Fields;
  /** All fields, those of groups in their place. */
  readonly all: readonly PlacedSetting[];
  /** Fields that a flag sets, and the flag. */
  readonly flagged: readonly (PlacedSetting & { readonly flag: string })[];
  /** What `readConfiguration` accepts. */
  readonly readable: ConfigurationKind;
}

export function configurationTable<const Fields extends SettingTable>(
  described: Pick<ConfigurationTable<Fields>, 'group' | 'version' | 'kind' | 'fields'>,
): ConfigurationTable<Fields> {
  const { group, version, kind, fields } = described;
  const all = placedSettings(fields);
  const readable: ConfigurationKind = {
    group,
    kind,
    versions: [version],
    fields: (asked) => shapesOf(fields, asked),
  };
  const flagged = all.flatMap((placed) =>
    placed.setting.flag === undefined ? [] : [{ ...placed, flag: placed.setting.flag }],
  );
  return { ...described, all, flagged, readable };
}

function placedSettings(table: SettingTable, above: readonly string[] = []): readonly PlacedSetting[] {
  return Object.entries(table).flatMap(([name, each]) => {
    const path = [...above, name];
    return each.kind === 'group' ? placedSettings(each.fields, path) : [{ path, setting: each }];
  });
}

function shapesOf(table: SettingTable, version: string): ConfigurationFields {
  return Object.fromEntries(
    Object.entries(table).map(([name, each]) => [
      name,
      each.kind === 'group' ? objectOf(`${version}.${each.type}`, shapesOf(each.fields, version)) : each.shape(version),
    ]),
  );
}
