import { dirname, isAbsolute, join, resolve } from 'node:path';
import {
  type ConfigurationKind,
  EMBEDDED,
  listOf,
  objectOf,
  readConfiguration,
  TEXT,
  UnknownConfigurationKind,
  YamlBody,
} from '../../../api/index.ts';
import { messageOf } from '../../../base/index.ts';

/** The configuration of each plugin by name: YAML or JSON, which the plugin parses itself. */
export type PluginConfigurations = Readonly<Record<string, string>>;

export interface AdmissionConfigurationSource {
  /** The path of the file; paths in it are relative to its folder. */
  readonly path: string;
  readonly read: (path: string) => string;
  /** The plugins that run: files of others are not opened. */
  readonly plugins: readonly string[];
}

const ADMISSION_CONFIGURATION: ConfigurationKind = {
  group: 'apiserver.config.k8s.io',
  kind: 'AdmissionConfiguration',
  versions: ['v1', 'v1alpha1'],
  fields: (version) => ({
    plugins: listOf(
      objectOf(`${version}.AdmissionPluginConfiguration`, { name: TEXT, path: TEXT, configuration: EMBEDDED }),
    ),
  }),
};

const FAILED = 'failed to apply admission: failed to read plugin config';

interface AdmissionConfiguration {
  readonly plugins?: readonly { readonly name?: string; readonly path?: string; readonly configuration?: unknown }[];
}

/** Plugins that had their own files before this kind existed, by the first member of such a file. */
const OLDER_FILES: Readonly<Record<string, string>> = {
  imagePolicy: 'ImagePolicyWebhook',
  podNodeSelectorPluginConfig: 'PodNodeSelector',
};

/** Reads the file of `--admission-control-config-file`, and those that it names; errors are worded as kube-apiserver's. */
export function readAdmissionConfiguration(source: AdmissionConfigurationSource): PluginConfigurations {
  const { path, plugins } = source;
  const text = readFirst(source);
  let entries: NonNullable<AdmissionConfiguration['plugins']>;
  try {
    ({ plugins: entries = [] } = readConfiguration<AdmissionConfiguration>(text, [ADMISSION_CONFIGURATION], {
      isStrict: true,
    }));
  } catch (error) {
    if (!(error instanceof UnknownConfigurationKind && isOlderFile(text)))
      throw new Error(`${FAILED}: ${messageOf(error)}`, { cause: error });
    return Object.fromEntries(plugins.filter(hasOlderFile).map((name) => [name, text]));
  }
  const found: Record<string, string> = {};
  for (const { name = '', path: file = '', configuration } of entries) {
    if (!plugins.includes(name) || Object.hasOwn(found, name)) continue;
    if (configuration !== undefined) found[name] = JSON.stringify(configuration);
    else if (file !== '') found[name] = readFile(source, isAbsolute(file) ? file : join(dirname(resolve(path)), file));
  }
  return found;
}

function readFirst({ path, read }: AdmissionConfigurationSource): string {
  try {
    return read(path);
  } catch (cause) {
    const why = `unable to read admission control configuration from ${JSON.stringify(path)} [${problemOf(cause, path)}]`;
    throw new Error(`${FAILED}: ${why}`, { cause });
  }
}

function readFile({ read }: AdmissionConfigurationSource, path: string): string {
  try {
    return read(path);
  } catch (cause) {
    throw new Error(`Couldn't open admission plugin configuration ${path}: ${problemOf(cause, path)}`, { cause });
  }
}

function problemOf(cause: unknown, path: string): string {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  return isMissing ? `open ${path}: no such file or directory` : messageOf(cause);
}

function isOlderFile(text: string): boolean {
  const value = new YamlBody(text).untyped();
  return typeof value === 'object' && value !== null && Object.keys(OLDER_FILES).some((member) => member in value);
}

function hasOlderFile(plugin: string): boolean {
  return Object.values(OLDER_FILES).includes(plugin);
}
