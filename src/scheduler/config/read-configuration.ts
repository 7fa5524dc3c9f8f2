import {
  type ConfigurationFields,
  type ConfigurationKind,
  jsonGo,
  readConfigurationLeniently,
  UnknownConfigurationKind,
} from '../../api/index.ts';
import { DecodeError, messageOf } from '../../base/index.ts';
import type { SchedulerConfiguration } from './configuration.ts';
import { argumentsKind, pluginsWithArguments, schedulerConfigurationKind } from './configuration-kinds.ts';
import { type WrittenConfiguration, type WrittenPluginArguments, withDefaults } from './defaults.ts';

/** A file that is not a KubeSchedulerConfiguration, or an invalid one. The message is kube-scheduler's. */
export class SchedulerConfigurationError extends Error {
  override readonly name = 'SchedulerConfigurationError';
}

/**
 * Parses a KubeSchedulerConfiguration from YAML or JSON and fills in the defaults. Unknown members are rejected;
 * `checkSchedulerConfiguration` validates the values.
 */
export function readSchedulerConfiguration(text: string): SchedulerConfiguration {
  try {
    const { value, problems } = readConfigurationLeniently<WrittenConfiguration>(text, allKinds());
    if (value.kind !== schedulerConfigurationKind.kind)
      throw new SchedulerConfigurationError(
        `couldn't decode as KubeSchedulerConfiguration, got ${schedulerConfigurationKind.group}/v1, Kind=${value.kind ?? ''}: `,
      );
    const found = problems === '' ? [] : [problems];
    const profiles = value.profiles?.map((profile, index) => ({
      ...profile,
      pluginConfig: profile.pluginConfig?.map((plugin, place) => {
        const path = `.profiles[${index}].pluginConfig[${place}]`;
        const read = readArguments(plugin, path);
        if (read.problem !== '') found.push(read.problem);
        return { name: plugin.name, args: read.args };
      }),
    }));
    if (found.length > 0) throw new SchedulerConfigurationError(`strict decoding error: ${found.join(', ')}`);
    return withDefaults({ ...value, profiles });
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof UnknownConfigurationKind)) throw error;
    throw new SchedulerConfigurationError(error.message, { cause: error });
  }
}

/** The kinds that a file of this group may hold. */
function allKinds(): readonly ConfigurationKind[] {
  return [schedulerConfigurationKind, ...pluginsWithArguments.flatMap((name) => argumentsKind(name) ?? [])];
}

/** Leaves the arguments of a plugin that is not built in as they are: the plugin parses them. */
function readArguments(
  { name = '', args }: WrittenPluginArguments,
  path: string,
): { readonly args: unknown; readonly problem: string } {
  const kind = argumentsKind(name);
  if (kind === undefined) return { args, problem: '' };
  const whole = { apiVersion: `${kind.group}/v1`, kind: kind.kind };
  const written = args ?? {};
  const refused = (why: string): SchedulerConfigurationError =>
    new SchedulerConfigurationError(`decoding ${path}: ${why}`);
  if (typeof written !== 'object' || Array.isArray(written))
    throw refused(
      `decoding args for plugin ${name}: couldn't get version/kind; json parse error: json: cannot unmarshal ${typeOf(written)} into Go value of type ${TYPE_META}`,
    );
  let read: { readonly value: ConfigurationFields & { readonly kind?: string }; readonly problems: string };
  try {
    read = readConfigurationLeniently(jsonGo({ ...whole, ...written }), allKinds());
  } catch (error) {
    throw refused(`decoding args for plugin ${name}: ${messageOf(error)}`);
  }
  const { kind: found, ...members } = read.value;
  if (found !== kind.kind)
    throw refused(`args for plugin ${name} were not of type ${kind.kind}.${kind.group}, got ${found}.${kind.group}`);
  const { apiVersion: _, ...own } = members;
  const problem =
    read.problems === ''
      ? ''
      : `decoding ${path}: strict decoding error: decoding args for plugin ${name}: strict decoding error: ${read.problems}`;
  return { args: own, problem };
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
