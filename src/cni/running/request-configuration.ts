import type { NetworkConfiguration } from '../configuration/network-configuration.ts';
import type { PluginConfiguration } from '../configuration/plugin-configuration.ts';
import type { VersionedResult } from '../results/cni-result.ts';
import { sortedJson } from '../sorted-json.ts';
import type { CapabilityArgs, ValidAttachment } from './attachment.ts';

/** What a plugin reads on its standard input beside its own configuration. */
export interface RequestAdditions {
  /** The result of the plugin before, or of the whole ADD. */
  readonly prevResult?: VersionedResult | undefined;
  readonly capabilityArgs?: CapabilityArgs | undefined;
  /** Of GC. */
  readonly validAttachments?: readonly ValidAttachment[] | undefined;
}

/** The input of one plugin: its configuration with name and version of the network, and what is added for this call. */
export function requestConfiguration(
  { name, cniVersion }: Pick<NetworkConfiguration, 'name' | 'cniVersion'>,
  { fields, capabilities }: PluginConfiguration,
  { prevResult, capabilityArgs = {}, validAttachments }: RequestAdditions,
): string {
  const given = Object.entries(capabilities)
    .filter(([capability, isWanted]) => isWanted && Object.hasOwn(capabilityArgs, capability))
    .map(([capability]) => [capability, capabilityArgs[capability]]);
  return sortedJson({
    ...fields,
    name,
    cniVersion,
    ...(prevResult === undefined ? {} : { prevResult }),
    ...(given.length === 0 ? {} : { runtimeConfig: Object.fromEntries(given) as unknown }),
    // the second name is the one that an earlier text of the specification had by mistake, and that plugins were written for
    ...(validAttachments === undefined
      ? {}
      : { 'cni.dev/valid-attachments': validAttachments, 'cni.dev/attachments': validAttachments }),
  });
}
