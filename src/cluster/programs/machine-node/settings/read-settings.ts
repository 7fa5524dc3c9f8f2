import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { applyMergePatch, readConfiguration } from '../../../../api/index.ts';
import { messageOf, parseDuration } from '../../../../base/index.ts';
import { FlagError, type FlagValues } from '../../flag.ts';
import { readFlagFile } from '../../read-flags.ts';
import { problemsOf } from './check-settings.ts';
import { withFlags } from '../../settings/flag-texts.ts';
import { refusals } from '../../settings/refusals.ts';
import type { SettingsOf } from '../../settings/setting.ts';
import { kubeletConfiguration, type KubeletSettings } from './kubelet-fields.ts';
import { DEFAULT_EVICTION_HARD } from './pod-fields.ts';
import { withDefaults, type WrittenConfiguration } from '../../settings/written-values.ts';

/** Files of a drop-in folder that count. */
const DROP_IN = '.conf';
const MAX_DROP_INS = 1000;

/** The kubelet's settings: the file of `--config`, the files of `--config-dir` over it, and other flags over both. */
export function readKubeletSettings(flags: FlagValues): KubeletSettings {
  let written: WrittenConfiguration = {};
  const file = flags.text('config');
  if (file !== undefined) written = readWritten('config', file);
  const folder = flags.text('config-dir') ?? '';
  if (folder !== '')
    for (const path of dropIns(folder))
      written = applyMergePatch(written, readWritten('config-dir', path)) as WrittenConfiguration;
  return settingsOf(written, flags);
}

/** The settings of a written configuration with the flags over it, checked. Throws a FlagError that lists what is wrong. */
export function settingsOf(written: WrittenConfiguration, flags: FlagValues): KubeletSettings {
  const settings = completed(
    withFlags(kubeletConfiguration, withDefaults(kubeletConfiguration, withReports(written)), flags),
  );
  const problems = problemsOf(settings);
  if (problems.length > 0) throw new FlagError(`failed to validate kubelet configuration: ${aggregate(problems)}`);
  const refused = refusals(kubeletConfiguration, settings);
  if (refused.length > 0) throw new FlagError(refused.join('; '));
  return settings;
}

/** Several messages in the form of Kubernetes' aggregated errors. */
function aggregate(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? (different[0] ?? '') : `[${different.join(', ')}]`;
}

/** A file that says how often the status is made, and not how often it is written without changes, means the same for both. */
function withReports(written: WrittenConfiguration): WrittenConfiguration {
  const { nodeStatusUpdateFrequency: looked, nodeStatusReportFrequency: reported } = written;
  const isSet = (value: unknown): boolean => value !== undefined && parseDuration(String(value)) !== 0;
  return isSet(looked) && !isSet(reported) ? { ...written, nodeStatusReportFrequency: looked } : written;
}

/** Defaults that depend on other fields. */
function completed(all: SettingsOf<typeof kubeletConfiguration.fields>): KubeletSettings {
  const { serializeImagePulls, maxParallelImagePulls = 1 } = all;
  return {
    ...all,
    serializeImagePulls: serializeImagePulls ?? maxParallelImagePulls < 2,
    podPidsLimit: all.podPidsLimit < 0 ? -1 : all.podPidsLimit,
    evictionHard: all.mergeDefaultEvictionSettings
      ? { ...DEFAULT_EVICTION_HARD, ...all.evictionHard }
      : all.evictionHard,
  };
}

/** The fields of a file that a flag names. */
export function readWritten(flag: string, path: string): WrittenConfiguration {
  const text = readFlagFile(flag, path);
  try {
    const {
      apiVersion: _version,
      kind: _kind,
      ...fields
    } = readConfiguration<WrittenConfiguration>(text, [kubeletConfiguration.readable], { isStrict: true });
    return fields;
  } catch (cause) {
    throw new FlagError(`failed to load kubelet config file, path: ${path}, error: ${messageOf(cause)}`, { cause });
  }
}

/** The files of a folder and of those in it, in the order of their paths. */
function dropIns(folder: string): readonly string[] {
  try {
    const paths = readdirSync(folder, { withFileTypes: true })
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return dropIns(path);
        return entry.name.endsWith(DROP_IN) ? [path] : [];
      });
    if (paths.length > MAX_DROP_INS) throw new Error(`more than ${MAX_DROP_INS} files`);
    return paths;
  } catch (cause) {
    throw new FlagError(`failed to walk through kubelet dropin directory "${folder}": ${messageOf(cause)}`, { cause });
  }
}
