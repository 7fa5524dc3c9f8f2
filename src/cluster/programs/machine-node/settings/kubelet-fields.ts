import { type ConfigurationFields, type ConfigurationKind, objectOf } from '../../../../api/index.ts';
import { imageFields } from './image-fields.ts';
import { nodeFields } from './node-fields.ts';
import { podFields } from './pod-fields.ts';
import { portFields } from './port-fields.ts';
import { resourceFields } from './resource-fields.ts';
import type { Setting, SettingsOf, SettingTable } from './setting.ts';

/** Every field of KubeletConfiguration in kubelet.config.k8s.io/v1beta1 of Kubernetes 1.36. */
export const kubeletFields = { ...nodeFields, ...portFields, ...resourceFields, ...podFields, ...imageFields };

/** A KubeletConfiguration with all defaults. Durations are milliseconds. */
export type KubeletSettings = Omit<SettingsOf<typeof kubeletFields>, 'serializeImagePulls'> & {
  /** True unless several images may be pulled at once. */
  readonly serializeImagePulls: boolean;
};

/** What `readConfiguration` accepts. */
export const kubeletConfigurationKind: ConfigurationKind = {
  group: 'kubelet.config.k8s.io',
  kind: 'KubeletConfiguration',
  versions: ['v1beta1'],
  fields: (version) => shapesOf(kubeletFields, version),
};

/** A field and its place: `['authentication', 'x509', 'clientCAFile']`. */
export interface PlacedSetting {
  readonly path: readonly string[];
  readonly setting: Setting;
}

/** All fields of a table, those of groups in their place. */
export function placedSettings(table: SettingTable, above: readonly string[] = []): readonly PlacedSetting[] {
  return Object.entries(table).flatMap(([name, each]) => {
    const path = [...above, name];
    return each.kind === 'group' ? placedSettings(each.fields, path) : [{ path, setting: each }];
  });
}

export const allSettings = placedSettings(kubeletFields);

function shapesOf(table: SettingTable, version: string): ConfigurationFields {
  return Object.fromEntries(
    Object.entries(table).map(([name, each]) => [
      name,
      each.kind === 'group' ? objectOf(`${version}.${each.type}`, shapesOf(each.fields, version)) : each.shape(version),
    ]),
  );
}
